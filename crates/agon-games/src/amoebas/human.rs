//! Lets a person play a species: choose amoebas, then give them a command, with one of eight
//! directions where it needs one. For people who play with `agon play` or in a browser: the screens
//! pass their clicks and keys on to this file, which turns them into answers.
//!
//! A round is one turn, though the game asks for its amoebas in many batches. The person gives all
//! orders at the first batch. An amoeba stays on its cell until it acts, so orders are kept by
//! cell.

use agon_core::{Decision, Game, Player};

use super::{Amoebas, Answer, Command, Dir};
use crate::human::{AimedOrder, Choice, Gesture, PlainOrder, UnitGame, UnitOrders, order_mark};
use crate::scene::{Arrow, Mark, Place, Shape};

/// Digits as they lie on a keypad, by number of direction.
const KEYPAD: [char; 8] = ['7', '8', '9', '6', '3', '2', '1', '4'];

fn arrow(dir: Dir) -> Arrow {
    // Directions begin north-west, arrows north.
    Arrow((dir.number() + 7) % 8)
}

/// Who is on a cell, from a player's point of view.
#[derive(Clone, Copy, PartialEq, Eq)]
enum On {
    Nobody,
    Own,
    Other,
}

impl Amoebas {
    fn beside(&self, unit: Place, dir: Dir) -> Place {
        let size = self.rules().world_size as i32;
        let (dx, dy) = dir.offset();
        let (x, y) = (unit as i32 % size, unit as i32 / size);
        ((y + dy).rem_euclid(size) * size + (x + dx).rem_euclid(size)) as Place
    }

    fn on(&self, player: Player, place: Place) -> On {
        match self.board.content(place as usize).species() {
            None => On::Nobody,
            Some(species) if species == player.index() => On::Own,
            Some(_) => On::Other,
        }
    }

    /// Energy of an amoeba that has not acted.
    fn energy_of(&self, unit: Place) -> u32 {
        self.waiting(unit).map_or(0, |decision| self.view(decision).energy())
    }
}

impl UnitGame for Amoebas {
    type Order = Command;
    type Way = Dir;

    const NOUN: &'static str = "amoebas";
    const CHOOSE_FIRST: &'static str = "choose an amoeba first";

    const PLAIN: &'static [PlainOrder<Amoebas>] = &[('r', Command::Rest, "rest")];

    const AIMED: &'static [AimedOrder<Amoebas>] = &[
        ('m', |dir| Command::Move { dir }, "move"),
        ('h', |dir| Command::Hit { dir }, "hit"),
        ('d', |dir| Command::Divide { dir }, "divide"),
    ];

    /// Those that have not acted in this round.
    fn units(&self, player: Player) -> Vec<Place> {
        let species = Some(player.index());
        let cells = self.occupants().zip(0..).filter(|&(occupant, _)| occupant == species);
        cells.map(|(_, cell)| cell).filter(|&cell| self.waiting(cell).is_some()).collect()
    }

    fn ways(&self, unit: Place) -> Vec<(Dir, Place)> {
        Dir::ALL.map(|dir| (dir, self.beside(unit, dir))).into()
    }

    /// Arrows point in four directions, the digits of the keypad in eight.
    fn way_of(act: Gesture) -> Option<Dir> {
        match act {
            Gesture::Go(way) => Some([Dir::N, Dir::E, Dir::S, Dir::W][way as usize]),
            Gesture::Type(key) => {
                KEYPAD.iter().position(|&digit| digit == key).map(|number| Dir::ALL[number])
            }
            _ => None,
        }
    }

    fn is_chosen_first(&self, player: Player, place: Place) -> bool {
        self.on(player, place) == On::Own
    }

    fn may_choose(&self, player: Player, place: Place) -> Result<(), String> {
        match self.on(player, place) {
            On::Own if self.waiting(place).is_some() => Ok(()),
            On::Own => Err("this amoeba has acted in this round".into()),
            _ => Err("choose one of your own amoebas".into()),
        }
    }

    /// Move to an empty cell, hit a foreign amoeba.
    fn usual(&self, player: Player, unit: Option<Place>, dir: Dir) -> Result<Command, String> {
        match unit.map_or(On::Nobody, |unit| self.on(player, self.beside(unit, dir))) {
            On::Nobody => Ok(Command::Move { dir }),
            On::Other => Ok(Command::Hit { dir }),
            On::Own => Err("there is an own amoeba: type what to do".into()),
        }
    }

    /// Whether its energy is enough: that does not change until it acts. Its neighbours may change.
    fn can(&self, unit: Place, order: Command) -> Result<(), String> {
        let rules = self.rules();
        let (what, needed) = match order {
            Command::Fault | Command::Rest => return Ok(()),
            Command::Move { .. } => ("move", rules.move_energy),
            Command::Hit { .. } => ("hit", rules.hit_energy),
            Command::Divide { .. } => ("divide", rules.min_divide_energy),
        };
        match self.energy_of(unit) {
            energy if energy < needed => {
                Err(format!("an amoeba needs {needed} energy to {what}, and this one has {energy}"))
            }
            _ => Ok(()),
        }
    }

    fn message(&self, orders: &UnitOrders<Command>, _: &[Place]) -> String {
        let who = match (orders.only_chosen(), orders.chosen.len()) {
            (_, 0) => {
                return "Choose an amoeba, or all of them with *; without an order it rests".into();
            }
            (Some(unit), _) => {
                let fuel = self.board.content(unit as usize).fuel();
                format!("An amoeba with {} energy on {fuel} fuel", self.energy_of(unit))
            }
            (None, amoebas) => format!("{amoebas} amoebas"),
        };
        match Self::aimed(orders.verb) {
            Some((.., verb)) => {
                format!("{who}: {verb} where? An arrow or a digit of the keypad says it")
            }
            None => format!("{who}: type what to do, or a direction to go or to hit"),
        }
    }

    fn way_choices(&self, _: &UnitOrders<Command>) -> Vec<Choice> {
        let choice = |dir: Dir| {
            let key = KEYPAD[usize::from(dir.number())];
            Choice::typed(key, dir.to_string()).towards(arrow(dir))
        };
        Dir::ALL.map(choice).into()
    }

    fn order_name(order: Command) -> String {
        match order {
            Command::Fault | Command::Rest => "rest".into(),
            Command::Move { dir } => format!("move {dir}"),
            Command::Hit { dir } => format!("hit {dir}"),
            Command::Divide { dir } => format!("divide {dir}"),
        }
    }

    fn order_marks(&self, orders: &UnitOrders<Command>) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (&unit, &order) in &orders.orders {
            let (at, mark) = match order {
                Command::Fault | Command::Rest => (None, None),
                Command::Move { dir } => (Some(dir), None),
                Command::Hit { dir } => (Some(dir), Some(Shape::Cross)),
                Command::Divide { dir } => (Some(dir), Some(Shape::Disc(40))),
            };
            let pointer = at.map_or(Shape::Disc(40), |dir| Shape::Pointer(arrow(dir)));
            marks.push(order_mark(unit, pointer));
            let aimed = at.zip(mark).map(|(dir, shape)| order_mark(self.beside(unit, dir), shape));
            marks.extend(aimed);
        }
        marks
    }

    /// Without an order the amoeba rests, which is no fault.
    fn answer(&self, orders: &UnitOrders<Command>, decision: Decision) -> Answer {
        Answer::plain(orders.get(decision.unit).unwrap_or(Command::Rest))
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::super::{Amoeba, Position, Rules};
    use super::*;
    use crate::human::Gesture::{Go, Pick, Type};
    use crate::human::{ArrowKey, HumanInput, Reaction};

    /// A world of 12×12 cells; own amoebas at (0, 0) with 90 and at (1, 0) with 5 energy, a foreign
    /// one at (11, 11).
    fn game() -> Amoebas {
        let rules = Rules { world_size: 12, rounds: 9, ..Rules::default() };
        let amoeba = |x, y, species, energy| Amoeba {
            x,
            y,
            species,
            energy,
            health: 10,
            data: None,
            function: None,
            acted: false,
        };
        let amoebas = vec![amoeba(0, 0, 0, 90), amoeba(1, 0, 0, 5), amoeba(11, 11, 1, 50)];
        let position = Position { players: 2, round: 0, fuel: vec![], amoebas };
        Amoebas::from_position(&rules, Seed(1), position).unwrap()
    }

    fn play(game: &Amoebas, acts: &[Gesture]) -> UnitOrders<Command> {
        let mut orders = game.orders(Player(0));
        for &act in acts {
            assert_eq!(game.act(&mut orders, act), Reaction::Changed, "{act:?}");
        }
        orders
    }

    #[test]
    fn commands_go_in_eight_directions_over_the_edges() {
        let game = game();
        for (acts, expected) in [
            (&[Pick(0), Type('3')][..], Some(Command::Move { dir: Dir::SE })),
            (&[Pick(0), Go(ArrowKey::Up)], Some(Command::Move { dir: Dir::N })),
            (&[Pick(0), Pick(143)], Some(Command::Hit { dir: Dir::NW })),
            (&[Pick(0), Type('h'), Pick(1)], Some(Command::Hit { dir: Dir::E })),
            (&[Pick(0), Type('d'), Pick(12)], Some(Command::Divide { dir: Dir::S })),
            (&[Pick(0), Type('R')], Some(Command::Rest)),
            (&[Pick(0), Type('r'), Gesture::Undo], None),
        ] {
            assert_eq!(play(&game, acts).get(0), expected, "{acts:?}");
        }
    }

    #[test]
    fn digits_lie_as_on_a_keypad() {
        for (number, digit) in KEYPAD.into_iter().enumerate() {
            let (dx, dy) = Dir::ALL[number].offset();
            let place = digit as i32 - '1' as i32;
            assert_eq!((place % 3 - 1, 1 - place / 3), (dx, dy), "{digit}");
        }
        assert_eq!([Dir::N, Dir::E, Dir::NW].map(arrow), [Arrow(0), Arrow(2), Arrow(7)]);
    }

    #[test]
    fn what_the_energy_does_not_allow_is_refused() {
        let game = game();
        let mut orders = play(&game, &[Pick(1), Type('d')]);
        let why = game.act(&mut orders, Go(ArrowKey::Down));
        assert_eq!(
            why,
            Reaction::Refused("an amoeba needs 30 energy to divide, and this one has 5".into())
        );
        let mut orders = play(&game, &[Pick(0)]);
        assert!(
            matches!(game.act(&mut orders, Go(ArrowKey::Right)), Reaction::Refused(_)),
            "an own amoeba"
        );
    }

    #[test]
    fn orders_of_a_round_are_carried_out_batch_by_batch() {
        let mut game = game();
        let orders =
            play(&game, &[Type('*'), Type('m'), Go(ArrowKey::Down), Pick(0), Type('d'), Type('1')]);
        let mut batches = 0;
        while game.round() == 0 {
            let answers: Vec<Answer> = game
                .decisions()
                .iter()
                .map(|&decision| match decision.player {
                    Player(0) => game.carry_out(&orders, decision),
                    _ => Answer::REST,
                })
                .collect();
            game.step(&answers);
            batches += 1;
        }
        assert!(batches > 1);
        let own: Vec<_> =
            game.position().amoebas.iter().filter(|a| a.species == 0).map(|a| (a.x, a.y)).collect();
        assert_eq!(own, [(0, 0), (1, 1), (11, 1)]);
    }
}
