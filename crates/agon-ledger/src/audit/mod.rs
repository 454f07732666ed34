//! Checks a whole log: its entries, the published tables, and the matches.

mod finals;

use std::collections::BTreeMap;

use agon_core::Seed;
use agon_games::GameId;
use agon_replay::{Replay, Verdict};
use agon_spec::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

pub use finals::FinalTerms;

use crate::{
    ArenaBook, Books, ConsistencyError, Entry, FollowError, Head, NoteError, Played, Remembered,
    Source, SourceError, Table,
    follow::{entries_of, text},
    note, record_digest,
    tree::{Frontier, WIDTH},
};

/// What is checked.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// What is remembered of the log.
    pub remembered: Option<Remembered>,
    /// Which matches are played again.
    pub sample: Sample,
    /// Of which arena; of all if there is none.
    pub arena: Option<u64>,
}

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
    /// Parts of the hashes of draws that were computed again.
    pub parts: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Why a log is no log of a ladder.
#[derive(Debug, Error)]
pub enum AuditError {
    /// The log cannot be read, or is not the one that it was.
    #[error(transparent)]
    Follow(#[from] FollowError),
    /// An entry is none, or contradicts an earlier one.
    #[error("entry {number}: {why}")]
    Entry {
        /// Its number, from 0.
        number: u64,
        /// What is wrong.
        why: String,
    },
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
    /// How many bots play in a match.
    pub players: usize,
    /// Its final, if it has one.
    #[serde(default)]
    pub finals: Option<FinalTerms>,
    /// The rest: a final has the same.
    #[serde(flatten)]
    pub rest: BTreeMap<String, Value>,
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

/// Checks a whole log. `watch` hears how far it is.
///
/// # Errors
/// If the log cannot be read, was rewritten, or contradicts itself. What else is wrong is in the
/// report.
pub fn audit(
    source: &dyn Source,
    options: &Audit,
    mut watch: impl FnMut(Progress),
) -> Result<Report, AuditError> {
    let mut auditor =
        Auditor { source, options, report: Report::default(), terms: BTreeMap::new() };
    let (books, chosen) = auditor.read(&mut watch)?;
    let total = chosen.len() as u64;
    for (number, played) in chosen.iter().enumerate() {
        watch(Progress::Matches(number as u64, total));
        auditor.check_match(&books, played)?;
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
    fn read(
        &mut self,
        watch: &mut impl FnMut(Progress),
    ) -> Result<(Books, Vec<Played>), AuditError> {
        let note = text(self.source, "log/checkpoint")?;
        let served = text(self.source, "log/key")?.trim().to_owned();
        let head = note::open(&note, &served).map_err(FollowError::from)?;
        let remembered = self.options.remembered.as_ref();
        let mut key = remembered.map_or(served.clone(), |remembered| remembered.key.clone());
        let mut books = Books::default();
        let mut chosen = Chosen::new(self.options);
        let mut frontier = Frontier::default();
        self.compare_begin(&frontier, &head)?;
        for tile in 0..head.size.div_ceil(WIDTH) {
            watch(Progress::Entries(tile * WIDTH, head.size));
            for (at, text) in entries_of(self.source, tile, head.size)? {
                frontier.add(text.as_bytes());
                self.compare_begin(&frontier, &head)?;
                let wrong = |why: String| AuditError::Entry { number: at, why };
                let entry = Entry::parse(&text).map_err(|error| wrong(error.to_string()))?;
                if remembered.is_some_and(|remembered| at >= remembered.size)
                    && let Some(next) = note::succeeded(&key, &entry).map_err(FollowError::from)?
                {
                    key = next;
                }
                books
                    .add(at, &entry, |played| chosen.offer(played))
                    .map_err(|error| wrong(error.to_string()))?;
            }
        }
        if frontier.root() != head.root {
            return Err(FollowError::Entries.into());
        }
        if key != served {
            return Err(FollowError::from(NoteError::Signature).into());
        }
        self.report.entries = head.size;
        self.report.remembered = Some(Remembered::of(&key, &head));
        Ok((books, chosen.done()))
    }

    /// Compares the begin of the log with what is remembered.
    fn compare_begin(&mut self, frontier: &Frontier, head: &Head) -> Result<(), AuditError> {
        let Some(remembered) = &self.options.remembered else { return Ok(()) };
        let (size, root) = remembered.head()?;
        if head.size < size {
            let shorter = ConsistencyError::Shorter { before: size, after: head.size };
            return Err(FollowError::from(shorter).into());
        }
        if frontier.size() == size {
            if frontier.root() != root {
                let rewritten = ConsistencyError::Rewritten { size };
                return Err(FollowError::from(rewritten).into());
            }
            self.report.grew = true;
        }
        Ok(())
    }

    fn find(&mut self, arena: u64, number: Option<u64>, what: impl Into<String>) {
        self.report.findings.push(Finding { arena: Some(arena), number, what: what.into() });
    }

    /// Returns the terms of an arena.
    fn terms(&mut self, arena: u64, digest: Option<Digest>) -> Result<Option<Terms>, AuditError> {
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
    fn check_match(&mut self, books: &Books, played: &Played) -> Result<(), AuditError> {
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
        match compare(&bytes, played, &terms) {
            Ok(()) => self.report.proven += 1,
            Err(Difference::OtherRules) => self.report.other_rules += 1,
            Err(Difference::Found(what)) => self.find(*arena, number, what),
        }
        Ok(())
    }

    /// Computes the last published table again, and compares it with the one that is served.
    fn check_table(&mut self, arena: u64, book: &ArenaBook) -> Result<(), AuditError> {
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
}

/// Returns what is there; `None` if it is missing.
fn optional(read: Result<Vec<u8>, SourceError>) -> Result<Option<Vec<u8>>, AuditError> {
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(SourceError::Missing(_)) => Ok(None),
        Err(failed) => Err(FollowError::from(failed).into()),
    }
}

/// How a match differs from the log.
enum Difference {
    OtherRules,
    Found(String),
}

/// Compares a replay with what the log says of its match.
fn compare(bytes: &[u8], played: &Played, terms: &Terms) -> Result<(), Difference> {
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
    if header.seed.0.to_string() != pairing.seed {
        return Err(found("it was played with another seed than planned"));
    }
    if header.players.len() != pairing.versions.len() {
        return Err(found("others played than planned"));
    }
    let Ok(game) = terms.game.parse::<GameId>() else { return Err(Difference::OtherRules) };
    if game.meta().rules_version != header.rules_version {
        return Err(Difference::OtherRules);
    }
    match agon_match::verify(&replay, game) {
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
    Ok(())
}

/// The matches that are played again: those with the smallest numbers by a secret order.
struct Chosen<'a> {
    options: &'a Audit,
    by_rank: BTreeMap<(u64, u64, u64), Played>,
}

impl<'a> Chosen<'a> {
    fn new(options: &'a Audit) -> Chosen<'a> {
        Chosen { options, by_rank: BTreeMap::new() }
    }

    fn offer(&mut self, played: Played) {
        let number = played.record.number;
        if self.options.arena.is_some_and(|only| only != played.arena) {
            return;
        }
        let (most, rank) = match self.options.sample {
            Sample::All => (usize::MAX, 0),
            Sample::Some(most, seed) => (most, seed.derive(played.arena).derive(number).0),
        };
        self.by_rank.insert((rank, played.arena, number), played);
        while self.by_rank.len() > most {
            self.by_rank.pop_last();
        }
    }

    fn done(self) -> Vec<Played> {
        self.by_rank.into_values().collect()
    }
}
