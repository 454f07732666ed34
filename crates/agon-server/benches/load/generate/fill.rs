//! Writes generated bots and matches into the tables, and the public log with the roots of its
//! tiles.

use agon_ladder::ledger::tree::{HEIGHT, WIDTH, above};
use agon_ladder::ledger::{Entry, MatchRecord, Pairing, Table, pack};
use agon_ladder::{CountedResults, VersionId};
use agon_match::spec::Digest;
use anyhow::{Context, Result};
use rusqlite::Connection;
use tlog_tiles::tlog::{Hash, record_hash};

use super::world::{BEGIN, Bot, Fought, Version, World, time};
use super::{Base, Template};

/// Indices that are made again at the end: sorted at once, they take less time and room.
const INDEXES: [&str; 1] = ["seats_of_version"];

/// Blocks of a transaction.
const BLOCKS: usize = 2_000;

/// Matches that are logged together, and the versions that entered before them.
pub(super) struct Block {
    pub(super) entered: Vec<usize>,
    pub(super) matches: Vec<Fought>,
}

/// How often two versions met with each end: the first wins, ties, the second wins. The first has
/// the smaller index.
type Meetings = std::collections::HashMap<(u32, u32), [u32; 3]>;

/// What writes.
pub(super) struct Writer {
    connection: Connection,
    arena: i64,
    version: Template,
    log: Log,
    /// The bots and versions as they are before the first match.
    bots: Vec<Bot>,
    versions: Vec<Version>,
    matches: u64,
    meetings: Meetings,
    blocks: usize,
    indexes: Vec<String>,
}

impl Writer {
    /// Writes people, bots and what the log begins with.
    pub(super) fn begin(base: Base, world: &World, matches: u64) -> Result<Writer> {
        let mut indexes = Vec::new();
        for name in INDEXES {
            let sql = "SELECT sql FROM sqlite_schema WHERE name = ?1";
            indexes.push(base.connection.query_row(sql, [name], |row| row.get(0))?);
            base.connection.execute_batch(&format!("DROP INDEX {name}"))?;
        }
        let mut writer = Writer {
            connection: base.connection,
            arena: base.arena,
            version: base.version,
            log: Log::default(),
            bots: world.bots.clone(),
            versions: world.versions.clone(),
            matches,
            meetings: Meetings::new(),
            blocks: 0,
            indexes,
        };
        writer.connection.execute_batch("BEGIN")?;
        writer.log(&Entry::Arena { arena: base.arena as u64, terms: base.terms })?;
        Ok(writer)
    }

    fn log(&mut self, entry: &Entry) -> Result<u64> {
        self.log.add(&self.connection, entry)
    }

    /// Writes a block.
    pub(super) fn write(&mut self, block: &Block) -> Result<()> {
        for &at in &block.entered {
            self.hand_in(at)?;
        }
        let arena = self.arena as u64;
        let pairings = block.matches.iter().map(|of| self.pairing(of)).collect();
        self.log(&Entry::Pairings { arena, matches: pairings })?;
        let records = block.matches.iter().map(record).collect();
        let logged = self.log(&Entry::Results { arena, matches: records })?;
        for of in &block.matches {
            self.write_match(of, logged)?;
        }
        self.blocks += 1;
        if self.blocks.is_multiple_of(BLOCKS) {
            self.connection.execute_batch("COMMIT; BEGIN")?;
        }
        Ok(())
    }

    fn hand_in(&mut self, at: usize) -> Result<()> {
        let Version { id, bot, number, .. } = self.versions[at];
        let bot = self.bots[bot].id;
        let (source, built) = (self.version.source.parse()?, self.version.built.parse()?);
        let arena = self.arena as u64;
        self.log(&Entry::HandIn { arena, bot, version: id, number, source, nonce: None })?;
        self.log(&Entry::Ready { version: id, built })?;
        Ok(())
    }

    fn pairing(&self, of: &Fought) -> Pairing {
        let versions = of.versions.map(|at| self.versions[at].id).to_vec();
        Pairing { number: of.number, seed: of.seed.to_string(), versions }
    }

    fn write_match(&mut self, of: &Fought, logged: u64) -> Result<()> {
        let outcome = format!("{{\"reason\":\"a run after {} turns\"}}", of.turns);
        let sql = "INSERT INTO matches (arena, number, state, seed, planned, played, ms, turns,
                logged, outcome, state_hash)
            VALUES (?1, ?2, 'played', ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
        let (number, ms) = (of.number as i64, of.ms as i64);
        self.connection.prepare_cached(sql)?.execute((
            self.arena,
            number,
            of.seed as i64,
            of.at - ms - 40,
            of.at,
            ms,
            of.turns as i64,
            logged as i64,
            &outcome,
            state_hash(of) as i64,
        ))?;
        for (seat, &at) in of.versions.iter().enumerate() {
            let sql = "INSERT INTO seats (arena, number, seat, version, place, cpu_us, decisions,
                    rating)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
            self.connection.prepare_cached(sql)?.execute((
                self.arena,
                number,
                seat as i64,
                self.versions[at].id as i64,
                of.places[seat],
                ms * 400,
                of.turns as i64 / 2,
                of.ratings[seat],
            ))?;
        }
        let [one, other] = of.versions.map(|at| at as u32);
        let (key, end) = match one < other {
            true => ((one, other), of.places),
            false => ((other, one), [of.places[1], of.places[0]]),
        };
        let end = 1 + end[0].cmp(&end[1]) as isize;
        self.meetings.entry(key).or_default()[end as usize] += 1;
        Ok(())
    }

    /// Writes all that depends on the last match: what is known of versions, counts, the table.
    pub(super) fn end(mut self, world: &World) -> Result<()> {
        self.write_bots(world)?;
        let results = self.write_counts()?;
        self.write_pairs()?;
        self.meetings = Meetings::new();
        self.publish(results)?;
        self.connection.execute_batch("COMMIT")?;
        for sql in &self.indexes {
            self.connection.execute_batch(sql)?;
        }
        // As the server leaves it.
        self.connection.execute_batch("PRAGMA journal_mode = wal")?;
        Ok(())
    }

    fn write_bots(&self, world: &World) -> Result<()> {
        for (number, bot) in world.bots.iter().enumerate() {
            let sql = "INSERT INTO people (id, name, shown, role, created)
                VALUES (?1, ?2, ?3, 'author', ?4)";
            let owner = bot.owner as i64;
            let (name, shown) =
                (format!("author-{}", number + 1), format!("Author-{}", number + 1));
            self.connection.prepare_cached(sql)?.execute((owner, name, shown, BEGIN))?;
            let sql = "INSERT INTO bots (id, arena, owner, slug, name, active, created)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let slug = bot.name.replace(' ', "-");
            let active = world.versions[bot.active].id as i64;
            let row = (bot.id as i64, self.arena, owner, slug, &bot.name, active, BEGIN);
            self.connection.prepare_cached(sql)?.execute(row)?;
        }
        world.versions.iter().try_for_each(|version| self.write_version(world, version))
    }

    fn write_version(&self, world: &World, version: &Version) -> Result<()> {
        let sql = "INSERT INTO versions (id, bot, number, state, source, built, run, language,
                message, created, ready, report, mu, sigma, matches, wins, ties, losses, pass,
                mean_us, seats)
            VALUES (?1, ?2, ?3, 'ready', ?4, ?5, ?6, ?7, '', ?8, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
                ?15, ?16, ?17, ?18)";
        let (of, entrant) = (&self.version, &version.entrant);
        let created = time(version.from, self.matches);
        let [wins, ties, losses] = version.results.map(|count| count as i64);
        self.connection.prepare_cached(sql)?.execute(rusqlite::params![
            version.id as i64,
            world.bots[version.bot].id as i64,
            version.number,
            of.source,
            of.built,
            of.run,
            of.language,
            created,
            of.report,
            entrant.skill.mu,
            entrant.skill.sigma,
            entrant.matches as i64,
            wins,
            ties,
            losses,
            entrant.pass as i64,
            entrant.mean_us as i64,
            serde_json::to_string(&entrant.seats)?,
        ])?;
        Ok(())
    }

    /// Writes the counts with their totals, and returns them as tables are made of them.
    fn write_counts(&self) -> Result<CountedResults> {
        const PLACES: [[u32; 2]; 3] = [[1, 2], [1, 1], [2, 1]];
        let mut all = Vec::with_capacity(self.meetings.len());
        for (&(one, other), ends) in &self.meetings {
            let [one, other] = [one, other].map(|at| self.versions[at as usize].id);
            for (places, &count) in PLACES.iter().zip(ends).filter(|(_, count)| **count > 0) {
                let (players, places) = match one < other {
                    true => ([one, other], *places),
                    false => ([other, one], [places[1], places[0]]),
                };
                all.push((players, places, count));
            }
        }
        // In the order of the table.
        all.sort_unstable();
        let sql = "INSERT INTO totals (arena, matches, results) VALUES (?1, ?2, ?3)";
        self.connection.execute(sql, (self.arena, self.matches as i64, all.len() as i64))?;
        let sql = "INSERT INTO counts (arena, players, places, count) VALUES (?1, ?2, ?3, ?4)";
        let mut statement = self.connection.prepare(sql)?;
        let mut results = CountedResults::default();
        for (players, places, count) in all {
            let names = players.map(u64::to_be_bytes).concat();
            statement.execute((self.arena, names, places.map(|place| place as u8), count))?;
            results.add(&players.map(VersionId), &places, count.into())?;
        }
        Ok(results)
    }

    /// Writes the results of each version against each it met.
    fn write_pairs(&self) -> Result<()> {
        let id = |at: u32| self.versions[at as usize].id as i64;
        let mut all = Vec::with_capacity(2 * self.meetings.len());
        for (&(one, other), &[wins, ties, losses]) in &self.meetings {
            all.push((id(one), id(other), wins, ties, losses));
            all.push((id(other), id(one), losses, ties, wins));
        }
        all.sort_unstable();
        let sql = "INSERT INTO pairs (version, other, wins, ties, losses)
            VALUES (?1, ?2, ?3, ?4, ?5)";
        let mut statement = self.connection.prepare(sql)?;
        for row in all {
            statement.execute(row)?;
        }
        Ok(())
    }

    /// Publishes the table of all matches.
    fn publish(&mut self, results: CountedResults) -> Result<()> {
        let (arena, size) = (self.arena as u64, self.log.size);
        let body = Table::of(arena, size, results).context("the table")?.text();
        let digest = Digest::of(body.as_bytes());
        self.log(&Entry::Table { arena, size, digest })?;
        let sql = "INSERT INTO published (arena, matches, made, body) VALUES (?1, ?2, ?3, ?4)";
        let at = time(self.matches, self.matches);
        self.connection.execute(sql, (self.arena, self.matches as i64, at, body))?;
        Ok(())
    }
}

fn record(of: &Fought) -> MatchRecord {
    MatchRecord {
        number: of.number,
        places: of.places.to_vec(),
        steps: of.turns,
        state_hash: format!("{:#018x}", state_hash(of)),
        // There are no replays.
        record: Digest::of(&of.seed.to_le_bytes()),
    }
}

fn state_hash(of: &Fought) -> u64 {
    of.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The log so far.
#[derive(Default)]
struct Log {
    /// How many entries it has.
    size: u64,
    /// The hashes of each level that are in no whole tile yet.
    levels: Vec<Vec<Hash>>,
    /// How many whole tiles each level has.
    tiles: Vec<u64>,
}

impl Log {
    /// Adds an entry; returns its number.
    fn add(&mut self, connection: &Connection, entry: &Entry) -> Result<u64> {
        let text = entry.text();
        let number = self.size;
        connection
            .prepare_cached("INSERT INTO log (number, entry) VALUES (?1, ?2)")?
            .execute((number as i64, pack(&text)))?;
        self.size += 1;
        self.hash(connection, 0, record_hash(text.as_bytes()))?;
        Ok(number)
    }

    /// Adds a hash to a level, and the root of each tile that it completes.
    fn hash(&mut self, connection: &Connection, level: usize, hash: Hash) -> Result<()> {
        if self.levels.len() == level {
            self.levels.push(Vec::new());
            self.tiles.push(0);
        }
        self.levels[level].push(hash);
        if (self.levels[level].len() as u64) < WIDTH {
            return Ok(());
        }
        let root = above(&std::mem::take(&mut self.levels[level]));
        let number = self.tiles[level];
        self.tiles[level] += 1;
        let height = (level as i64 + 1) * i64::from(HEIGHT);
        connection
            .prepare_cached("INSERT INTO log_tiles (level, number, hash) VALUES (?1, ?2, ?3)")?
            .execute((height, number as i64, &root.0[..]))?;
        self.hash(connection, level + 1, root)
    }
}
