//! Lets a person play an agent: a key for each action, and each action is a tick. For people who
//! play with `agon play` or in a browser: the screens pass their clicks and keys on to this file,
//! which turns them into answers.

use agon_core::{Decision, Player};

use super::{Ack, Action, Answer, Kind, Rezzo, VIEWPORT};
use crate::human::{ArrowKey, Choice, Gesture, Hints, HumanInput, Reaction};
use crate::scene::{Hue, Ink, Mark, Place, Shape};

/// Milliseconds of a tick, as on the classic command line.
const TICK_MS: u32 = 60;

/// What a person does in a tick.
#[derive(Clone, Debug)]
pub struct Orders {
    player: Player,
    action: Option<Action>,
}

/// The keys, and what they do.
const KEYS: [(Gesture, Action, &str); 6] = [
    (Gesture::Go(ArrowKey::Up), Action::Advance, "advance"),
    (Gesture::Go(ArrowKey::Left), Action::TurnLeft, "turn left"),
    (Gesture::Go(ArrowKey::Right), Action::TurnRight, "turn right"),
    (Gesture::Type(' '), Action::Build, "build"),
    (Gesture::Confirm, Action::Hit, "hit"),
    (Gesture::Go(ArrowKey::Down), Action::Nop, "wait"),
];

/// The agent's place in the viewport: the middle of the last row.
const OWN: Place = (VIEWPORT * VIEWPORT - 1 - VIEWPORT / 2) as Place;

/// The place ahead of it.
const AHEAD: Place = OWN - VIEWPORT as Place;

impl Rezzo {
    /// The action for a pick in the viewport. The cell ahead: step onto it, or hit a wire or flag
    /// there. A cell beside the agent: turn to it. The agent itself: wait.
    fn picked(&self, player: Player, place: Place) -> Option<Action> {
        match place {
            OWN => Some(Action::Nop),
            _ if place == OWN - 1 => Some(Action::TurnLeft),
            _ if place == OWN + 1 => Some(Action::TurnRight),
            AHEAD => {
                let kind = self.world.cell(self.agent(player)?.seen(&self.world, 1, 0)).kind;
                Some(if kind.is_wire() || kind == Kind::Flag {
                    Action::Hit
                } else {
                    Action::Advance
                })
            }
            _ => None,
        }
    }
}

/// A message about the last action. A person who does nothing in a tick just waits.
fn news(ack: Ack) -> &'static str {
    match ack {
        Ack::Ok | Ack::NoMessage => "",
        Ack::Invalid => "That was not possible. ",
        Ack::Garbage => "That was no action. ",
        Ack::Several => "Only the first of several actions counted. ",
    }
}

impl HumanInput for Rezzo {
    type Orders = Orders;

    fn orders(&self, player: Player) -> Orders {
        Orders { player, action: None }
    }

    fn act(&self, orders: &mut Orders, act: Gesture) -> Reaction {
        if self.agent(orders.player).is_none() {
            return Reaction::Ignored;
        }
        let action = match act {
            Gesture::Pick(place) => self.picked(orders.player, place),
            _ => KEYS.iter().find(|(key, ..)| *key == act).map(|&(_, action, _)| action),
        };
        let Some(action) = action else { return Reaction::Ignored };
        orders.action = Some(action);
        Reaction::Submitted
    }

    fn hints(&self, orders: &Orders) -> Hints {
        let Some(ack) = self.ack(orders.player) else { return Hints::default() };
        let keys = "Lead an enemy's flag to your base. Up advances, Left and Right turn, Space \
            builds a wire, Return hits what is ahead, Down waits";
        Hints {
            message: format!("{}{keys}", news(ack)),
            marks: vec![Mark { place: AHEAD, shape: Shape::Ring, ink: Ink::new(Hue::Accent) }],
            choices: KEYS.iter().map(|&(act, _, label)| Choice::new(act, label)).collect(),
            ..Hints::default()
        }
    }

    /// Without an order, no action comes in time.
    fn carry_out(&self, orders: &Orders, _: Decision) -> Answer {
        orders.action.map_or_else(Answer::default, Answer::from)
    }

    fn turn_ms(&self) -> Option<u32> {
        Some(TICK_MS)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, Seed};

    use super::super::{Facing, Rules};
    use super::*;
    use crate::human::ArrowKey::{Down, Left, Right, Up};
    use crate::human::Gesture::{Confirm, Go, Pick, Type, Undo};

    fn game(rows: &[&str], facing: Facing) -> Rezzo {
        let rules = Rules { map: rows.iter().map(|&row| row.into()).collect(), ..Rules::default() };
        let mut position = Rezzo::new(&rules, 2, Seed(1)).unwrap().position();
        position.agents[0].facing = facing;
        Rezzo::from_position(&rules, Seed(1), position).unwrap()
    }

    fn after(game: &Rezzo, act: Gesture) -> Option<Answer> {
        let mut orders = game.orders(Player(0));
        match game.act(&mut orders, act) {
            Reaction::Submitted => Some(game.carry_out(&orders, game.decisions()[0])),
            Reaction::Ignored => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_key_is_an_action_at_once() {
        let game = game(&["0   1"], Facing::E);
        assert_eq!(after(&game, Go(Up)), Some(Answer::Advance));
        assert_eq!(after(&game, Go(Left)), Some(Answer::TurnLeft));
        assert_eq!(after(&game, Go(Right)), Some(Answer::TurnRight));
        assert_eq!(after(&game, Go(Down)), Some(Answer::Nop));
        assert_eq!(after(&game, Type(' ')), Some(Answer::Build));
        assert_eq!(after(&game, Confirm), Some(Answer::Hit));
        assert_eq!(after(&game, Undo), None);
        assert_eq!(after(&game, Type('z')), None);
        assert_eq!(game.carry_out(&game.orders(Player(0)), game.decisions()[0]), Answer::Silence);
    }

    #[test]
    fn the_cells_around_the_agent_can_be_picked() {
        let blank = game(&["0 . 1"], Facing::E);
        assert_eq!(after(&blank, Pick(149)), Some(Answer::Advance));
        assert_eq!(after(&blank, Pick(162)), Some(Answer::Nop));
        assert_eq!(after(&blank, Pick(161)), Some(Answer::TurnLeft));
        assert_eq!(after(&blank, Pick(163)), Some(Answer::TurnRight));
        assert_eq!(after(&blank, Pick(1)), None);
        assert_eq!(after(&blank, Pick(u32::MAX)), None);
        assert_eq!(after(&game(&["0.  1"], Facing::E), Pick(149)), Some(Answer::Hit));
    }

    #[test]
    fn hints_tell_what_was_not_possible() {
        let mut game = game(&["0.  1"], Facing::E);
        let message = |game: &Rezzo| game.hints(&game.orders(Player(0))).message;
        assert!(message(&game).starts_with("Lead an enemy's flag"));
        let mut waiting = game.clone();
        waiting.step(&[Answer::Silence, Answer::Nop]);
        assert_eq!(message(&waiting), message(&game), "waiting is no mistake");
        game.step(&[Answer::Advance, Answer::Nop]);
        assert!(message(&game).starts_with("That was not possible. "));
        game.step(&[Answer::Gone, Answer::Nop]);
        assert_eq!(game.hints(&game.orders(Player(0))), Hints::default(), "lost");
    }
}
