//! Checks a whole log: its entries, the published tables, and the matches, which are played again.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Purpose, Seed};
use agon_games::GameId;
use agon_match::replay::{Damage, Replay, Verdict};
use agon_match::spec::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ledger::follow::{check_length, entries_of, rewritten, text};
use crate::ledger::tree::{Frontier, WIDTH};
use crate::ledger::{
    ArenaBook, Books, Draw, Entry, FinalBook, FinalTerms, Head, Inputs, LINKS, LogError, Played,
    Remembered, Source, Table, check_draw, check_plan, note,
};

/// Which matches are played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// All.
    All,
    /// So many, chosen by a seed that the server cannot know.
    Some(usize, Seed),
}

impl Default for Sample {
    fn default() -> Sample {
        Sample::Some(0, Seed(0))
    }
}

/// A version that an author handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct HandedIn {
    /// The arena.
    pub arena: u64,
    /// The bot.
    pub bot: u64,
    /// The version.
    pub version: u64,
    /// The number of the version, from 1.
    pub number: u32,
}

impl Sample {
    /// Returns the parts of a draw's hashes that are computed again: all, or one for five matches,
    /// because each takes seconds.
    fn parts(self) -> Vec<usize> {
        match self {
            Sample::All => (0..LINKS).collect(),
            Sample::Some(matches, seed) => {
                let mut parts: Vec<usize> = (0..LINKS).collect();
                seed.stream(Purpose::Order, 1).shuffle(&mut parts);
                parts.truncate(matches.div_ceil(5).min(LINKS));
                parts
            }
        }
    }
}

/// What is checked.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// What is remembered of the log.
    pub remembered: Option<Remembered>,
    /// Which matches are played again.
    pub sample: Sample,
    /// Of which arena; of all if there is none.
    pub arena: Option<u64>,
    /// Only matches of versions that were handed in with these files.
    pub files: Option<Digest>,
}

/// How far the check is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many of so many entries are read.
    Entries(u64, u64),
    /// So many of so many matches were played again.
    Matches(u64, u64),
    /// So many of so many parts of a draw were computed again.
    Parts(u64, u64),
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The arena, if it is about one.
    pub arena: Option<u64>,
    /// The match, if it is about one.
    pub number: Option<u64>,
    /// What is wrong, in a sentence.
    pub what: String,
}

/// What a check found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// What to remember of the log.
    pub remembered: Option<Remembered>,
    /// Its entries.
    pub entries: u64,
    /// Whether its begin is what was remembered.
    pub grew: bool,
    /// Versions that people handed in.
    pub versions: u64,
    /// Those with the files that were asked for.
    #[serde(skip)]
    pub same_files: Vec<HandedIn>,
    /// Matches that were played.
    pub matches: u64,
    /// Matches that were played again, and are as the log says.
    pub proven: u64,
    /// Matches of the sample whose replays are not kept any more.
    pub missing: u64,
    /// Matches and tables that this Agon cannot check, because it has other rules.
    pub other_rules: u64,
    /// Published tables that were computed again, with the same digits.
    pub tables: u64,
    /// Finals whose draws are as the log says.
    pub finals: u64,
    /// Those of them whose matches are not all played.
    pub unfinished: u64,
    /// Parts of the hashes of draws that were computed again.
    pub parts: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// A match as the pages of the server show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownMatch {
    /// Its number.
    pub number: u64,
    /// The version of each player.
    pub versions: Vec<u64>,
    /// The place of each player; empty without a result.
    pub places: Vec<u32>,
    /// The hash of the last state; empty without a result.
    pub state_hash: String,
}

/// The terms of an arena, as far as a match must keep to them.
#[derive(Clone, Debug, Deserialize)]
pub struct Terms {
    /// The game.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// Its settings.
    pub rules: Value,
    /// How bots are run, as the server wrote it.
    #[serde(default)]
    pub matches: Value,
    /// How many bots play in a match.
    pub players: usize,
    /// Its final, if it has one.
    #[serde(default)]
    pub finals: Option<FinalTerms>,
    /// The rest.
    #[serde(flatten)]
    pub rest: BTreeMap<String, Value>,
}

/// A match that was played again, as the log says.
#[derive(Clone, Copy, Debug)]
pub struct Proven<'a> {
    /// The match in the log.
    pub played: &'a Played,
    /// The terms of its arena.
    pub terms: &'a Terms,
    /// The game.
    pub game: GameId,
    /// Its replay.
    pub replay: &'a Replay,
    /// The versions with the files that were asked for.
    pub same_files: &'a [HandedIn],
}

/// Checks a whole log. `watch` hears how far it is, and `visit` gets each match of the sample that
/// is proven.
///
/// # Errors
/// If the log cannot be read, was rewritten, or contradicts itself, and if there are no versions
/// with the files of [`Audit::files`]. What else is wrong is in the report.
pub fn audit(
    source: &dyn Source,
    options: &Audit,
    mut watch: impl FnMut(Progress),
    mut visit: impl FnMut(Proven<'_>),
) -> Result<Report, LogError> {
    let mut auditor =
        Auditor { source, options, report: Report::default(), terms: BTreeMap::new() };
    let (books, chosen) = auditor.read(&mut watch)?;
    if options.files.is_some() && auditor.report.same_files.is_empty() {
        return Err(LogError::NoSuchFiles(books.handed_in));
    }
    let total = chosen.len() as u64;
    for (number, played) in chosen.iter().enumerate() {
        watch(Progress::Matches(number as u64, total));
        auditor.check_match(&books, played, &mut visit)?;
    }
    for (&arena, book) in &books.arenas {
        if options.arena.is_none_or(|only| only == arena) {
            auditor.check_table(arena, book)?;
            auditor.check_final(&books, arena, book, &mut watch)?;
        }
    }
    auditor.report.versions = books.handed_in;
    auditor.report.matches = books.played;
    Ok(auditor.report)
}

struct Auditor<'a> {
    source: &'a dyn Source,
    options: &'a Audit,
    report: Report,
    /// The terms by digest, once they were read.
    terms: BTreeMap<Digest, Option<Terms>>,
}

impl Auditor<'_> {
    /// Reads all entries, and chooses matches.
    fn read(&mut self, watch: &mut impl FnMut(Progress)) -> Result<(Books, Vec<Played>), LogError> {
        let note = text(self.source, "log/checkpoint")?;
        let served = text(self.source, "log/key")?.trim().to_owned();
        let head = note::open(&note, &served)?;
        let remembered = self.options.remembered.as_ref();
        let mut key = remembered.map_or(served.clone(), |remembered| remembered.key.clone());
        let mut books = Books::default();
        let mut chosen = Chosen {
            sample: self.options.sample,
            arena: self.options.arena,
            admitted: self.options.files.map(|_| BTreeSet::new()),
            by_rank: BTreeMap::new(),
        };
        let mut frontier = Frontier::default();
        self.compare_begin(&frontier, &head)?;
        for tile in 0..head.size.div_ceil(WIDTH) {
            watch(Progress::Entries(tile * WIDTH, head.size));
            for (at, text) in entries_of(self.source, tile, head.size)? {
                frontier.add(text.as_bytes());
                self.compare_begin(&frontier, &head)?;
                let wrong = |why: String| LogError::wrong(format!("entry {at}: {why}"));
                let entry = Entry::parse(&text).map_err(|error| wrong(error.to_string()))?;
                if remembered.is_some_and(|remembered| at >= remembered.size)
                    && let Some(next) = note::succeeded(&key, &entry)?
                {
                    key = next;
                }
                self.note_files(&entry, &mut chosen);
                books
                    .add(at, &entry, |played| chosen.offer(played))
                    .map_err(|error| wrong(error.to_string()))?;
            }
        }
        if frontier.root() != head.root {
            return Err(LogError::entries());
        }
        if key != served {
            return Err(LogError::Signature);
        }
        self.report.entries = head.size;
        self.report.remembered = Some(Remembered::of(&key, &head));
        Ok((books, chosen.by_rank.into_values().collect()))
    }

    /// Notes a version with the files that were asked for.
    fn note_files(&mut self, entry: &Entry, chosen: &mut Chosen) {
        let Entry::HandIn { arena, bot, version, number, source, .. } = *entry else { return };
        let is_meant = self.options.arena.is_none_or(|only| only == arena);
        if is_meant && self.options.files == Some(source) {
            chosen.admitted.get_or_insert_default().insert(version);
            self.report.same_files.push(HandedIn { arena, bot, version, number });
        }
    }

    /// Compares the begin of the log with what is remembered.
    fn compare_begin(&mut self, frontier: &Frontier, head: &Head) -> Result<(), LogError> {
        let Some(remembered) = &self.options.remembered else { return Ok(()) };
        let (size, root) = remembered.head()?;
        check_length(size, head)?;
        if frontier.size() == size {
            if frontier.root() != root {
                return Err(rewritten(size));
            }
            self.report.grew = true;
        }
        Ok(())
    }

    fn find(&mut self, arena: u64, number: Option<u64>, what: impl Into<String>) {
        self.report.findings.push(Finding { arena: Some(arena), number, what: what.into() });
    }

    /// Returns the terms of an arena.
    fn terms(&mut self, arena: u64, digest: Option<Digest>) -> Result<Option<Terms>, LogError> {
        let Some(digest) = digest else {
            self.find(arena, None, "the log does not say its terms");
            return Ok(None);
        };
        if let Some(terms) = self.terms.get(&digest) {
            return Ok(terms.clone());
        }
        let path = format!("log/terms/{digest}.json");
        let terms = match optional(self.source.get(&path))? {
            Some(bytes) if Digest::of(&bytes) == digest => serde_json::from_slice(&bytes).ok(),
            _ => None,
        };
        if terms.is_none() {
            self.find(arena, None, "its terms are not those of the log");
        }
        self.terms.insert(digest, terms.clone());
        Ok(terms)
    }

    /// Plays a match again, and compares it with the log.
    fn check_match(
        &mut self,
        books: &Books,
        played: &Played,
        visit: &mut impl FnMut(Proven<'_>),
    ) -> Result<(), LogError> {
        let Played { arena, pairing, record } = played;
        let number = Some(pairing.number);
        let shown = format!("log/results/{arena}/{}.json", pairing.number);
        let expected = ShownMatch {
            number: pairing.number,
            versions: pairing.versions.clone(),
            places: record.places.clone(),
            state_hash: record.state_hash.clone(),
        };
        match optional(self.source.get(&shown))? {
            None => self.find(*arena, number, "the log has this match, but the pages do not"),
            Some(bytes) if serde_json::from_slice(&bytes).ok() != Some(expected) => {
                self.find(*arena, number, "the pages show another result than the log");
            }
            Some(_) => {}
        }
        let terms = self.terms(*arena, books.arenas.get(arena).and_then(|book| book.terms))?;
        let Some(terms) = terms else { return Ok(()) };
        let path = format!("log/replays/{arena}/{}.agon", pairing.number);
        let Some(bytes) = optional(self.source.get(&path))? else {
            self.report.missing += 1;
            return Ok(());
        };
        match prove(&bytes, played, &terms) {
            Ok((game, replay)) => {
                self.report.proven += 1;
                let same_files = &self.report.same_files;
                visit(Proven { played, terms: &terms, game, replay: &replay, same_files });
            }
            Err(Difference::OtherRules) => self.report.other_rules += 1,
            Err(Difference::Found(what)) => self.find(*arena, number, what),
        }
        Ok(())
    }

    /// Computes the last published table again, and compares it with the one that is served.
    fn check_table(&mut self, arena: u64, book: &ArenaBook) -> Result<(), LogError> {
        let Some((_, digest)) = book.table else { return Ok(()) };
        let served = optional(self.source.get(&format!("log/tables/{arena}.json")))?;
        let Some(served) = served else {
            self.find(arena, None, "the log has a published table, but the server does not");
            return Ok(());
        };
        let same = |what: &Table| served == what.text().as_bytes();
        let parsed: Option<Table> = serde_json::from_slice(&served).ok();
        match (parsed, book.table(arena)) {
            (None, _) => self.find(arena, None, "its published table cannot be read"),
            (_, Err(error)) => {
                self.find(arena, None, format!("its results cannot be rated: {error}"));
            }
            // A newer one was published while the log was read.
            (Some(parsed), _) if parsed.size > book.table.map_or(0, |(size, _)| size) => {}
            (Some(_), _) if Digest::of(&served) != digest => {
                self.find(arena, None, "its published table is not the one of the log");
            }
            (Some(parsed), Ok(Some(own))) if parsed.agon != own.agon => {
                self.report.other_rules += 1;
            }
            (Some(_), Ok(Some(own))) if same(&own) => self.report.tables += 1,
            (Some(_), Ok(_)) => {
                self.find(arena, None, "its published table does not follow from its results");
            }
        }
        Ok(())
    }

    /// Checks the final of an arena: its draw, its terms, its matches.
    fn check_final(
        &mut self,
        books: &Books,
        arena: u64,
        book: &ArenaBook,
        watch: &mut impl FnMut(Progress),
    ) -> Result<(), LogError> {
        let FinalBook { inputs: Some(_), drawn, .. } = &book.finals else { return Ok(()) };
        let served = optional(self.source.get(&format!("log/finals/{arena}.json")))?;
        let draw: Option<Draw> = served.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let Some(draw) = draw else {
            self.find(arena, None, "the log has a final, but the server does not show its draw");
            return Ok(());
        };
        if let Err(what) = check_draw(books, arena, &draw) {
            self.find(arena, None, what);
            return Ok(());
        }
        // It is being computed.
        let Some(drawn) = drawn else { return Ok(()) };
        let terms = self.terms(arena, book.terms)?;
        let final_book = books.arenas.get(&drawn.into);
        let of_final = self.terms(drawn.into, final_book.and_then(|book| book.terms))?;
        let (Some(terms), Some(of_final)) = (terms, of_final) else { return Ok(()) };
        let Inputs { steps, players, games, .. } = draw.inputs;
        if terms.finals != Some(FinalTerms { games, steps }) || terms.players != players {
            self.find(arena, None, "its draw has other numbers than its terms");
            return Ok(());
        }
        if !terms.plays_as(&of_final) {
            self.find(drawn.into, None, "the final has other rules or limits than the season");
        }
        let planned = check_plan(books, drawn, &draw);
        if let Err((number, what)) = planned {
            self.find(drawn.into, number, what);
        }
        let parts = self.options.sample.parts();
        for (done, &part) in parts.iter().enumerate() {
            watch(Progress::Parts(done as u64, parts.len() as u64));
            match draw.check_part(part) {
                Ok(()) => self.report.parts += 1,
                Err(error) => self.find(arena, None, format!("the draw of its final: {error}")),
            }
        }
        self.report.finals += 1;
        let planned = draw.inputs.matches(drawn.seed).map_or(0, |matches| matches.len());
        let played = final_book.map_or(0, ArenaBook::with_results);
        self.report.unfinished += u64::from(played < planned);
        Ok(())
    }
}

impl Terms {
    /// Returns whether matches are played in the same way.
    fn plays_as(&self, other: &Terms) -> bool {
        let all = |terms: &Terms| {
            let rest = ["max_turns", "preset"].map(|name| terms.rest.get(name).cloned());
            let Terms { game, rules_version, rules, matches, players, .. } = terms.clone();
            (game, rules_version, rules, matches, players, rest)
        };
        all(self) == all(other)
    }
}

/// The matches that are played again: those with the smallest numbers by a secret order.
#[derive(Debug)]
struct Chosen {
    sample: Sample,
    /// Of which arena; of all if there is none.
    arena: Option<u64>,
    /// The versions of whom matches are wanted; `None` for those of all.
    admitted: Option<BTreeSet<u64>>,
    by_rank: BTreeMap<(u64, u64, u64), Played>,
}

impl Chosen {
    fn offer(&mut self, played: Played) {
        let number = played.record.number;
        if self.arena.is_some_and(|only| only != played.arena) {
            return;
        }
        let versions = &played.pairing.versions;
        if self.admitted.as_ref().is_some_and(|all| versions.iter().all(|one| !all.contains(one))) {
            return;
        }
        let (most, rank) = match self.sample {
            Sample::All => (usize::MAX, 0),
            Sample::Some(most, seed) => (most, seed.derive(played.arena).derive(number).number()),
        };
        self.by_rank.insert((rank, played.arena, number), played);
        while self.by_rank.len() > most {
            self.by_rank.pop_last();
        }
    }
}

/// Returns what is there; `None` if it is missing.
fn optional(read: Result<Vec<u8>, LogError>) -> Result<Option<Vec<u8>>, LogError> {
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(LogError::Missing(_)) => Ok(None),
        Err(failed) => Err(failed),
    }
}

/// How a match differs from the log.
#[derive(Debug)]
enum Difference {
    OtherRules,
    Found(String),
}

/// Compares a replay with what the log says of its match, and plays it again.
fn prove(bytes: &[u8], played: &Played, terms: &Terms) -> Result<(GameId, Replay), Difference> {
    let Played { pairing, record, .. } = played;
    let found = |what: &str| Difference::Found(what.to_owned());
    let replay =
        Replay::open(bytes).map_err(|error| Difference::Found(format!("its replay: {error}")))?;
    if record_digest(&replay).ok() != Some(record.record) {
        return Err(found("its replay is not the one of the log"));
    }
    let header = replay.header();
    let rules: Option<Value> = serde_json::from_str(header.rules.get()).ok();
    if header.game != terms.game || rules.as_ref() != Some(&terms.rules) {
        return Err(found("it was played with other settings than the arena's"));
    }
    if !pairing.has_seed(played.arena, header.seed.number()) {
        return Err(found("it was played with another seed than planned"));
    }
    if header.players.len() != pairing.versions.len() {
        return Err(found("others played than planned"));
    }
    let Ok(game) = terms.game.parse::<GameId>() else { return Err(Difference::OtherRules) };
    if game.meta().rules_version != header.rules_version {
        return Err(Difference::OtherRules);
    }
    match replay.verify(game.kind()) {
        Verdict::Proven { .. } => {}
        Verdict::Unproven { reason, .. } => {
            return Err(Difference::Found(format!("played again, it differs: {reason}")));
        }
    }
    let result = replay.result().ok_or_else(|| found("its replay has no result"))?;
    let places: Vec<u32> = result.standing.players.iter().map(|player| player.place).collect();
    let state_hash = format!("{:#018x}", result.state_hash);
    if places != record.places || state_hash != record.state_hash || result.steps != record.steps {
        return Err(found("its result is not the one of the log"));
    }
    Ok((game, replay))
}

/// Returns the digest of what a replay says of its match: rules, seed, answers, states, result.
///
/// It leaves out what a server shows to some people only ([`Replay::redacted`]), and the names of
/// the bots, which are others for people ([`Replay::renamed`]).
pub fn record_digest(replay: &Replay) -> Result<Digest, Damage> {
    Ok(Digest::of(&replay.record()?))
}
