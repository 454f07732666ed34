-- The same as for SQLite, whose file says what the column holds.
CREATE UNIQUE INDEX people_by_shown ON people (lower(shown));
