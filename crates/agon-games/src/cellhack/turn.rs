//! What happens in a turn, once every living cell has decided.

use agon_core::{Decision, Purpose};

use super::{Action, Answer, Cellhack, EMPTY, board::is_cell};

impl Cellhack {
    /// One turn. `batch` holds all living cells, `answers` what each of them wants.
    pub(super) fn turn(&mut self, batch: &[Decision], answers: &[Answer]) {
        let wishes = || batch.iter().map(|d| d.unit as usize).zip(answers);
        for (index, answer) in wishes() {
            if let Some(memory) = answer.memory {
                self.board.memory[index] = memory;
            }
        }
        for (index, _) in wishes().filter(|(_, answer)| answer.action == Action::Rest) {
            self.rest(index);
        }
        for (index, answer) in wishes() {
            self.exchange(index, answer.action);
        }
        for (index, _) in wishes() {
            let energy = &mut self.board.energy[index];
            *energy = (*energy).clamp(0, self.rules.energy_max.into());
        }
        self.starve();
        self.act_in_random_order(wishes().map(|(index, answer)| (index, answer.action)).collect());
        self.starve();
    }

    /// REST: the fewer neighbours, the more energy. Nothing has moved yet, so the board is still the one that
    /// the cells decided on.
    fn rest(&mut self, index: usize) {
        let gain = self.rules.rest(self.board.env(index).occupied());
        let energy = &mut self.board.energy[index];
        *energy = (*energy + gain).min(self.rules.energy_max.into());
    }

    /// EAT and FEED: all at the same time. What a cell gains and loses is added up, and only the sum is limited
    /// to what a cell can have, so that no order is needed.
    fn exchange(&mut self, index: usize, action: Action) {
        let amount = i32::from(self.rules.eat_amount);
        let (direction, gain) = match action {
            Action::Eat(direction) => (direction, amount),
            Action::Feed(direction) => (direction, -amount),
            _ => return,
        };
        let target = self.board.neighbour(index, direction as u8);
        if is_cell(self.board.owner[target]) {
            self.board.energy[index] += gain;
            self.board.energy[target] -= gain;
        }
    }

    /// Cells without the energy to live die.
    fn starve(&mut self) {
        let least = i32::from(self.rules.energy_min);
        for index in 0..self.board.owner.len() {
            if self.board.energy[index] < least && is_cell(self.board.owner[index]) {
                self.board.clear(index);
            }
        }
    }

    /// MOVE, SPLIT and DIE of the cells still alive, one after the other on the world as it has become.
    ///
    /// Nobody enters the place of a cell that has not acted yet, so a place is a good name for its cell.
    fn act_in_random_order(&mut self, mut wishes: Vec<(usize, Action)>) {
        let acts = |action| matches!(action, Action::Move(_) | Action::Split(_) | Action::Die);
        wishes.retain(|&(index, action)| acts(action) && self.board.owner[index] != EMPTY);
        self.seed.stream(Purpose::Order, self.turns_played.into()).shuffle(&mut wishes);
        for (index, action) in wishes {
            match action {
                Action::Move(direction) => self.go(index, self.board.neighbour(index, direction as u8)),
                Action::Split(direction) => self.split(index, self.board.neighbour(index, direction as u8)),
                _ => self.board.clear(index),
            }
        }
    }

    fn go(&mut self, from: usize, to: usize) {
        let board = &mut self.board;
        if board.owner[to] == EMPTY {
            board.put(to, board.owner[from], board.energy[from], board.memory[from]);
            board.clear(from);
        }
    }

    /// Both halves get half of the energy, rounded down, and the memory.
    fn split(&mut self, from: usize, to: usize) {
        let board = &mut self.board;
        if board.owner[to] == EMPTY && board.energy[from] > self.rules.energy_min_split.into() {
            board.energy[from] /= 2;
            board.put(to, board.owner[from], board.energy[from], board.memory[from]);
        }
    }
}
