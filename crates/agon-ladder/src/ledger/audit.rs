//! Checks a whole log: its entries, the published tables, and the matches.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Purpose, Seed};
use agon_match::spec::Digest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ledger::{
    ArenaBook, Books, ConsistencyError, Draw, Entry, FinalBook, FinalTerms, FollowError, Head,
    Inputs, LINKS, NoteError, Played, Proven, Remembered, Source, SourceError, Table, Terms,
    check_draw, check_plan,
    follow::{entries_of, text},
    note,
    proof::{Difference, prove},
    tree::{Frontier, WIDTH},
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
    /// Nobody handed in the files that were asked for.
    #[error("none of its {versions} versions was handed in with these files")]
    NoSuchFiles {
        /// How many versions it has.
        versions: u64,
    },
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
    watch: impl FnMut(Progress),
) -> Result<Report, AuditError> {
    audit_with(source, options, watch, |_| {})
}

/// Checks a whole log, as [`audit()`]. `visit` gets each match of the sample that is proven.
///
/// # Errors
/// As [`audit()`], and if there are no versions with the files of [`Audit::files`].
pub fn audit_with(
    source: &dyn Source,
    options: &Audit,
    mut watch: impl FnMut(Progress),
    mut visit: impl FnMut(Proven<'_>),
) -> Result<Report, AuditError> {
    let mut auditor =
        Auditor { source, options, report: Report::default(), terms: BTreeMap::new() };
    let (books, chosen) = auditor.read(&mut watch)?;
    if options.files.is_some() && auditor.report.same_files.is_empty() {
        return Err(AuditError::NoSuchFiles { versions: books.handed_in });
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
        let mut chosen =
            Chosen::new(self.options.sample, self.options.arena, self.options.files.is_none());
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
                self.note_files(&entry, &mut chosen);
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

    /// Notes a version with the files that were asked for.
    fn note_files(&mut self, entry: &Entry, chosen: &mut Chosen) {
        let Entry::HandIn { arena, bot, version, number, source, .. } = *entry else { return };
        let is_meant = self.options.arena.is_none_or(|only| only == arena);
        if is_meant && self.options.files == Some(source) {
            chosen.admit(version);
            self.report.same_files.push(HandedIn { arena, bot, version, number });
        }
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
    fn check_match(
        &mut self,
        books: &Books,
        played: &Played,
        visit: &mut impl FnMut(Proven<'_>),
    ) -> Result<(), AuditError> {
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

    /// Checks the final of an arena: its draw, its terms, its matches.
    fn check_final(
        &mut self,
        books: &Books,
        arena: u64,
        book: &ArenaBook,
        watch: &mut impl FnMut(Progress),
    ) -> Result<(), AuditError> {
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
    /// Chooses among all matches, or among those of admitted versions.
    fn new(sample: Sample, arena: Option<u64>, is_open: bool) -> Chosen {
        let admitted = (!is_open).then(BTreeSet::new);
        Chosen { sample, arena, admitted, by_rank: BTreeMap::new() }
    }

    /// Admits the matches of a version.
    fn admit(&mut self, version: u64) {
        self.admitted.get_or_insert_default().insert(version);
    }

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

    fn done(self) -> Vec<Played> {
        self.by_rank.into_values().collect()
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
