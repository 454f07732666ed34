-- The same as for SQLite, whose file says what it is for.
ALTER TABLE bots ADD COLUMN stopped_by TEXT COLLATE "C"
    GENERATED ALWAYS AS (CAST(stopped AS JSON) ->> 'by') STORED;

UPDATE bots SET stopped = replace(stopped, '{"by":"organiser",', '{"by":"disabled",')
    WHERE stopped_by = 'organiser'
        AND CAST(stopped AS JSON) ->> 'why' = 'its author''s account is disabled';
