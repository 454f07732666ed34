-- Who has stopped a bot, for statements that depend on it.
ALTER TABLE bots ADD COLUMN stopped_by TEXT
    GENERATED ALWAYS AS (json_extract(stopped, '$.by')) VIRTUAL;

-- Bots whose author cannot sign in were told from those that an organiser excluded by the reason.
UPDATE bots SET stopped = replace(stopped, '{"by":"organiser",', '{"by":"disabled",')
    WHERE stopped_by = 'organiser'
        AND stopped ->> 'why' = 'its author''s account is disabled';
