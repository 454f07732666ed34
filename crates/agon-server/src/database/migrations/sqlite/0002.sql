-- Networks from which people have signed in.
CREATE TABLE networks (
    person INTEGER NOT NULL REFERENCES people ON DELETE CASCADE,
    network BLOB NOT NULL,           -- digest with a secret of the server
    seen INTEGER NOT NULL,
    PRIMARY KEY (person, network)
) STRICT, WITHOUT ROWID;

-- What names look like: bots of an arena whose names look alike are told apart by nobody.
ALTER TABLE bots ADD COLUMN skeleton TEXT; -- NULL: another bot of the arena has it already
CREATE UNIQUE INDEX bots_by_skeleton ON bots (arena, skeleton);
