-- The same as for SQLite, whose file says what the column holds.
ALTER TABLE versions ADD COLUMN owed BIGINT NOT NULL DEFAULT 0;
