-- Ids are random numbers, unless a comment says otherwise. Times are milliseconds since 1970 (UTC).
-- Secrets are kept as digests only.

CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE people (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,       -- for signing in and in addresses: lower case
    shown TEXT NOT NULL,
    role TEXT NOT NULL,              -- spectator, author, organiser, administrator
    password TEXT,                   -- PHC string; NULL until it is set by a link
    created INTEGER NOT NULL,
    disabled INTEGER,                -- since when the person may not sign in
    erased INTEGER                   -- when all that was known of the person was removed
) STRICT;

CREATE TABLE sessions (
    token BLOB PRIMARY KEY,          -- digest
    person INTEGER NOT NULL REFERENCES people ON DELETE CASCADE,
    created INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    browser TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_person ON sessions (person);

CREATE TABLE links (
    code BLOB PRIMARY KEY,           -- digest
    purpose TEXT NOT NULL,           -- join, reset
    role TEXT,                       -- of those who join
    person INTEGER REFERENCES people ON DELETE CASCADE, -- whose password is set
    maker INTEGER,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    uses INTEGER NOT NULL,           -- that are left
    note TEXT NOT NULL DEFAULT ''    -- what it is for
) STRICT, WITHOUT ROWID;

CREATE TABLE arenas (
    id INTEGER PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    settings TEXT NOT NULL,          -- JSON
    created INTEGER NOT NULL
) STRICT;

CREATE TABLE bots (
    id INTEGER PRIMARY KEY,
    arena INTEGER NOT NULL REFERENCES arenas ON DELETE CASCADE,
    owner INTEGER REFERENCES people, -- NULL: a boss
    slug TEXT NOT NULL,
    name TEXT NOT NULL,
    active INTEGER,                  -- the version that plays
    stopped TEXT,                    -- JSON: why it does not play
    created INTEGER NOT NULL,
    UNIQUE (arena, slug),
    UNIQUE (arena, owner)
) STRICT;
CREATE INDEX bots_of_owner ON bots (owner);

CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    bot INTEGER NOT NULL REFERENCES bots ON DELETE CASCADE,
    number INTEGER NOT NULL,         -- from 1
    state TEXT NOT NULL,             -- waiting, building, checking, ready, refused
    source TEXT,                     -- digest of the files as they were handed in; NULL: built in
    built TEXT,                      -- digest of the files that play
    run TEXT NOT NULL,               -- as `agon play` takes it in the bot's folder
    language TEXT NOT NULL,
    message TEXT NOT NULL,
    created INTEGER NOT NULL,
    ready INTEGER,                   -- when it became ready
    report TEXT,                     -- JSON: what building and checking found
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    matches INTEGER NOT NULL DEFAULT 0,
    wins INTEGER NOT NULL DEFAULT 0,
    ties INTEGER NOT NULL DEFAULT 0,
    losses INTEGER NOT NULL DEFAULT 0,
    faults INTEGER NOT NULL DEFAULT 0,
    pass INTEGER NOT NULL DEFAULT 0, -- what the ladder has charged it
    mean_us INTEGER NOT NULL DEFAULT 0,
    seats TEXT NOT NULL DEFAULT '[]',
    UNIQUE (bot, number)
) STRICT;
CREATE INDEX versions_by_state ON versions (state, created);

-- Versions of interpreters: each different set once, because millions of matches have the same.
CREATE TABLE runtimes (
    id INTEGER PRIMARY KEY,          -- from 1
    versions TEXT NOT NULL UNIQUE    -- JSON
) STRICT;

CREATE TABLE matches (
    arena INTEGER NOT NULL REFERENCES arenas ON DELETE CASCADE,
    number INTEGER NOT NULL,         -- from 1, in each arena
    state TEXT NOT NULL,             -- planned, played, given_up, annulled
    seed INTEGER NOT NULL,
    planned INTEGER NOT NULL,
    played INTEGER,
    ms INTEGER,
    turns INTEGER,
    replay TEXT,                     -- digest
    logged INTEGER,                  -- the entry of the log with its result
    replay_removed INTEGER,          -- when its blob was removed because of its age
    replay_erased INTEGER NOT NULL DEFAULT 0, -- 1: because an author was erased instead
    outcome TEXT,                    -- JSON
    state_hash INTEGER,              -- of the last state: all 64 bits
    runtimes INTEGER,                -- with which its bots ran
    PRIMARY KEY (arena, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX planned_matches ON matches (arena, number) WHERE state = 'planned';
CREATE INDEX annulled_matches ON matches (arena, number) WHERE state = 'annulled';
CREATE INDEX matches_by_replay ON matches (replay)
    WHERE replay IS NOT NULL AND replay_removed IS NULL;

CREATE TABLE seats (
    arena INTEGER NOT NULL,
    number INTEGER NOT NULL,
    seat INTEGER NOT NULL,           -- from 0
    version INTEGER NOT NULL,
    place INTEGER,
    faults INTEGER NOT NULL DEFAULT 0,
    cpu_us INTEGER,
    decisions INTEGER,
    rating REAL,                     -- live, when the match ended
    cost TEXT,                       -- JSON: what its decisions cost
    stderr TEXT,                     -- its end
    PRIMARY KEY (arena, number, seat)
) STRICT, WITHOUT ROWID;
-- With ratings, so that those of a version are side by side.
CREATE INDEX seats_of_version ON seats (version, number, rating);
-- For lists of matches with faults. The sum keeps SQLite from going through all seats by their key.
CREATE INDEX faulty_seats ON seats (arena, (number + 0)) WHERE faults > 0;
CREATE INDEX faulty_seats_of_version ON seats (version, number) WHERE faults > 0;

CREATE TABLE counts (
    arena INTEGER NOT NULL,
    players BLOB NOT NULL,           -- versions in order of their ids: 8 bytes each, big-endian
    places BLOB NOT NULL,            -- theirs: a byte each
    count INTEGER NOT NULL,
    PRIMARY KEY (arena, players, places)
) STRICT, WITHOUT ROWID;

-- Sums over `counts` of each arena, so that nobody adds up millions of them.
CREATE TABLE totals (
    arena INTEGER PRIMARY KEY,
    matches INTEGER NOT NULL,        -- that count
    results INTEGER NOT NULL         -- different ones
) STRICT;

CREATE TABLE pairs (
    version INTEGER NOT NULL,
    other INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    ties INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    PRIMARY KEY (version, other)
) STRICT, WITHOUT ROWID;

CREATE TABLE published (
    arena INTEGER PRIMARY KEY,
    matches INTEGER NOT NULL,        -- that it is made of
    made INTEGER NOT NULL,
    body TEXT NOT NULL               -- JSON
) STRICT;

-- The public log: a Merkle tree over its entries. Nothing here is ever changed.
CREATE TABLE log (
    number INTEGER PRIMARY KEY,      -- from 0, without gaps
    entry BLOB NOT NULL              -- JSON, as everybody reads it; packed by `agon-ledger`
) STRICT;

-- Roots of the log's whole tiles, each over 256 hashes of the level below.
CREATE TABLE log_tiles (
    level INTEGER NOT NULL,          -- 8, 16 ...
    number INTEGER NOT NULL,         -- from 0, in each level
    hash BLOB NOT NULL,
    PRIMARY KEY (level, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
    size INTEGER PRIMARY KEY,        -- entries of the log
    made INTEGER NOT NULL,
    note TEXT NOT NULL               -- signed
) STRICT;

CREATE TABLE terms (
    digest TEXT PRIMARY KEY,
    text TEXT NOT NULL               -- JSON: what an arena's matches keep to
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- in order of time
    at INTEGER NOT NULL,
    person INTEGER,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE TABLE tokens (
    token BLOB PRIMARY KEY,          -- digest
    id INTEGER NOT NULL UNIQUE,
    person INTEGER NOT NULL REFERENCES people ON DELETE CASCADE,
    label TEXT NOT NULL,
    scopes TEXT NOT NULL,            -- names with spaces between them
    by_password INTEGER NOT NULL,    -- 1: made with name and password; ends when that changes
    created INTEGER NOT NULL,
    seen INTEGER,                    -- when it was last used
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_of_person ON tokens (person);

CREATE TABLE idempotency (
    person INTEGER NOT NULL REFERENCES people ON DELETE CASCADE,
    key TEXT NOT NULL,               -- as the client sent it
    request BLOB NOT NULL,           -- digest of the request
    status INTEGER NOT NULL,         -- of the reply
    location TEXT,                   -- of the reply
    body TEXT,                       -- of the reply; NULL: it had a secret
    created INTEGER NOT NULL,
    PRIMARY KEY (person, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_time ON idempotency (created);

CREATE TABLE retention (
    arena INTEGER PRIMARY KEY,
    replays INTEGER NOT NULL,        -- up to this match, old replays are removed
    logs INTEGER NOT NULL            -- the same for what bots wrote
) STRICT;

-- The draws of finals, by the arena whose season is over.
CREATE TABLE finals (
    arena INTEGER PRIMARY KEY,
    secret TEXT NOT NULL,            -- hexadecimal; shown once the versions are fixed
    inputs TEXT,                     -- JSON, once the versions are fixed
    links TEXT NOT NULL DEFAULT '[]', -- JSON: hashes so far
    played_in INTEGER,               -- the arena of the final, once the seed is there
    versions TEXT                    -- JSON: its versions, in order of the inputs
) STRICT;

CREATE TABLE nonces (
    version INTEGER PRIMARY KEY,
    pledge TEXT NOT NULL,            -- digest
    nonce TEXT                       -- hexadecimal, once it is revealed
) STRICT;

-- Authors with a later deadline than others.
CREATE TABLE extensions (
    arena INTEGER NOT NULL REFERENCES arenas ON DELETE CASCADE,
    person INTEGER NOT NULL REFERENCES people ON DELETE CASCADE,
    until INTEGER NOT NULL,
    PRIMARY KEY (arena, person)
) STRICT, WITHOUT ROWID;

-- Blobs that are to be removed, unless something names them.
CREATE TABLE doomed (
    digest TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- People whose erasure is not complete.
CREATE TABLE erasures (
    person INTEGER PRIMARY KEY REFERENCES people,
    at INTEGER NOT NULL
) STRICT;
