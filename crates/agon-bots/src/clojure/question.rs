//! Encodes the views of amoebas as words of memory; `agon/env.clj` and `agon/host.clj` in the JVM
//! read them.
//!
//! The memory has these parts, one after another:
//! - Five words: the round, the view distance, the number of parts, the number of blobs, and the
//!   word at which their list starts.
//! - Five words for each part, one species' share of the batch: player and number of decisions (32
//!   bits each), seed, time limit in milliseconds (0: none), the word at which its windows start,
//!   and the word at which the loads of the amoebas in them start (0: nothing).
//! - The windows, a word a cell (see `agon/env.clj`).
//! - Three words for each blob: its offset in bytes and its length, its owner and its [`Home`], and
//!   the place where the JVM keeps it, with 1 as the upper half if it is new there. Otherwise the
//!   first two are 0.
//! - The new blobs.

use std::{collections::HashMap, collections::hash_map::Entry, ptr};

use agon_core::{Blob, Game, Player};
use agon_games::amoebas::{Amoebas, CARRIES, CellView, View};

use crate::{BatchPart, process::Asked};

const FRONT: usize = 5;
const PART: usize = 5;

/// A question in the making.
#[derive(Debug, Default)]
pub(super) struct Question {
    pub(super) parts: Vec<Part>,
    windows: Vec<u64>,
    /// The places of its blobs, by number, and whether they are new there.
    blobs: Vec<(u32, bool)>,
    /// What the JVM keeps from one question to the next.
    kept: Kept,
    /// The last look at the data and function of each cell's occupant. Many amoebas of a round see
    /// the same cell, so they are still there nearly always.
    cells: Vec<[Look; 2]>,
    /// The most bytes of a blob in an answer.
    pub(super) data_limit: u32,
}

/// A blob that was found in a cell.
///
/// It repeats a part of a [`KeptBlob`], because what neighboring cells hold must be close together
/// in memory. Amoebas of two species never share a blob.
#[derive(Clone, Copy, Debug)]
struct Look {
    address: usize,
    place: u32,
    /// When it was found. Until the next round its place stays.
    round: u32,
    question: u32,
    /// Its number in that question.
    number: u32,
}

impl Look {
    const NONE: Look = Look { address: 0, place: u32::MAX, round: 0, question: 0, number: 0 };
}

/// The blobs that a JVM keeps, by their places.
///
/// Most of what amoebas carry is in many questions, and looking up its text would take longer than
/// most species think.
#[derive(Debug, Default)]
struct Kept {
    /// Places by owners and addresses, which stay as long as the blobs are here.
    places: HashMap<(Player, Home, usize, usize), u32>,
    blobs: Vec<KeptBlob>,
    /// Places for others.
    free: Vec<u32>,
    round: u32,
    /// Counts the questions.
    question: u32,
}

#[derive(Debug)]
struct KeptBlob {
    blob: Blob,
    owner: (Player, Home),
    /// When it was last in a question: the round, and the question with its number in it, from 1.
    round: u32,
    question: u32,
    number: u32,
}

/// So many blobs are kept in any case.
const FEW: usize = 1000;

impl Kept {
    /// Sets the round. Now and then, forgets what was not in view in the last full round.
    fn begin(&mut self, round: u32) {
        if round == self.round {
            return;
        }
        self.round = round;
        if round.is_multiple_of(8) && self.places.len() > FEW {
            let Kept { places, blobs, free, .. } = self;
            places.retain(|_, place| {
                let kept = &mut blobs[*place as usize];
                let stays = kept.round + 1 >= round;
                if !stays {
                    kept.blob = Blob::from("");
                    free.push(*place);
                }
                stays
            });
            // Places do not depend on the order of a table.
            free.sort_unstable_by(|a, b| b.cmp(a));
        }
    }

    /// Returns the place of a blob, and whether it is new there. It is often at the place `last`.
    fn place(&mut self, blob: &Blob, owner: (Player, Home), last: u32) -> (u32, bool) {
        let bytes = blob.bytes();
        if let Some(kept) = self.blobs.get_mut(last as usize)
            && kept.owner == owner
            && ptr::eq(kept.blob.bytes(), bytes)
        {
            kept.round = self.round;
            return (last, false);
        }
        match self.places.entry((owner.0, owner.1, bytes.as_ptr() as usize, bytes.len())) {
            Entry::Occupied(known) => {
                let place = *known.get();
                self.blobs[place as usize].round = self.round;
                (place, false)
            }
            Entry::Vacant(new) => {
                let place = self.free.pop().unwrap_or(self.blobs.len() as u32);
                let (blob, round) = (blob.clone(), self.round);
                let kept = KeptBlob { blob, owner, round, question: 0, number: 0 };
                match self.blobs.get_mut(place as usize) {
                    Some(free) => *free = kept,
                    None => self.blobs.push(kept),
                }
                (*new.insert(place), true)
            }
        }
    }
}

/// The home of a species, as seen by a JVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Home {
    /// In no JVM: others get its data as bytes.
    None = 0,
    /// In another JVM: others get plain values; everything else is opaque.
    Elsewhere = 1,
    /// Here: data and functions are objects.
    Here = 2,
}

/// One species' share.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) player: Player,
    pub(super) step: u64,
    pub(super) units: Vec<u32>,
    /// The same as text.
    pub(super) asked: Asked,
    pub(super) seed: u64,
    /// Milliseconds; 0 is no limit.
    pub(super) limit: u64,
    /// The start of its windows, and of the amoebas' loads if there are any.
    start: usize,
    carried: Option<usize>,
}

impl Question {
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.windows.clear();
        self.blobs.clear();
        self.kept.question += 1;
    }

    /// Returns the blob with a number, from 1.
    pub(super) fn blob(&self, number: u64) -> Option<&Blob> {
        let (place, _) = self.blobs.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some(&self.kept.blobs[*place as usize].blob)
    }

    /// Returns the number of decisions that it asks for.
    pub(super) fn decisions(&self) -> usize {
        self.parts.iter().map(|part| part.units.len()).sum()
    }

    /// Adds a species' question; `home` returns the home of a player's species.
    pub(super) fn add(
        &mut self,
        part: BatchPart<'_>,
        seed: u64,
        limit: u64,
        home: impl Fn(Player) -> Home,
    ) {
        let units = part.decisions.iter().map(|decision| decision.unit).collect();
        let start = self.windows.len();
        let player = part.player;
        let step = part.step;
        let asked = Asked::new(part.step, part.decisions);
        let game = part.game.of_game::<Amoebas>();
        self.data_limit = game.rules().data_limit;
        self.kept.begin(game.round());
        let views = || part.decisions.iter().map(|&decision| game.view(decision));
        let seen = views().fold(0, |seen, view| seen | view.append_words(&mut self.windows));
        let carried = (seen & CARRIES != 0).then_some(self.windows.len());
        if carried.is_some() {
            let size = game.rules().world_size;
            self.cells.resize(size as usize * size as usize, [Look::NONE; 2]);
            for (decision, view) in part.decisions.iter().zip(views()) {
                // The unit of a decision is the amoeba's cell.
                self.add_carried(view, (decision.unit % size, decision.unit / size), size, &home);
            }
        }
        self.parts.push(Part { player, step, units, asked, seed, limit, start, carried });
    }

    /// Adds a window of the numbers of the data and functions that amoebas in view carry, around
    /// an amoeba in this column and row of a world with sides of this size.
    fn add_carried(
        &mut self,
        view: View<'_>,
        (column, row): (u32, u32),
        size: u32,
        home: &impl Fn(Player) -> Home,
    ) {
        let reach = view.view_distance();
        let around = |at: u32, step: i32| {
            (i64::from(at) + i64::from(step)).rem_euclid(i64::from(size)) as usize
        };
        for dy in -reach..=reach {
            let start = around(row, dy) * size as usize;
            for dx in -reach..=reach {
                let occupant = view.cell(dx, dy).and_then(CellView::occupant);
                let word = occupant.map_or(0, |occupant| {
                    let owner = (occupant.species(), home(occupant.species()));
                    let cell = start + around(column, dx);
                    let data = occupant.data().map_or(0, |blob| self.number(blob, owner, cell, 0));
                    let function = occupant.function().filter(|_| owner.1 != Home::None);
                    let function = function.map_or(0, |blob| self.number(blob, owner, cell, 1));
                    u64::from(data) | u64::from(function) << 32
                });
                self.windows.push(word);
            }
        }
    }

    /// Returns the number of a blob, from 1: the data (0) or function (1) of a cell's occupant.
    fn number(&mut self, blob: &Blob, owner: (Player, Home), cell: usize, what: usize) -> u32 {
        let look = &mut self.cells[cell][what];
        let question = self.kept.question + 1;
        let round = self.kept.round;
        let address = blob.bytes().as_ptr() as usize;
        if look.address == address && look.round == round {
            if look.question != question {
                // If it is in another cell, too, it has two numbers.
                self.blobs.push((look.place, false));
                (look.question, look.number) = (question, self.blobs.len() as u32);
            }
            return look.number;
        }
        let (place, is_new) = self.kept.place(blob, owner, look.place);
        let kept = &mut self.kept.blobs[place as usize];
        if kept.question != question {
            self.blobs.push((place, is_new));
            (kept.question, kept.number) = (question, self.blobs.len() as u32);
        }
        *look = Look { address, place, round, question, number: kept.number };
        kept.number
    }

    /// Writes the message into `out`, which is emptied first.
    pub(super) fn write(&self, game: &Amoebas, out: &mut Vec<u8>) {
        let windows = FRONT + PART * self.parts.len();
        let directory = windows + self.windows.len();
        let front = [
            u64::from(game.round()),
            u64::from(game.rules().view_distance),
            self.parts.len() as u64,
            self.blobs.len() as u64,
            directory as u64,
        ];
        let parts = self.parts.iter().flat_map(|part| {
            let who = u64::from(part.player.0) | (part.units.len() as u64) << 32;
            let carried = part.carried.map_or(0, |start| windows + start);
            [who, part.seed, part.limit, (windows + part.start) as u64, carried as u64]
        });
        out.clear();
        let mut put = |word: u64| out.extend_from_slice(&word.to_le_bytes());
        front.into_iter().chain(parts).for_each(&mut put);
        out.reserve(8 * self.windows.len());
        out.extend(self.windows.iter().flat_map(|word| word.to_le_bytes()));
        let mut put = |word: u64| out.extend_from_slice(&word.to_le_bytes());
        let mut offset = 8 * (directory + 3 * self.blobs.len());
        let kept = |place: u32| &self.kept.blobs[place as usize];
        for &(place, is_new) in &self.blobs {
            if !is_new {
                [0, 0, u64::from(place)].into_iter().for_each(&mut put);
                continue;
            }
            let KeptBlob { blob, owner: (player, home), .. } = kept(place);
            let length = blob.bytes().len();
            put(offset as u64 | (length as u64) << 32);
            put(u64::from(player.0) | (*home as u64) << 32);
            put(u64::from(place) | 1 << 32);
            offset += length;
        }
        for &(place, _) in self.blobs.iter().filter(|(_, is_new)| *is_new) {
            out.extend_from_slice(kept(place).blob.bytes());
        }
    }
}
