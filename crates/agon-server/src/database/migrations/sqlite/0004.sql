-- People see `shown` beside bots, and not the name for signing in: it is in addresses, too.
CREATE UNIQUE INDEX people_by_shown ON people (lower(shown));
