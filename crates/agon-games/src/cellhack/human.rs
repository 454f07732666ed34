//! Lets a person play cellhack: choose cells, then give them an action, with a direction where it
//! needs one. For people who play with `agon play` or in a browser: the screens pass their clicks
//! and keys on to this file, which turns them into answers.

use agon_core::{Decision, Game, Player};

use super::{Action, Answer, Cellhack, Direction, EMPTY, ROCK};
use crate::human::{ArrowKey, Choice, Gesture, Reaction, UnitGame, UnitOrders, order_mark};
use crate::scene::{Mark, Place, Shape};

impl From<ArrowKey> for Direction {
    fn from(way: ArrowKey) -> Direction {
        [Direction::Up, Direction::Right, Direction::Down, Direction::Left][way as usize]
    }
}

impl Direction {
    /// The key with the arrow that points this way.
    fn key(self) -> ArrowKey {
        let mut keys = ArrowKey::ALL.into_iter();
        keys.find(|&key| Direction::from(key) == self).expect("each direction has a key")
    }
}

/// An action that needs no direction, and the key for it.
const PLAIN: [(char, Action, &str); 3] =
    [('r', Action::Rest, "rest"), ('w', Action::Nothing, "wait"), ('d', Action::Die, "die")];

/// An action that needs a direction.
type Aimed = fn(Direction) -> Action;

/// The actions that need a direction, and the keys for them.
const AIMED: [(char, Aimed, &str); 4] = [
    ('m', Action::Move, "move"),
    ('s', Action::Split, "split"),
    ('e', Action::Eat, "eat"),
    ('f', Action::Feed, "feed"),
];

fn aimed(verb: char) -> Option<Aimed> {
    AIMED.iter().find(|(key, ..)| *key == verb).map(|&(_, aimed, _)| aimed)
}

impl Cellhack {
    fn target(&self, unit: Place, direction: Direction) -> usize {
        self.board.neighbour(unit as usize, direction as u8)
    }

    /// Refuses an action that cannot have an effect, whatever other cells do.
    fn can(&self, unit: Place, action: Action) -> Result<(), String> {
        match action {
            Action::Rest | Action::Nothing | Action::Die => Ok(()),
            Action::Eat(direction) | Action::Feed(direction) => {
                match self.board.owner[self.target(unit, direction)] {
                    EMPTY | ROCK => Err("there is no cell".into()),
                    _ => Ok(()),
                }
            }
            Action::Move(direction) => self.can_enter(unit, direction),
            Action::Split(direction) => {
                self.can_enter(unit, direction)?;
                // Four neighbours may feed it first.
                let most = self.board.energy[unit as usize] + 4 * i32::from(self.rules.eat_amount);
                let least = self.rules.energy_min_split;
                if most > least.into() {
                    return Ok(());
                }
                let energy = self.board.energy[unit as usize];
                Err(format!(
                    "a cell needs more than {least} energy to split, and this one has {energy}"
                ))
            }
        }
    }

    /// A cell that is there now may leave before this one moves.
    fn can_enter(&self, unit: Place, direction: Direction) -> Result<(), String> {
        match self.board.owner[self.target(unit, direction)] {
            ROCK => Err("there is a rock".into()),
            _ => Ok(()),
        }
    }

    /// The action for a direction alone: move to a free place, eat a foreign cell, feed an own one.
    fn usual(&self, unit: Place, direction: Direction) -> Action {
        let owner = self.board.owner[self.target(unit, direction)];
        if owner == EMPTY || owner == ROCK {
            Action::Move(direction)
        } else if owner == self.board.owner[unit as usize] {
            Action::Feed(direction)
        } else {
            Action::Eat(direction)
        }
    }

    fn aim(&self, orders: &mut UnitOrders<Action>, direction: Direction) -> Reaction {
        let action = match (orders.verb().and_then(aimed), orders.only_chosen()) {
            (Some(aimed), _) => aimed(direction),
            (None, Some(unit)) => self.usual(unit, direction),
            (None, None) => Action::Move(direction),
        };
        self.give(orders, action)
    }

    fn give(&self, orders: &mut UnitOrders<Action>, action: Action) -> Reaction {
        if orders.chosen().is_empty() {
            return Reaction::Refused("choose a cell first".into());
        }
        orders.give(action, |unit| self.can(unit, action))
    }

    fn pick(&self, orders: &mut UnitOrders<Action>, place: Place) -> Reaction {
        let Some(&owner) = self.board.owner.get(place as usize) else { return Reaction::Ignored };
        if orders.only_chosen() == Some(place) {
            orders.choose(vec![]);
            return Reaction::Changed;
        }
        let is_own = usize::from(owner) == orders.player().index() + 1;
        let beside = orders.only_chosen().and_then(|unit| {
            Direction::ALL
                .into_iter()
                .find(|&direction| self.target(unit, direction) == place as usize)
        });
        match beside {
            Some(direction) if !is_own || orders.verb().is_some() => self.aim(orders, direction),
            _ if is_own => {
                orders.choose(vec![place]);
                Reaction::Changed
            }
            _ => Reaction::Refused("choose one of your own cells".into()),
        }
    }

    fn typed(&self, orders: &mut UnitOrders<Action>, key: char) -> Reaction {
        if let Some(&(_, action, _)) = PLAIN.iter().find(|(typed, ..)| *typed == key) {
            return self.give(orders, action);
        }
        match (aimed(key), key, orders.last()) {
            (Some(_), ..) if orders.chosen().is_empty() => {
                Reaction::Refused("choose a cell first".into())
            }
            (Some(_), ..) => orders.begin(key),
            (None, '.', Some(last)) => self.give(orders, last),
            _ => Reaction::Ignored,
        }
    }
}

impl UnitGame for Cellhack {
    type Order = Action;

    const NOUN: &'static str = "cells";

    /// None once the game is over.
    fn units(&self, player: Player) -> Vec<Place> {
        let own = self.decisions().iter().filter(|decision| decision.player == player);
        own.map(|decision| decision.unit).collect()
    }

    fn act_on_units(&self, orders: &mut UnitOrders<Action>, act: Gesture) -> Reaction {
        match act {
            Gesture::Pick(place) => self.pick(orders, place),
            Gesture::Go(way) if !orders.chosen().is_empty() => self.aim(orders, way.into()),
            Gesture::Type(key) => self.typed(orders, key.to_ascii_lowercase()),
            _ => Reaction::Ignored,
        }
    }

    fn message(&self, orders: &UnitOrders<Action>, _: &[Place]) -> String {
        let who = match (orders.only_chosen(), orders.chosen().len()) {
            (_, 0) => return "Choose a cell, or all of them with *".into(),
            (Some(unit), _) => format!("A cell with {} energy", self.board.energy[unit as usize]),
            (None, cells) => format!("{cells} cells"),
        };
        match AIMED.iter().find(|(key, ..)| Some(*key) == orders.verb()) {
            Some((.., verb)) => format!("{who}: {verb} where? An arrow says it"),
            None => format!("{who}: type an action, or an arrow to go, eat or feed"),
        }
    }

    fn choices(&self, orders: &UnitOrders<Action>) -> Vec<Choice> {
        let plain = PLAIN.map(|(key, _, label)| Choice::typed(key, label));
        let aimed =
            |(key, _, label)| Choice::typed(key, label).chosen_if(orders.verb() == Some(key));
        let ways = ArrowKey::ALL.map(|way| Choice::new(Gesture::Go(way), way.name()));
        plain.into_iter().chain(AIMED.map(aimed)).chain(ways).collect()
    }

    fn order_name(action: Action) -> String {
        action.name().to_lowercase().replace('_', " ")
    }

    fn targets(&self, unit: Place) -> Vec<Place> {
        Direction::ALL.map(|direction| self.target(unit, direction) as Place).into()
    }

    fn order_marks(&self, orders: &UnitOrders<Action>) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (unit, action) in orders.iter() {
            let mut mark = |place, shape| marks.push(order_mark(place, shape));
            let pointer = |direction: Direction| Shape::Pointer(direction.key().arrow());
            let target = |direction| self.target(unit, direction) as Place;
            match action {
                Action::Rest => mark(unit, Shape::Disc(40)),
                Action::Nothing => mark(unit, Shape::Disc(15)),
                Action::Die => mark(unit, Shape::Cross),
                Action::Move(direction) => mark(unit, pointer(direction)),
                Action::Split(direction) => {
                    mark(unit, pointer(direction));
                    mark(target(direction), Shape::Disc(40));
                }
                Action::Eat(direction) => {
                    mark(unit, pointer(direction));
                    mark(target(direction), Shape::Cross);
                }
                Action::Feed(direction) => {
                    mark(unit, pointer(direction));
                    mark(target(direction), Shape::Ring);
                }
            }
        }
        marks
    }

    fn answer(&self, orders: &UnitOrders<Action>, decision: Decision) -> Answer {
        orders.get(decision.unit).map_or_else(Answer::default, Answer::new)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{GameExt as _, Seed};

    use super::super::{Cell, Place as At, Position, Rules};
    use super::*;
    use crate::human::Gesture::{Go, Pick, Type};
    use crate::human::HumanInput;

    /// Own cells of 100 energy at (1, 1) and of 30 at (2, 1), a foreign one at (1, 2), a rock at
    /// (0, 1); 5×4 places.
    fn game() -> Cellhack {
        let cell = |x, y, player, energy| Cell { x, y, player, energy, memory: 0 };
        let position = Position {
            players: 2,
            turn: 0,
            cells: vec![cell(1, 1, 0, 100), cell(2, 1, 0, 30), cell(1, 2, 1, 90)],
            rocks: vec![At { x: 0, y: 1 }],
        };
        Cellhack::from_position(
            &Rules { width: 5, height: 4, ..Rules::default() },
            Seed(1),
            position,
        )
        .unwrap()
    }

    const LARGE: Place = 6;
    const SMALL: Place = 7;

    fn answers(game: &Cellhack, orders: &UnitOrders<Action>) -> Vec<Action> {
        let own = game.decisions().iter().filter(|decision| decision.player == Player(0));
        own.map(|&decision| game.carry_out(orders, decision).action).collect()
    }

    fn play(game: &Cellhack, acts: &[Gesture]) -> UnitOrders<Action> {
        let mut orders = game.orders(Player(0));
        for &act in acts {
            assert_eq!(game.act(&mut orders, act), Reaction::Changed, "{act:?}");
        }
        orders
    }

    #[test]
    fn a_cell_an_action_and_a_direction_make_an_order() {
        let game = game();
        let orders =
            play(&game, &[Pick(LARGE), Type('s'), Go(ArrowKey::Up), Pick(SMALL), Type('r')]);
        assert_eq!(answers(&game, &orders), [Action::Split(Direction::Up), Action::Rest]);
        assert_eq!(game.hints(&orders).orders, 2);
    }

    #[test]
    fn directions_alone_do_what_is_usual() {
        let game = game();
        for (acts, expected) in [
            (&[Pick(LARGE), Go(ArrowKey::Up)][..], Action::Move(Direction::Up)),
            (&[Pick(LARGE), Go(ArrowKey::Down)], Action::Eat(Direction::Down)),
            (&[Pick(LARGE), Pick(LARGE + 5)], Action::Eat(Direction::Down)),
            (&[Pick(LARGE), Go(ArrowKey::Right)], Action::Feed(Direction::Right)),
            (&[Pick(LARGE), Type('m'), Pick(SMALL)], Action::Move(Direction::Right)),
            // It chooses the other one.
            (&[Pick(LARGE), Pick(SMALL)], Action::Nothing),
        ] {
            assert_eq!(answers(&game, &play(&game, acts))[0], expected, "{acts:?}");
        }
    }

    #[test]
    fn what_can_have_no_effect_is_refused() {
        let game = game();
        let refused = |acts: &[Gesture], last| {
            let mut orders = play(&game, acts);
            match game.act(&mut orders, last) {
                Reaction::Refused(why) => why,
                other => panic!("{other:?}"),
            }
        };
        for (acts, last, why) in [
            (&[Pick(LARGE)][..], Go(ArrowKey::Left), "rock"),
            (&[Pick(LARGE), Type('e')], Go(ArrowKey::Up), "no cell"),
            (&[Pick(SMALL), Type('s')], Go(ArrowKey::Up), "more than 40 energy"),
            (&[], Type('r'), "choose a cell first"),
            (&[], Type('m'), "choose a cell first"),
            (&[], Pick(LARGE + 5), "own cells"),
        ] {
            assert!(refused(acts, last).contains(why), "{acts:?}, {last:?}");
        }
    }

    #[test]
    fn edges_wrap() {
        let game = game();
        let orders = play(&game, &[Pick(LARGE), Go(ArrowKey::Up), Pick(SMALL), Go(ArrowKey::Up)]);
        let mut after = game.clone();
        after.step_with(|game, decision| match decision.player {
            Player(0) => game.carry_out(&orders, decision),
            _ => Answer::default(),
        });
        let top: Vec<Place> = after.units(Player(0));
        assert_eq!(top, [1, 2]);
        let orders = play(&after, &[Pick(1), Pick(16)]);
        assert_eq!(answers(&after, &orders)[0], Action::Move(Direction::Up));
    }
}
