//! The rules of amoebas: carries out one amoeba's answer on the board.

use agon_core::{Blob, Decision, Player, Purpose, Seed};

use super::torus::{Dir, Torus};
use super::{Answer, Command, MAX_PLAYERS, Rules, board::Board};

/// The world an amoeba acts on.
pub(super) struct Turn<'a> {
    pub(super) rules: &'a Rules,
    pub(super) torus: &'a Torus,
    pub(super) board: &'a mut Board,
}

impl Turn<'_> {
    /// Carries out the answer of the amoeba on `cell`. An impossible action becomes a rest, but the
    /// new data count.
    #[inline]
    pub(super) fn act(&mut self, cell: usize, answer: &Answer) {
        let command = answer.command();
        if command == Command::Fault || is_too_long(self.rules, answer) {
            return self.rest(cell);
        }
        self.board.set_data(cell, answer.data());
        let done = match command {
            Command::Fault | Command::Rest => false,
            Command::Move { dir } => self.step(cell, dir),
            Command::Hit { dir } => self.hit(cell, dir),
            Command::Divide { dir } => {
                self.divide(cell, dir, answer.function(), answer.child_data())
            }
        };
        if !done {
            self.rest(cell);
        }
    }

    /// The amoeba eats, recovers and pays. If it cannot pay even with its meal, it starves, and the
    /// fuel stays.
    fn rest(&mut self, cell: usize) {
        let Rules { max_amoeba_energy, max_fueling_energy, rest_energy, .. } = *self.rules;
        let me = self.board.content(cell);
        let gain = me.fuel().min(max_amoeba_energy - me.energy()).min(max_fueling_energy);
        let Some(left) = (me.energy() + gain).checked_sub(rest_energy) else {
            return self.board.clear(cell, me.fuel());
        };
        let health = (me.health() + self.rules.recovery_gain).min(self.rules.max_amoeba_health);
        self.board.set(cell, me.after_acting(left).with_fuel(me.fuel() - gain).with_health(health));
    }

    fn step(&mut self, cell: usize, dir: Dir) -> bool {
        let me = self.board.content(cell);
        let target = self.torus.neighbor(cell, dir);
        let Some(energy) = me.energy().checked_sub(self.rules.move_energy) else { return false };
        if !self.board.content(target).is_empty() {
            return false;
        }
        self.board.relocate(cell, target, me.after_acting(energy));
        true
    }

    fn hit(&mut self, cell: usize, dir: Dir) -> bool {
        let me = self.board.content(cell);
        let target = self.torus.neighbor(cell, dir);
        let Some(energy) = me.energy().checked_sub(self.rules.hit_energy) else { return false };
        let other = self.board.content(target);
        if other.is_empty() {
            return false;
        }
        self.board.set(cell, me.after_acting(energy));
        match other.health().saturating_sub(self.rules.hit_loss) {
            0 => self
                .board
                .clear(target, (other.fuel() + other.energy()).min(self.rules.max_cell_energy)),
            left => self.board.set(target, other.with_health(left)),
        }
        true
    }

    fn divide(
        &mut self,
        cell: usize,
        dir: Dir,
        function: Option<&Blob>,
        child_data: Option<&Blob>,
    ) -> bool {
        let me = self.board.content(cell);
        let target = self.torus.neighbor(cell, dir);
        let place = self.board.content(target);
        if me.energy() < self.rules.min_divide_energy || !place.is_empty() {
            return false;
        }
        let half = me.after_acting((me.energy() - self.rules.divide_energy_loss) / 2);
        self.board.set(cell, half);
        self.board.set(target, place.taken_by(half.with_blobs(false)));
        let function = function.or(self.board.function(cell)).cloned();
        if function.is_some() || child_data.is_some() {
            self.board.set_blobs(target, child_data.cloned(), function);
        }
        true
    }
}

/// The cell that an answer would send an amoeba to, itself or its child; `None` for other or
/// impossible actions.
pub(super) fn arrival(
    rules: &Rules,
    torus: &Torus,
    board: &Board,
    cell: usize,
    answer: &Answer,
) -> Option<usize> {
    let (dir, needs) = match answer.command() {
        Command::Move { dir } => (dir, rules.move_energy),
        Command::Divide { dir } => (dir, rules.min_divide_energy),
        Command::Fault | Command::Rest | Command::Hit { .. } => return None,
    };
    let target = torus.neighbor(cell, dir);
    let possible = board.content(cell).energy() >= needs && board.content(target).is_empty();
    (possible && !is_too_long(rules, answer)).then_some(target)
}

/// Whether the answer carries more bytes than allowed, which makes it unusable.
fn is_too_long(rules: &Rules, answer: &Answer) -> bool {
    answer.blobs().any(|(_, blob)| blob.bytes().len() > rules.data_limit as usize)
}

/// The classes of cells in the order of a round.
///
/// The order is drawn from seed and round; within a class the order is by player, then cell.
/// Classes without amoebas take part in the draw, so the order does not depend on the living.
///
/// The amoebas of a class are looked up when its turn comes. An amoeba that came to a cell during
/// the round has acted. So the waiting ones were there from the start of the round.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    order: Vec<usize>,
    /// Classes that have been asked.
    taken: usize,
    /// Buffer for the decisions of a class before they are sorted by player.
    waiting: Vec<Decision>,
}

impl Schedule {
    pub(super) fn new(torus: &Torus, seed: Seed, round: u32) -> Schedule {
        let order = Vec::with_capacity(torus.classes());
        let waiting = Vec::new();
        let mut schedule = Schedule { order, taken: 0, waiting };
        schedule.begin_round(torus, seed, round);
        schedule
    }

    /// Draws the order of a round.
    pub(super) fn begin_round(&mut self, torus: &Torus, seed: Seed, round: u32) {
        self.order.clear();
        self.order.extend(0..torus.classes());
        seed.stream(Purpose::Order, round.into()).shuffle(&mut self.order);
        self.taken = 0;
    }

    /// Fills `batch` with the next class's amoebas that still live; false when the round is over.
    pub(super) fn next_batch(
        &mut self,
        torus: &Torus,
        board: &Board,
        batch: &mut Vec<Decision>,
    ) -> bool {
        batch.clear();
        while batch.is_empty()
            && let Some(&class) = self.order.get(self.taken)
        {
            self.collect(torus.class(class), board, batch);
            self.taken += 1;
        }
        !batch.is_empty()
    }

    /// Sorts the decisions by player with a counting sort; cells already come in order.
    fn collect(
        &mut self,
        (rows, columns): (&[u32], &[u64]),
        board: &Board,
        batch: &mut Vec<Decision>,
    ) {
        self.waiting.clear();
        // Where each player's decisions start. At first: how many the player before has.
        let mut next = [0; MAX_PLAYERS + 1];
        for cell in rows.iter().flat_map(|&row| board.occupancy.among(row, columns)) {
            let content = board.content(cell as usize);
            if content.waits() {
                next[usize::from(content.occupant())] += 1;
                self.waiting.push(Decision::new(Player(u16::from(content.occupant()) - 1), cell));
            }
        }
        for player in 0..MAX_PLAYERS {
            next[player + 1] += next[player];
        }
        batch.resize(self.waiting.len(), Decision::new(Player(0), 0));
        for &decision in &self.waiting {
            let next = &mut next[decision.player.index()];
            batch[*next] = decision;
            *next += 1;
        }
    }
}
