//! The rules: what an action does.

use super::{Answer, Command, Rules, board::Board, dir::Dir, torus::Torus};

/// The world an amoeba acts on.
pub(super) struct Turn<'a> {
    pub(super) rules: &'a Rules,
    pub(super) torus: &'a Torus,
    pub(super) board: &'a mut Board,
}

impl Turn<'_> {
    /// Carries out the answer of the amoeba on `cell`. What it cannot do becomes a rest; its data count anyway.
    pub(super) fn act(&mut self, cell: usize, answer: &Answer) {
        let Answer::Act { command, data } = answer else {
            return self.rest(cell);
        };
        if is_too_long(self.rules, answer) {
            return self.rest(cell);
        }
        if data.is_some() || self.board.data.get(cell).is_some() {
            self.board.edit(cell, |board| board.set_data(cell, data.clone()));
        }
        let done = match command {
            Command::Rest => false,
            Command::Move { dir } => self.step(cell, *dir),
            Command::Hit { dir } => self.hit(cell, *dir),
            Command::Divide { dir, .. } => self.divide(cell, *dir, command),
        };
        if !done {
            self.rest(cell);
        }
    }

    /// Starving leaves the fuel where it is; otherwise the meal is taken from it.
    fn rest(&mut self, cell: usize) {
        let Rules { max_amoeba_energy, max_fueling_energy, rest_energy, .. } = *self.rules;
        let (recovery, max_health) = (self.rules.recovery_gain, self.rules.max_amoeba_health);
        self.board.edit(cell, |board| {
            let (fuel, energy) = (u32::from(board.fuel[cell]), u32::from(board.energy[cell]));
            let gain = fuel.min(max_amoeba_energy - energy).min(max_fueling_energy);
            let Some(left) = (energy + gain).checked_sub(rest_energy) else {
                return board.clear(cell);
            };
            board.fuel[cell] = (fuel - gain) as u16;
            board.energy[cell] = left as u16;
            board.health[cell] = (u32::from(board.health[cell]) + recovery).min(max_health) as u16;
            board.acted[cell] = true;
        });
    }

    fn step(&mut self, cell: usize, dir: Dir) -> bool {
        let target = self.neighbor(cell, dir);
        let Some(energy) = self.after_paying(cell, self.rules.move_energy) else { return false };
        if !self.board.is_empty(target) {
            return false;
        }
        let mut amoeba = self.board.amoeba(cell);
        amoeba.energy = energy;
        amoeba.acted = true;
        self.board.edit(cell, |board| board.clear(cell));
        self.board.put(target, amoeba);
        true
    }

    fn hit(&mut self, cell: usize, dir: Dir) -> bool {
        let target = self.neighbor(cell, dir);
        let Some(energy) = self.after_paying(cell, self.rules.hit_energy) else { return false };
        if self.board.is_empty(target) {
            return false;
        }
        self.finish(cell, energy);
        let Rules { hit_loss, max_cell_energy, .. } = *self.rules;
        self.board.edit(target, |board| match u32::from(board.health[target]).saturating_sub(hit_loss) {
            0 => {
                let fuel = u32::from(board.fuel[target]) + u32::from(board.energy[target]);
                board.fuel[target] = fuel.min(max_cell_energy) as u16;
                board.clear(target);
            }
            left => board.health[target] = left as u16,
        });
        true
    }

    fn divide(&mut self, cell: usize, dir: Dir, command: &Command) -> bool {
        let Command::Divide { function, child_data, .. } = command else { return false };
        let target = self.neighbor(cell, dir);
        let energy = u32::from(self.board.energy[cell]);
        if energy < self.rules.min_divide_energy || !self.board.is_empty(target) {
            return false;
        }
        let half = (energy - self.rules.divide_energy_loss) / 2;
        self.finish(cell, half);
        let mut child = self.board.amoeba(cell);
        child.data.clone_from(child_data);
        if function.is_some() {
            child.function.clone_from(function);
        }
        self.board.put(target, child);
        true
    }

    fn neighbor(&self, cell: usize, dir: Dir) -> usize {
        self.torus.cell(self.torus.place(cell), dir.offset())
    }

    fn after_paying(&self, cell: usize, price: u32) -> Option<u32> {
        u32::from(self.board.energy[cell]).checked_sub(price)
    }

    /// The amoeba has acted and is left with so much energy.
    fn finish(&mut self, cell: usize, energy: u32) {
        self.board.edit(cell, |board| {
            board.energy[cell] = energy as u16;
            board.acted[cell] = true;
        });
    }
}

/// Whether the answer carries more bytes than allowed, which makes it unusable.
fn is_too_long(rules: &Rules, answer: &Answer) -> bool {
    answer.blobs().any(|(_, blob)| blob.bytes().len() > rules.data_limit as usize)
}
