//! How a person plays: a key per action, each of which is a tick.

use agon_core::{Decision, Player};

use crate::{
    hand::{Act, Choice, Hand, Hints, Reaction, Way},
    scene::{Hue, Ink, Mark, Place, Shape},
};

use super::{Ack, Action, Answer, Kind, Rezzo};

/// Milliseconds of a tick, as the classic command line has it.
const TICK_MS: u32 = 60;

/// What a person does in a tick.
#[derive(Clone, Debug)]
pub struct Orders {
    player: Player,
    action: Option<Action>,
}

/// The keys, and what they do.
const KEYS: [(Act, Action, &str); 6] = [
    (Act::Go(Way::Up), Action::Advance, "advance"),
    (Act::Go(Way::Left), Action::TurnLeft, "turn left"),
    (Act::Go(Way::Right), Action::TurnRight, "turn right"),
    (Act::Type(' '), Action::Build, "build"),
    (Act::Confirm, Action::Hit, "hit"),
    (Act::Go(Way::Down), Action::Nop, "wait"),
];

impl Rezzo {
    /// The place ahead of a living player's agent.
    fn ahead(&self, player: Player) -> Option<usize> {
        Some(self.agent(player)?.seen(&self.world, 1, 0))
    }

    /// What picking a place means: the cell ahead is walked onto, or hit if there is a wire or flag; the agent itself
    /// waits.
    fn picked(&self, player: Player, place: Place) -> Option<Action> {
        let place = place as usize;
        if self.agent(player)?.place == place {
            return Some(Action::Nop);
        }
        if self.ahead(player)? != place {
            return None;
        }
        let kind = self.world.cell(place).kind;
        Some(if kind.is_wire() || kind == Kind::Flag { Action::Hit } else { Action::Advance })
    }
}

/// What became of the action before.
fn news(ack: Ack) -> &'static str {
    match ack {
        Ack::Ok => "",
        Ack::NoMessage => "No action came in time. ",
        Ack::Invalid => "That was not possible. ",
        Ack::Garbage => "That was no action. ",
        Ack::Several => "Only the first of several actions counted. ",
    }
}

impl Hand for Rezzo {
    type Orders = Orders;

    fn orders(&self, player: Player) -> Orders {
        Orders { player, action: None }
    }

    fn act(&self, orders: &mut Orders, act: Act) -> Reaction {
        if self.agent(orders.player).is_none() {
            return Reaction::Ignored;
        }
        let action = match act {
            Act::Pick(place) => self.picked(orders.player, place),
            _ => KEYS.iter().find(|(key, ..)| *key == act).map(|&(_, action, _)| action),
        };
        let Some(action) = action else { return Reaction::Ignored };
        orders.action = Some(action);
        Reaction::Given
    }

    fn hints(&self, orders: &Orders) -> Hints {
        let (Some(ack), Some(ahead)) = (self.ack(orders.player), self.ahead(orders.player)) else {
            return Hints::default();
        };
        let keys = "Up advances, Left and Right turn, Space builds, Return hits, Down waits";
        Hints {
            message: format!("{}{keys}", news(ack)),
            marks: vec![Mark { place: ahead as Place, shape: Shape::Ring, ink: Ink::new(Hue::Accent) }],
            choices: KEYS.iter().map(|&(act, _, label)| Choice::new(act, label)).collect(),
            orders: 0,
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

    use super::{
        super::{Facing, Rules},
        *,
    };

    fn game(rows: &[&str], facing: Facing) -> Rezzo {
        let rules = Rules { map: rows.iter().map(|&row| row.into()).collect(), ..Rules::default() };
        let mut position = Rezzo::new(&rules, 2, Seed(1)).unwrap().position();
        position.agents[0].facing = facing;
        Rezzo::from_position(&rules, Seed(1), position).unwrap()
    }

    fn after(game: &Rezzo, act: Act) -> Option<Answer> {
        let mut orders = game.orders(Player(0));
        match game.act(&mut orders, act) {
            Reaction::Given => Some(game.carry_out(&orders, game.decisions()[0])),
            Reaction::Ignored => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_key_is_an_action_at_once() {
        let game = game(&["0   1"], Facing::E);
        assert_eq!(after(&game, Act::Go(Way::Up)), Some(Answer::Advance));
        assert_eq!(after(&game, Act::Go(Way::Left)), Some(Answer::TurnLeft));
        assert_eq!(after(&game, Act::Go(Way::Right)), Some(Answer::TurnRight));
        assert_eq!(after(&game, Act::Go(Way::Down)), Some(Answer::Nop));
        assert_eq!(after(&game, Act::Type(' ')), Some(Answer::Build));
        assert_eq!(after(&game, Act::Confirm), Some(Answer::Hit));
        assert_eq!(after(&game, Act::Undo), None);
        assert_eq!(after(&game, Act::Type('z')), None);
        assert_eq!(game.carry_out(&game.orders(Player(0)), game.decisions()[0]), Answer::Silence);
    }

    #[test]
    fn the_cell_ahead_can_be_picked() {
        let blank = game(&["0 . 1"], Facing::E);
        assert_eq!(after(&blank, Act::Pick(1)), Some(Answer::Advance));
        assert_eq!(after(&blank, Act::Pick(0)), Some(Answer::Nop));
        assert_eq!(after(&blank, Act::Pick(2)), None);
        assert_eq!(after(&blank, Act::Pick(u32::MAX)), None);
        assert_eq!(after(&game(&["0.  1"], Facing::E), Act::Pick(1)), Some(Answer::Hit));
    }

    #[test]
    fn hints_tell_what_was_not_possible() {
        let mut game = game(&["0.  1"], Facing::E);
        let message = |game: &Rezzo| game.hints(&game.orders(Player(0))).message;
        assert!(message(&game).starts_with("Up advances"));
        game.answer(&[Answer::Advance, Answer::Nop]);
        assert!(message(&game).starts_with("That was not possible. "));
        game.answer(&[Answer::Gone, Answer::Nop]);
        assert_eq!(game.hints(&game.orders(Player(0))), Hints::default(), "lost");
    }
}
