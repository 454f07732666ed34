//! What amoebas see, as words of memory; `agon/env.clj` and `agon/host.clj` read them.
//!
//! Five words: the round, the view distance, the number of parts, the number of blobs, and at which word their list
//! begins. Then four words for each part, one species' share of the batch: player and number of decisions (32 bits
//! each), seed, time limit in milliseconds (0: none), and at which word its windows begin. Then the windows, two words
//! a cell (see `agon/env.clj`); then a word for each blob, with its offset in bytes and its length; then the blobs.

use std::collections::HashMap;

use agon_core::{Blob, Game, Player};
use agon_games::amoebas::{Amoebas, CellView};

use crate::{Turn, process::Asked};

const FRONT: usize = 5;
const PART: usize = 4;

/// A question in the making.
#[derive(Debug, Default)]
pub(super) struct Question {
    parts: Vec<Part>,
    windows: Vec<u64>,
    blobs: Vec<Blob>,
    /// Numbers of blobs by their addresses, which stay as long as the state does.
    known: HashMap<(usize, usize), u32>,
    /// Most bytes of a blob in an answer.
    data_limit: u32,
}

/// One species' share.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) player: Player,
    pub(super) step: u64,
    pub(super) units: Vec<u32>,
    /// The same in words.
    pub(super) asked: Asked,
    pub(super) seed: u64,
    /// Milliseconds; 0: no limit.
    pub(super) limit: u64,
    /// Where its windows begin among all windows.
    start: usize,
}

impl Question {
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.windows.clear();
        self.blobs.clear();
        self.known.clear();
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    pub(super) fn blobs(&self) -> &[Blob] {
        &self.blobs
    }

    /// Most bytes of a blob in an answer.
    pub(super) fn data_limit(&self) -> u32 {
        self.data_limit
    }

    /// How many decisions it asks for.
    pub(super) fn decisions(&self) -> usize {
        self.parts.iter().map(|part| part.units.len()).sum()
    }

    /// Adds what a species is asked. `lives_here` tells of a player whether its data and functions are known to the
    /// JVM; those of others are strings to it.
    pub(super) fn add(
        &mut self,
        turn: Turn<'_, Amoebas>,
        seed: u64,
        limit: u64,
        lives_here: impl Fn(Player) -> bool,
    ) {
        let (units, start) =
            (turn.decisions.iter().map(|decision| decision.unit).collect(), self.windows.len());
        let (player, step, asked) = (turn.player, turn.step, Asked::new(turn.step, turn.decisions));
        self.parts.push(Part { player, step, units, asked, seed, limit, start });
        self.data_limit = turn.game.rules().data_limit;
        let reach = turn.game.rules().view_distance as i32;
        for &decision in turn.decisions {
            let view = turn.game.view(decision);
            for dy in -reach..=reach {
                let row = (-reach..=reach).filter_map(|dx| view.cell(dx, dy));
                row.for_each(|cell| self.add_cell(cell, &lives_here));
            }
        }
    }

    fn add_cell(&mut self, cell: CellView<'_>, lives_here: &impl Fn(Player) -> bool) {
        let fuel = u64::from(cell.fuel());
        let Some(occupant) = cell.occupant() else {
            return self.windows.extend([fuel, 0]);
        };
        let species = occupant.species();
        let here = lives_here(species);
        let data = occupant.data().map_or(0, |blob| self.number(blob, here));
        let function = occupant.function().filter(|_| here).map_or(0, |blob| self.number(blob, here));
        let (energy, health) = (u64::from(occupant.energy()), u64::from(occupant.health()));
        let first = fuel | (u64::from(species.0) + 1) << 16 | energy << 32 | health << 48;
        self.windows.extend([first, u64::from(data) | u64::from(function) << 32]);
    }

    /// The number of a blob, from 1.
    fn number(&mut self, blob: &Blob, here: bool) -> u32 {
        let bytes = blob.bytes();
        *self.known.entry((bytes.as_ptr() as usize, bytes.len())).or_insert_with(|| {
            self.blobs.push(if here { blob.clone() } else { as_string(blob) });
            self.blobs.len() as u32
        })
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
            [who, part.seed, part.limit, (windows + part.start) as u64]
        });
        out.clear();
        let mut put = |word: u64| out.extend_from_slice(&word.to_le_bytes());
        front.into_iter().chain(parts).for_each(&mut put);
        self.windows.iter().copied().for_each(&mut put);
        let mut offset = 8 * (directory + self.blobs.len());
        for blob in &self.blobs {
            let length = blob.bytes().len();
            put(offset as u64 | (length as u64) << 32);
            offset += length;
        }
        self.blobs.iter().for_each(|blob| out.extend_from_slice(blob.bytes()));
    }
}

/// Bytes of a species that does not live in the JVM, as an EDN string.
fn as_string(blob: &Blob) -> Blob {
    let text = String::from_utf8_lossy(blob.bytes());
    let quoted = serde_json::to_string(&text).expect("a string can always be quoted");
    Blob::from(quoted.as_str())
}
