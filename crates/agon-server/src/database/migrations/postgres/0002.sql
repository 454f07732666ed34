-- The same as for SQLite, whose file says what the columns hold.
CREATE TABLE networks (
    person BIGINT NOT NULL REFERENCES people ON DELETE CASCADE,
    network BYTEA NOT NULL,
    seen BIGINT NOT NULL,
    PRIMARY KEY (person, network)
);

ALTER TABLE bots ADD COLUMN skeleton TEXT COLLATE "C";
CREATE UNIQUE INDEX bots_by_skeleton ON bots (arena, skeleton);
