//! Lets a person play cellhack: choose cells, then give them an action, with a direction where it
//! needs one. For people who play with `agon play` or in a browser: the screens pass their clicks
//! and keys on to this file, which turns them into answers.

use agon_core::{Decision, Game, Player};

use super::{Action, Answer, Cellhack, Direction, EMPTY, ROCK};
use crate::human::{
    AimedOrder, ArrowKey, Choice, Gesture, PlainOrder, UnitGame, UnitOrders, order_mark,
};
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

impl Cellhack {
    fn target(&self, unit: Place, direction: Direction) -> usize {
        self.board.neighbour(unit as usize, direction as u8)
    }

    fn is_own(&self, player: Player, place: Place) -> bool {
        usize::from(self.board.owner[place as usize]) == player.index() + 1
    }

    /// A cell that is there now may leave before this one moves.
    fn can_enter(&self, unit: Place, direction: Direction) -> Result<(), String> {
        match self.board.owner[self.target(unit, direction)] {
            ROCK => Err("there is a rock".into()),
            _ => Ok(()),
        }
    }
}

impl UnitGame for Cellhack {
    type Order = Action;
    type Way = Direction;

    const NOUN: &'static str = "cells";
    const CHOOSE_FIRST: &'static str = "choose a cell first";

    const PLAIN: &'static [PlainOrder<Cellhack>] =
        &[('r', Action::Rest, "rest"), ('w', Action::Nothing, "wait"), ('d', Action::Die, "die")];

    const AIMED: &'static [AimedOrder<Cellhack>] = &[
        ('m', Action::Move, "move"),
        ('s', Action::Split, "split"),
        ('e', Action::Eat, "eat"),
        ('f', Action::Feed, "feed"),
    ];

    /// None once the game is over.
    fn units(&self, player: Player) -> Vec<Place> {
        let own = self.decisions().iter().filter(|decision| decision.player == player);
        own.map(|decision| decision.unit).collect()
    }

    fn ways(&self, unit: Place) -> Vec<(Direction, Place)> {
        Direction::ALL.map(|direction| (direction, self.target(unit, direction) as Place)).into()
    }

    fn way_of(act: Gesture) -> Option<Direction> {
        match act {
            Gesture::Go(way) => Some(way.into()),
            _ => None,
        }
    }

    fn is_chosen_first(&self, player: Player, place: Place) -> bool {
        self.is_own(player, place)
    }

    fn may_choose(&self, player: Player, place: Place) -> Result<(), String> {
        if self.is_own(player, place) {
            return Ok(());
        }
        Err("choose one of your own cells".into())
    }

    /// Move to a free place, eat a foreign cell, feed an own one.
    fn usual(&self, _: Player, unit: Option<Place>, way: Direction) -> Result<Action, String> {
        let Some(unit) = unit else { return Ok(Action::Move(way)) };
        let owner = self.board.owner[self.target(unit, way)];
        Ok(if owner == EMPTY || owner == ROCK {
            Action::Move(way)
        } else if owner == self.board.owner[unit as usize] {
            Action::Feed(way)
        } else {
            Action::Eat(way)
        })
    }

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

    fn message(&self, orders: &UnitOrders<Action>, _: &[Place]) -> String {
        let who = match (orders.only_chosen(), orders.chosen.len()) {
            (_, 0) => return "Choose a cell, or all of them with *".into(),
            (Some(unit), _) => format!("A cell with {} energy", self.board.energy[unit as usize]),
            (None, cells) => format!("{cells} cells"),
        };
        match Self::aimed(orders.verb) {
            Some((.., verb)) => format!("{who}: {verb} where? An arrow says it"),
            None => format!("{who}: type an action, or an arrow to go, eat or feed"),
        }
    }

    fn way_choices(&self, _: &UnitOrders<Action>) -> Vec<Choice> {
        ArrowKey::ALL.map(|way| Choice::new(Gesture::Go(way), way.name())).into()
    }

    fn order_name(action: Action) -> String {
        action.name().to_lowercase().replace('_', " ")
    }

    fn order_marks(&self, orders: &UnitOrders<Action>) -> Vec<Mark> {
        let mut marks = Vec::new();
        for (&unit, &action) in &orders.orders {
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
    use crate::human::{HumanInput, Reaction};

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
