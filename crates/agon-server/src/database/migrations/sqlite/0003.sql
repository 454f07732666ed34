-- Matches that a version has to play before it has a rank again: after a pause, or after another
-- version.
ALTER TABLE versions ADD COLUMN owed INTEGER NOT NULL DEFAULT 0;
