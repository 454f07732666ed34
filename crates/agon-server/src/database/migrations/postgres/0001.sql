-- The same tables as for SQLite, whose file says what the columns hold. Texts have the order of
-- their bytes, as in SQLite, whatever the order of the database is.

CREATE TABLE facts (
    name TEXT COLLATE "C" PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

CREATE TABLE people (
    id BIGINT PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    shown TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    password TEXT COLLATE "C",
    created BIGINT NOT NULL,
    disabled BIGINT,
    erased BIGINT
);

CREATE TABLE sessions (
    token BYTEA PRIMARY KEY,
    person BIGINT NOT NULL REFERENCES people ON DELETE CASCADE,
    created BIGINT NOT NULL,
    seen BIGINT NOT NULL,
    browser TEXT COLLATE "C" NOT NULL
);
CREATE INDEX sessions_of_person ON sessions (person);

CREATE TABLE links (
    code BYTEA PRIMARY KEY,
    purpose TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C",
    person BIGINT REFERENCES people ON DELETE CASCADE,
    maker BIGINT,
    created BIGINT NOT NULL,
    expires BIGINT NOT NULL,
    uses BIGINT NOT NULL,
    note TEXT COLLATE "C" NOT NULL DEFAULT ''
);

CREATE TABLE arenas (
    id BIGINT PRIMARY KEY,
    slug TEXT COLLATE "C" NOT NULL UNIQUE,
    title TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE bots (
    id BIGINT PRIMARY KEY,
    arena BIGINT NOT NULL REFERENCES arenas ON DELETE CASCADE,
    owner BIGINT REFERENCES people,
    slug TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    active BIGINT,
    stopped TEXT COLLATE "C",
    created BIGINT NOT NULL,
    UNIQUE (arena, slug),
    UNIQUE (arena, owner)
);
CREATE INDEX bots_of_owner ON bots (owner);

CREATE TABLE versions (
    id BIGINT PRIMARY KEY,
    bot BIGINT NOT NULL REFERENCES bots ON DELETE CASCADE,
    number BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C",
    built TEXT COLLATE "C",
    run TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C" NOT NULL,
    message TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL,
    ready BIGINT,
    report TEXT COLLATE "C",
    mu DOUBLE PRECISION NOT NULL,
    sigma DOUBLE PRECISION NOT NULL,
    matches BIGINT NOT NULL DEFAULT 0,
    wins BIGINT NOT NULL DEFAULT 0,
    ties BIGINT NOT NULL DEFAULT 0,
    losses BIGINT NOT NULL DEFAULT 0,
    faults BIGINT NOT NULL DEFAULT 0,
    pass BIGINT NOT NULL DEFAULT 0,
    mean_us BIGINT NOT NULL DEFAULT 0,
    seats TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    UNIQUE (bot, number)
);
CREATE INDEX versions_by_state ON versions (state, created);

CREATE TABLE runtimes (
    id BIGINT PRIMARY KEY,
    versions TEXT COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE matches (
    arena BIGINT NOT NULL REFERENCES arenas ON DELETE CASCADE,
    number BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    seed BIGINT NOT NULL,
    planned BIGINT NOT NULL,
    played BIGINT,
    ms BIGINT,
    turns BIGINT,
    replay TEXT COLLATE "C",
    logged BIGINT,
    replay_removed BIGINT,
    replay_erased BIGINT NOT NULL DEFAULT 0,
    outcome TEXT COLLATE "C",
    state_hash BIGINT,
    runtimes BIGINT,
    PRIMARY KEY (arena, number)
);
CREATE INDEX planned_matches ON matches (arena, number) WHERE state = 'planned';
CREATE INDEX annulled_matches ON matches (arena, number) WHERE state = 'annulled';
CREATE INDEX matches_by_replay ON matches (replay)
    WHERE replay IS NOT NULL AND replay_removed IS NULL;

CREATE TABLE seats (
    arena BIGINT NOT NULL,
    number BIGINT NOT NULL,
    seat BIGINT NOT NULL,
    version BIGINT NOT NULL,
    place BIGINT,
    faults BIGINT NOT NULL DEFAULT 0,
    cpu_us BIGINT,
    decisions BIGINT,
    rating DOUBLE PRECISION,
    cost TEXT COLLATE "C",
    stderr TEXT COLLATE "C",
    PRIMARY KEY (arena, number, seat)
);
-- With ratings, so that those of a version are side by side.
CREATE INDEX seats_of_version ON seats (version, number, rating);
-- For lists of matches with faults. The sum keeps SQLite from going through all seats by their key.
CREATE INDEX faulty_seats ON seats (arena, (number + 0)) WHERE faults > 0;
CREATE INDEX faulty_seats_of_version ON seats (version, number) WHERE faults > 0;

CREATE TABLE counts (
    arena BIGINT NOT NULL,
    players BYTEA NOT NULL,
    places BYTEA NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (arena, players, places)
);

CREATE TABLE totals (
    arena BIGINT PRIMARY KEY,
    matches BIGINT NOT NULL,
    results BIGINT NOT NULL
);

CREATE TABLE pairs (
    version BIGINT NOT NULL,
    other BIGINT NOT NULL,
    wins BIGINT NOT NULL,
    ties BIGINT NOT NULL,
    losses BIGINT NOT NULL,
    PRIMARY KEY (version, other)
);

CREATE TABLE published (
    arena BIGINT PRIMARY KEY,
    matches BIGINT NOT NULL,
    made BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL
);

CREATE TABLE log (
    number BIGINT PRIMARY KEY,
    entry BYTEA NOT NULL
);

CREATE TABLE log_tiles (
    level BIGINT NOT NULL,
    number BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    PRIMARY KEY (level, number)
);

CREATE TABLE checkpoints (
    size BIGINT PRIMARY KEY,
    made BIGINT NOT NULL,
    note TEXT COLLATE "C" NOT NULL
);

CREATE TABLE terms (
    digest TEXT COLLATE "C" PRIMARY KEY,
    text TEXT COLLATE "C" NOT NULL
);

CREATE TABLE audit (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at BIGINT NOT NULL,
    person BIGINT,
    action TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    detail TEXT COLLATE "C" NOT NULL
);

CREATE TABLE tokens (
    token BYTEA PRIMARY KEY,
    id BIGINT NOT NULL UNIQUE,
    person BIGINT NOT NULL REFERENCES people ON DELETE CASCADE,
    label TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL,
    by_password BIGINT NOT NULL,
    created BIGINT NOT NULL,
    seen BIGINT,
    expires BIGINT NOT NULL
);
CREATE INDEX tokens_of_person ON tokens (person);

CREATE TABLE idempotency (
    person BIGINT NOT NULL REFERENCES people ON DELETE CASCADE,
    key TEXT COLLATE "C" NOT NULL,
    request BYTEA NOT NULL,
    status BIGINT NOT NULL,
    location TEXT COLLATE "C",
    body TEXT COLLATE "C",
    created BIGINT NOT NULL,
    PRIMARY KEY (person, key)
);
CREATE INDEX idempotency_by_time ON idempotency (created);

CREATE TABLE retention (
    arena BIGINT PRIMARY KEY,
    replays BIGINT NOT NULL,
    logs BIGINT NOT NULL
);

CREATE TABLE finals (
    arena BIGINT PRIMARY KEY,
    secret TEXT COLLATE "C" NOT NULL,
    inputs TEXT COLLATE "C",
    links TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    played_in BIGINT,
    versions TEXT COLLATE "C"
);

CREATE TABLE nonces (
    version BIGINT PRIMARY KEY,
    pledge TEXT COLLATE "C" NOT NULL,
    nonce TEXT COLLATE "C"
);

CREATE TABLE extensions (
    arena BIGINT NOT NULL REFERENCES arenas ON DELETE CASCADE,
    person BIGINT NOT NULL REFERENCES people ON DELETE CASCADE,
    until BIGINT NOT NULL,
    PRIMARY KEY (arena, person)
);

CREATE TABLE doomed (
    digest TEXT COLLATE "C" PRIMARY KEY
);

CREATE TABLE erasures (
    person BIGINT PRIMARY KEY REFERENCES people,
    at BIGINT NOT NULL
);
