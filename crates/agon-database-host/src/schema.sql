-- The database of a tournament: derived from its journal, and made anew when it is missing.

CREATE TABLE about (
    version INTEGER NOT NULL,  -- of this schema
    plan    TEXT NOT NULL      -- digest of the plan, as in the journal
);

CREATE TABLE bot (
    bot  INTEGER PRIMARY KEY,  -- its number in the plan, from 0
    name TEXT NOT NULL UNIQUE,
    spec TEXT NOT NULL         -- as in the plan
);

CREATE TABLE match (
    match   INTEGER PRIMARY KEY,   -- in order of the journal, from 1
    id      TEXT NOT NULL UNIQUE,  -- r2.g0.p7.m1: round, group, pairing, match
    round   INTEGER NOT NULL,
    grp     INTEGER NOT NULL,
    pairing INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    key     TEXT NOT NULL,         -- hash of all that the result depends on
    seed    TEXT NOT NULL,         -- as text: it has 64 bits without a sign
    void    INTEGER NOT NULL,      -- how often it was played before and was void
    ms      INTEGER NOT NULL,      -- how long it took
    replay  TEXT                   -- file name
);

CREATE TABLE seat (
    match  INTEGER NOT NULL REFERENCES match,
    seat   INTEGER NOT NULL,       -- from 0
    bot    INTEGER NOT NULL REFERENCES bot,
    place  INTEGER NOT NULL,       -- 1 for the best, equal ones share a place
    score  INTEGER NOT NULL,
    points REAL NOT NULL,          -- opponents left behind, and half of those who are level
    fault  TEXT,                   -- the kind of the first fault
    faults INTEGER NOT NULL,       -- how many there were, of all kinds
    detail TEXT,                   -- the first fault in short
    forfeit INTEGER NOT NULL,      -- 1 if the bot forfeited the match, which was then not played
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;

CREATE INDEX seat_by_bot ON seat (bot, match);

-- Sums for each bot. The order of places of a format is not in it: Swiss tournaments and brackets have rules of their own.
CREATE VIEW standing AS
SELECT bot.bot, bot.name,
       count(seat.match)                                         AS matches,
       coalesce(sum(points), 0.0)                                AS points,
       sum(place = 1 AND NOT EXISTS (SELECT 1 FROM seat AS other WHERE other.match = seat.match
           AND other.seat <> seat.seat AND other.place = 1))     AS victories,
       avg(place)                                                AS mean_place,
       avg(score)                                                AS mean_score,
       coalesce(sum(faults), 0)                                  AS faults
FROM bot LEFT JOIN seat USING (bot)
GROUP BY bot.bot
ORDER BY points DESC, bot.bot;

-- For every two bots that met, from the view of the first one.
CREATE VIEW head_to_head AS
SELECT own_bot.name AS bot, other_bot.name AS opponent,
       count(*)                      AS matches,
       sum(own.place < other.place)  AS wins,
       sum(own.place = other.place)  AS ties,
       sum(own.place > other.place)  AS losses
FROM seat AS own
JOIN seat AS other ON other.match = own.match AND other.bot <> own.bot
JOIN bot AS own_bot ON own_bot.bot = own.bot
JOIN bot AS other_bot ON other_bot.bot = other.bot
GROUP BY own.bot, other.bot
ORDER BY own.bot, other.bot;
