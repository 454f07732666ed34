//! The rules of amoebas: carries out one amoeba's answer on the board.

use agon_core::Blob;

use super::{Answer, Command, Rules, board::Board, dir::Dir, torus::Torus};

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

#[cfg(test)]
mod tests {
    use agon_core::{Game, Seed};

    use super::*;
    use crate::amoebas::{Amoeba, Amoebas, Baggage, Position};

    /// In the middle of a 9×9 world, ready to act; and one to its east, that has acted.
    fn pair() -> [Amoeba; 2] {
        let me = Amoeba {
            x: 4,
            y: 4,
            species: 0,
            energy: 50,
            health: 5,
            data: Some(Blob::from("old")),
            function: Some(Blob::from("f")),
            acted: false,
        };
        [me.clone(), Amoeba { x: 5, species: 1, acted: true, ..me }]
    }

    /// The position after the first of these amoebas gave its answer in a world without sun.
    fn after(amoebas: &[Amoeba], fuel: u32, answer: &Answer) -> Position {
        let rules = Rules { world_size: 9, sun_energy: 0, data_limit: 9, ..Rules::default() };
        let position =
            Position { players: 2, round: 0, fuel: vec![fuel; 81], amoebas: amoebas.to_vec() };
        let mut game = Amoebas::from_position(&rules, Seed(1), position).unwrap();
        let first = game.waiting(amoebas[0].y * 9 + amoebas[0].x).unwrap();
        game.answer_one(first, answer);
        game.position()
    }

    #[test]
    fn resting_takes_what_is_least_of_fuel_room_and_meal() {
        for (energy, fuel, left, eaten) in
            [(50, 7, 56, 7), (50, 70, 59, 10), (96, 70, 99, 4), (100, 9, 99, 0)]
        {
            let me = Amoeba { energy, ..pair()[0].clone() };
            let end = after(&[me], fuel, &Answer::REST);
            assert_eq!(
                (end.amoebas[0].energy, end.fuel[40]),
                (left, fuel - eaten),
                "energy {energy} fuel {fuel}"
            );
            assert_eq!((end.amoebas[0].health, &end.amoebas[0].data), (6, &None));
        }
    }

    #[test]
    fn starving_is_going_below_zero() {
        let hungry = |energy| Amoeba { energy, ..pair()[0].clone() };
        assert_eq!(after(&[hungry(1)], 0, &Answer::REST).amoebas[0].energy, 0);
        assert_eq!(after(&[hungry(0)], 1, &Answer::REST).amoebas[0].energy, 0);
        let end = after(&[hungry(0)], 0, &Answer::REST);
        assert_eq!((end.amoebas.len(), end.round, end.fuel[40]), (0, 1, 0));
    }

    #[test]
    fn the_dead_leave_their_energy_up_to_what_a_cell_holds() {
        let [me, other] = pair();
        let hit = |health| {
            after(&[me.clone(), Amoeba { health, ..other.clone() }], 70, &Answer::hit(Dir::E))
        };
        let end = hit(4);
        assert_eq!((end.amoebas.len(), end.amoebas[0].energy, end.fuel[41]), (1, 40, 100));
        let end = hit(5);
        assert_eq!((end.amoebas.len(), end.amoebas[1].health, end.fuel[41]), (2, 1, 70));
    }

    #[test]
    fn the_killed_do_not_act_and_those_who_take_their_place_do_not_act_again() {
        let rules = Rules { world_size: 9, ..Rules::default() };
        let [killer, victim] = pair();
        let victim = Amoeba { health: 1, acted: false, ..victim };
        let heir = Amoeba { x: 6, ..killer.clone() };
        let position = Position {
            players: 2,
            round: 0,
            fuel: Vec::new(),
            amoebas: vec![killer, victim, heir],
        };
        let mut game = Amoebas::from_position(&rules, Seed(1), position).unwrap();
        let waiting = |game: &Amoebas, x: u32| game.waiting(4 * 9 + x);
        let killer = waiting(&game, 4).unwrap();
        let heir = waiting(&game, 6).unwrap();
        game.answer_one(killer, &Answer::hit(Dir::E));
        assert_eq!(waiting(&game, 5), None);
        game.answer_one(heir, &Answer::step(Dir::W));
        assert_eq!((game.round(), game.occupants().nth(4 * 9 + 5)), (1, Some(Some(0))));
    }

    #[test]
    fn children_take_after_their_parents_but_for_what_is_given() {
        let end = after(&pair()[..1], 70, &Answer::divide(Dir::N));
        let [child, parent] = &end.amoebas[..] else { panic!("{end:?}") };
        assert_eq!((child.energy, parent.energy, child.health, child.species), (15, 15, 5, 0));
        assert_eq!(
            (&child.function, &child.data, &parent.data),
            (&Some(Blob::from("f")), &None, &None)
        );
        let function = Some(Blob::from("g"));
        let child_data = Some(Blob::from("young"));
        let baggage = Baggage {
            data: Some(Blob::from("mother")),
            function: function.clone(),
            child_data: child_data.clone(),
        };
        let end = after(&pair()[..1], 70, &Answer::new(Command::Divide { dir: Dir::N }, baggage));
        assert_eq!((&end.amoebas[0].function, &end.amoebas[0].data), (&function, &child_data));
        assert_eq!(end.amoebas[1].data, Some(Blob::from("mother")));
    }

    #[test]
    fn what_cannot_be_done_is_a_rest_and_its_data_count() {
        let poor = |energy| [Amoeba { energy, ..pair()[0].clone() }, pair()[1].clone()];
        let cases = [
            (poor(50), Command::Move { dir: Dir::E }),
            (poor(2), Command::Move { dir: Dir::N }),
            (poor(50), Command::Hit { dir: Dir::N }),
            (poor(9), Command::Hit { dir: Dir::E }),
            (poor(50), Command::Divide { dir: Dir::E }),
            (poor(29), Command::Divide { dir: Dir::N }),
        ];
        for (amoebas, command) in cases {
            let data = Some(Blob::from("new"));
            let rested = after(&amoebas, 70, &Answer::REST.with_data(data.clone()));
            let answer = Answer::plain(command).with_data(data);
            assert_eq!(after(&amoebas, 70, &answer), rested, "{command:?}");
        }
    }

    #[test]
    fn faults_and_too_long_data_rest_and_change_no_data() {
        let fault = after(&pair(), 70, &Answer::FAULT);
        assert_eq!(fault.amoebas[0].data, Some(Blob::from("old")));
        let long = Some(Blob::from("ten bytes!"));
        let child = Baggage { child_data: long.clone(), ..Baggage::default() };
        for answer in [
            Answer::step(Dir::N).with_data(long),
            Answer::new(Command::Divide { dir: Dir::N }, child),
        ] {
            assert_eq!(after(&pair(), 70, &answer), fault, "{answer:?}");
            let rules = Rules { data_limit: 9, ..Rules::default() };
            let game = Amoebas::new(&rules, 1, Seed(1)).unwrap();
            let breach = game.illegal(game.decisions()[0], &answer).unwrap();
            assert!(breach.contains("has more than 9 bytes"), "{breach}");
            let fine = Amoebas::new(&Rules::default(), 1, Seed(1)).unwrap();
            assert_eq!(fine.illegal(fine.decisions()[0], &answer), None);
        }
    }
}
