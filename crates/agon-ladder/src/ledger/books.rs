//! What the entries of a log say together: which matches count, and what the tables must be.

use std::collections::BTreeMap;

use agon_core::Seed;
use agon_match::spec::Digest;
use agon_rating::RatingError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::ledger::{Drawn, Entry, FinalBook, MatchRecord, Pairing};
use crate::{CountedResults, PublishOptions, Published, VersionId, ledger::finals::nonce_fits};

/// How many rankings are drawn for the ranges of ranks of a published table.
const SAMPLES: usize = 500;

/// A published table: a pure function of the first entries of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The arena.
    pub arena: u64,
    /// How many entries of the log it is made of.
    pub size: u64,
    /// The version of Agon that computed it.
    pub agon: String,
    /// The ratings of all versions that have played a match that counts.
    pub table: Published,
}

impl Table {
    /// Computes the table of an arena. `size` says how many entries the results are from.
    pub fn of(arena: u64, size: u64, results: CountedResults) -> Result<Table, RatingError> {
        let options = PublishOptions { samples: SAMPLES, ..PublishOptions::default() };
        let table = results.published(&options)?;
        Ok(Table { arena, size, agon: env!("CARGO_PKG_VERSION").to_owned(), table })
    }

    /// Returns the table as it is served.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written as JSON")
    }
}

/// What an entry says that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each has its text")]
pub enum Contradiction {
    #[error("match {0} of arena {1} is planned twice")]
    PlannedTwice(u64, u64),
    #[error("match {0} of arena {1} has a result, but is not waiting for one")]
    NotWaiting(u64, u64),
    #[error("match {0} of arena {1} is annulled, but did not count")]
    NotCounted(u64, u64),
    #[error("match {0} of arena {1} counts again, but was not annulled")]
    NotAnnulled(u64, u64),
    #[error("match {0} of arena {1} has places for other players than were planned")]
    Places(u64, u64),
    #[error("match {0} of arena {1} has a version that was not handed in there")]
    Stranger(u64, u64),
    #[error("a table of arena {0} is made of a wrong number of entries")]
    TableSize(u64),
    #[error("version {0} is handed in twice")]
    HandedInTwice(u64),
    #[error("the nonce of version {0} does not fit, or is not expected")]
    Nonce(u64),
    #[error("the final of arena {0} is drawn in a wrong order")]
    Final(u64),
}

/// A match with its pairing and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The arena.
    pub arena: u64,
    /// Who was to play.
    pub pairing: Pairing,
    /// What came of it.
    pub record: MatchRecord,
}

/// What the log says of an arena.
#[derive(Clone, Debug, Default)]
pub struct ArenaBook {
    /// The digest of its terms.
    pub terms: Option<Digest>,
    /// The last match that was planned.
    pub last: u64,
    /// Its last published table: the number of entries that it is made of, and its digest.
    pub table: Option<(u64, Digest)>,
    /// Its final.
    pub finals: FinalBook,
    /// Its versions, in the order of the log.
    pub entered: Vec<u64>,
    /// Matches without a result.
    waiting: BTreeMap<u64, Pairing>,
    /// Different results; matches name them by their index.
    kinds: Vec<Key>,
    known: BTreeMap<Key, u32>,
    /// Which result each match has that counts.
    results: BTreeMap<u64, u32>,
    /// The results that annulled matches had.
    annulled: BTreeMap<u64, u32>,
    /// Results that are younger than the last table: number of the entry, result, and 1 or -1.
    changes: Vec<(u64, u32, i64)>,
    /// How often each result is in the last table.
    counts: Vec<i64>,
}

/// Players in order of their ids, and their places.
type Key = (Vec<u64>, Vec<u32>);

/// What the log says of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionBook {
    /// Its arena.
    pub arena: u64,
    /// Its bot.
    pub bot: u64,
    /// The digest of the files as they came; none for a built-in bot.
    pub source: Option<Digest>,
    /// The digest of the files that play, once they are built.
    pub built: Option<Digest>,
    /// The digest of its author's nonce.
    pub pledge: Option<Digest>,
    /// The nonce, once it is revealed.
    pub nonce: Option<String>,
}

/// What all entries of a log say.
#[derive(Clone, Debug, Default)]
pub struct Books {
    /// The arenas by id.
    pub arenas: BTreeMap<u64, ArenaBook>,
    /// The versions by id.
    pub versions: BTreeMap<u64, VersionBook>,
    /// The number of matches that were played.
    pub played: u64,
    /// The number of versions that people handed in.
    pub handed_in: u64,
}

impl Books {
    /// Takes the next entry. `at` is its number; `visit` gets the matches that it ends.
    pub fn add(
        &mut self,
        at: u64,
        entry: &Entry,
        mut visit: impl FnMut(Played),
    ) -> Result<(), Contradiction> {
        match entry {
            Entry::Arena { arena, terms } => {
                self.arena(*arena).terms = Some(*terms);
            }
            &Entry::HandIn { arena, bot, version, source, nonce, .. } => {
                self.handed_in += 1;
                let source = Some(source);
                let book = VersionBook { arena, bot, source, pledge: nonce, ..Default::default() };
                self.enter(version, book)?;
            }
            &Entry::Boss { arena, bot, version, .. } => {
                self.enter(version, VersionBook { arena, bot, ..VersionBook::default() })?;
            }
            Entry::Ready { version, built } => {
                if let Some(book) = self.versions.get_mut(version) {
                    book.built = Some(*built);
                }
            }
            &Entry::Pledge { arena, pledge } => {
                let finals = &mut self.arena(arena).finals;
                let is_new = finals.pledge.replace(pledge).is_none() && finals.inputs.is_none();
                is_new.then_some(()).ok_or(Contradiction::Final(arena))?;
            }
            Entry::Nonce { version, nonce } => self.reveal(*version, nonce)?,
            &Entry::Closed { arena, inputs } => {
                let finals = &mut self.arena(arena).finals;
                let is_due = finals.pledge.is_some() && finals.inputs.replace(inputs).is_none();
                is_due.then_some(()).ok_or(Contradiction::Final(arena))?;
            }
            &Entry::Drawn { arena, into, links, ref seed } => {
                let wrong = Contradiction::Final(arena);
                let seed = Seed::plain(seed.parse().map_err(|_| wrong.clone())?);
                let finals = &mut self.arena(arena).finals;
                let is_due = finals.inputs.is_some() && finals.drawn.is_none() && into != arena;
                finals.drawn = Some(Drawn { into, links, seed });
                is_due.then_some(()).ok_or(wrong)?;
                let is_new = self.arena(into).finals.of.replace(arena).is_none();
                is_new.then_some(()).ok_or(Contradiction::Final(into))?;
            }
            Entry::Pairings { arena, matches } => {
                for pairing in matches {
                    self.plan(*arena, pairing)?;
                }
            }
            Entry::Results { arena, matches } => {
                for record in matches {
                    self.played += 1;
                    let book = self.arena(*arena);
                    let pairing = book.result(at, *arena, record)?;
                    visit(Played { arena: *arena, pairing, record: record.clone() });
                }
            }
            Entry::GivenUp { arena, number } => {
                let book = self.arena(*arena);
                let waited = book.waiting.remove(number);
                waited.ok_or(Contradiction::NotWaiting(*number, *arena))?;
                // Of other arenas nobody asks.
                if book.finals.of.is_some() {
                    book.finals.given_up.push(*number);
                }
            }
            Entry::Annulled { arena, number } => {
                let book = self.arena(*arena);
                let kind = book.results.remove(number);
                let kind = kind.ok_or(Contradiction::NotCounted(*number, *arena))?;
                book.changes.push((at, kind, -1));
                book.annulled.insert(*number, kind);
            }
            Entry::Restored { arena, number } => {
                let book = self.arena(*arena);
                let kind = book.annulled.remove(number);
                let kind = kind.ok_or(Contradiction::NotAnnulled(*number, *arena))?;
                book.changes.push((at, kind, 1));
                book.results.insert(*number, kind);
            }
            Entry::Table { arena, size, digest } => {
                let book = self.arena(*arena);
                book.settle(at, *size).ok_or(Contradiction::TableSize(*arena))?;
                book.table = Some((*size, *digest));
            }
            Entry::Key { .. } => {}
        }
        Ok(())
    }

    fn arena(&mut self, id: u64) -> &mut ArenaBook {
        self.arenas.entry(id).or_default()
    }

    fn enter(&mut self, version: u64, book: VersionBook) -> Result<(), Contradiction> {
        self.arena(book.arena).entered.push(version);
        match self.versions.insert(version, book) {
            None => Ok(()),
            Some(_) => Err(Contradiction::HandedInTwice(version)),
        }
    }

    fn reveal(&mut self, version: u64, nonce: &str) -> Result<(), Contradiction> {
        let wrong = Contradiction::Nonce(version);
        let book = self.versions.get_mut(&version).ok_or(wrong.clone())?;
        let is_late =
            self.arenas.get(&book.arena).is_some_and(|arena| arena.finals.inputs.is_some());
        if is_late || book.nonce.is_some() || !nonce_fits(nonce, book.pledge) {
            return Err(wrong);
        }
        book.nonce = Some(nonce.to_owned());
        Ok(())
    }

    fn plan(&mut self, arena: u64, pairing: &Pairing) -> Result<(), Contradiction> {
        let Pairing { number, versions, .. } = pairing;
        let is_known = |version| self.versions.get(version).is_some_and(|book| book.arena == arena);
        if !versions.iter().all(is_known) {
            return Err(Contradiction::Stranger(*number, arena));
        }
        let book = self.arena(arena);
        // Numbers only grow, so one match is never planned twice.
        if *number <= book.last {
            return Err(Contradiction::PlannedTwice(*number, arena));
        }
        book.last = *number;
        if book.finals.of.is_some() {
            book.finals.planned.push(pairing.clone());
        }
        book.waiting.insert(*number, pairing.clone());
        Ok(())
    }
}

impl ArenaBook {
    fn result(
        &mut self,
        at: u64,
        arena: u64,
        record: &MatchRecord,
    ) -> Result<Pairing, Contradiction> {
        let number = record.number;
        let pairing = self.waiting.remove(&number);
        let pairing = pairing.ok_or(Contradiction::NotWaiting(number, arena))?;
        if pairing.versions.len() != record.places.len() {
            return Err(Contradiction::Places(number, arena));
        }
        let places = record.places.iter().copied();
        let mut both: Vec<(u64, u32)> = pairing.versions.iter().copied().zip(places).collect();
        both.sort_unstable();
        let key: Key = both.into_iter().unzip();
        let kind = match self.known.get(&key) {
            Some(&kind) => kind,
            None => {
                // Memory ends before there are so many.
                let kind = u32::try_from(self.kinds.len()).unwrap_or(u32::MAX);
                self.kinds.push(key.clone());
                self.counts.push(0);
                self.known.insert(key, kind);
                kind
            }
        };
        self.changes.push((at, kind, 1));
        self.results.insert(number, kind);
        Ok(pairing)
    }

    /// Counts what the first `size` entries say.
    fn settle(&mut self, at: u64, size: u64) -> Option<()> {
        let is_next = size <= at && self.table.is_none_or(|(before, _)| before <= size);
        let until = self.changes.partition_point(|(at, ..)| *at < size);
        for (_, kind, by) in self.changes.drain(..until) {
            self.counts[kind as usize] += by;
        }
        is_next.then_some(())
    }

    /// Returns how many matches have a result, annulled ones among them.
    pub fn with_results(&self) -> usize {
        self.results.len() + self.annulled.len()
    }

    /// Computes the last published table again.
    pub fn table(&self, arena: u64) -> Result<Option<Table>, RatingError> {
        let Some((size, _)) = self.table else { return Ok(None) };
        let mut results = CountedResults::default();
        for ((players, places), &times) in self.kinds.iter().zip(&self.counts) {
            if times > 0 {
                let players: Vec<VersionId> = players.iter().map(|&id| VersionId(id)).collect();
                results.add(&players, places, times.unsigned_abs())?;
            }
        }
        Table::of(arena, size, results).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handed_in(version: u64) -> Entry {
        let source = Digest::of(b"files");
        Entry::HandIn { arena: 1, bot: version, version, number: 1, source, nonce: None }
    }

    fn planned(number: u64) -> Entry {
        let pairing = Pairing { number, seed: "7".to_owned(), versions: vec![20, 10] };
        Entry::Pairings { arena: 1, matches: vec![pairing] }
    }

    fn played(number: u64, places: &[u32]) -> Entry {
        let record = MatchRecord {
            number,
            places: places.to_vec(),
            steps: 3,
            state_hash: String::new(),
            record: Digest::of(b"replay"),
        };
        Entry::Results { arena: 1, matches: vec![record] }
    }

    fn table(size: u64) -> Entry {
        Entry::Table { arena: 1, size, digest: Digest::of(b"table") }
    }

    /// Reads entries, and returns the books with the numbers of the matches that were played.
    fn read(entries: &[Entry]) -> Result<(Books, Vec<u64>), Contradiction> {
        let mut books = Books::default();
        let mut numbers = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            books.add(at as u64, entry, |played| numbers.push(played.record.number))?;
        }
        Ok((books, numbers))
    }

    fn start() -> Vec<Entry> {
        vec![handed_in(10), handed_in(20)]
    }

    #[test]
    fn a_table_is_made_of_the_first_entries_alone() {
        let mut entries = start();
        entries.extend([planned(1), planned(2), played(2, &[1, 2]), played(1, &[2, 1])]);
        // Made before match 1 was over, but written after it.
        entries.push(table(5));
        let (books, numbers) = read(&entries).unwrap();
        assert_eq!(numbers, [2, 1]);
        let found = books.arenas[&1].table(1).unwrap().unwrap();
        assert_eq!((found.size, found.table.rows.len()), (5, 2));
        assert_eq!(found.table.rows[0].version, VersionId(20));
        assert_eq!(found.table.rows[0].tally.matches, 1);
        entries.push(table(6));
        let (books, _) = read(&entries).unwrap();
        let found = books.arenas[&1].table(1).unwrap().unwrap();
        assert_eq!(found.table.rows[0].tally.matches, 2);
        assert!(found.text().starts_with(r#"{"arena":1,"size":6,"agon":""#));
        // An annulled match is in no later table.
        entries.extend([Entry::Annulled { arena: 1, number: 2 }, table(9)]);
        let (books, _) = read(&entries).unwrap();
        let found = books.arenas[&1].table(1).unwrap().unwrap();
        assert_eq!(found.table.rows[0].version, VersionId(10));
        assert_eq!(books.arenas[&1].table(1).unwrap().unwrap().table.rows[0].tally.matches, 1);
    }

    #[test]
    fn a_match_that_counts_again_is_in_the_next_table() {
        let [annulled, restored] = [true, false].map(|is_annulled| match is_annulled {
            true => Entry::Annulled { arena: 1, number: 1 },
            false => Entry::Restored { arena: 1, number: 1 },
        });
        let mut entries = start();
        entries.extend([planned(1), played(1, &[1, 2]), annulled.clone(), restored.clone()]);
        entries.push(table(6));
        let (books, _) = read(&entries).unwrap();
        let found = books.arenas[&1].table(1).unwrap().unwrap();
        assert_eq!(found.table.rows[0].tally.matches, 1);
        // A table of no match at all is one, too.
        let none = [entries.clone(), vec![annulled.clone(), table(8)]].concat();
        let (books, _) = read(&none).unwrap();
        assert!(books.arenas[&1].table(1).unwrap().unwrap().table.rows.is_empty());
        entries.extend([annulled, restored.clone(), restored]);
        assert_eq!(read(&entries).unwrap_err(), Contradiction::NotAnnulled(1, 1));
    }

    #[test]
    fn contradictions_are_found() {
        let with = |more: &[Entry]| read(&[start(), more.to_vec()].concat()).unwrap_err();
        let given_up = Entry::GivenUp { arena: 1, number: 1 };
        let annulled = Entry::Annulled { arena: 1, number: 1 };
        let (one, won) = (planned(1), played(1, &[1, 2]));
        let (one, won) = (&one, &won);
        let all = [
            (vec![one.clone(), one.clone()], Contradiction::PlannedTwice(1, 1)),
            (vec![planned(2), one.clone()], Contradiction::PlannedTwice(1, 1)),
            (vec![won.clone()], Contradiction::NotWaiting(1, 1)),
            (vec![one.clone(), won.clone(), won.clone()], Contradiction::NotWaiting(1, 1)),
            (vec![one.clone(), given_up.clone(), won.clone()], Contradiction::NotWaiting(1, 1)),
            (vec![one.clone(), won.clone(), given_up], Contradiction::NotWaiting(1, 1)),
            (vec![one.clone(), annulled.clone()], Contradiction::NotCounted(1, 1)),
            (
                vec![one.clone(), won.clone(), annulled.clone(), annulled],
                Contradiction::NotCounted(1, 1),
            ),
            (vec![one.clone(), played(1, &[1, 2, 3])], Contradiction::Places(1, 1)),
            (vec![table(3)], Contradiction::TableSize(1)),
            (vec![one.clone(), table(3), table(2)], Contradiction::TableSize(1)),
            (vec![handed_in(10)], Contradiction::HandedInTwice(10)),
        ];
        for (entries, expected) in all {
            assert_eq!(with(&entries), expected, "{entries:?}");
        }
        assert_eq!(read(&[planned(1)]).unwrap_err(), Contradiction::Stranger(1, 1));
    }
}
