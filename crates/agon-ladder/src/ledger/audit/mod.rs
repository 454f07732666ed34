//! Checks a whole log: its entries, the published tables, and the matches.

mod finals;

use std::collections::BTreeMap;

use agon_match::spec::Digest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ledger::{
    ArenaBook, Books, ConsistencyError, Entry, FollowError, HandedIn, Head, NoteError, Played,
    Proven, Remembered, Sample, Source, SourceError, Table, Terms,
    follow::{entries_of, text},
    note,
    proof::{Difference, prove},
    sample::Chosen,
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
}

/// Returns what is there; `None` if it is missing.
fn optional(read: Result<Vec<u8>, SourceError>) -> Result<Option<Vec<u8>>, AuditError> {
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(SourceError::Missing(_)) => Ok(None),
        Err(failed) => Err(FollowError::from(failed).into()),
    }
}
