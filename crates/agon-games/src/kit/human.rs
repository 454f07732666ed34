//! Lets a person play games of the kit: every legal answer gets a key, a click or a button. Screens
//! (window, terminal, browser) pass the gestures on to this file.

use agon_core::{Decision, Game, GameExt, Player};

use super::{Kit, SmallGame, actions::answer_text};
use crate::{
    human::{ArrowKey, Choice, Gesture, Hints, HumanInput, Reaction},
    scene::{Board, Hue, Ink, Mark, Place, Render, Shape},
};

/// Keys for answers to which the game assigns no gesture.
const KEYS: &str = "123456789abcdefghijklmnopqrstuvwxyz";

/// What a person has chosen in a turn.
#[derive(Clone, Debug)]
pub struct Orders<A> {
    player: Player,
    /// The units that have an answer, in the order in which they were given.
    answers: Vec<(u32, A)>,
    /// The square that the arrow keys have moved to.
    cursor: Option<Place>,
}

impl<S: SmallGame> Kit<S> {
    /// The next decision without an answer.
    fn waiting(&self, orders: &Orders<S::Answer>) -> Option<Decision> {
        let is_answered = |unit| orders.answers.iter().any(|(known, _)| *known == unit);
        let mut own = self.decisions().iter().filter(|decision| decision.player == orders.player);
        own.find(|decision| !is_answered(decision.unit)).copied()
    }

    /// The legal answers with their keys and clicks. Answers for which no key is left are missing.
    fn gestures(&self, decision: Decision) -> Vec<(Gesture, &S::Answer)> {
        let mut keys = KEYS.chars().map(Gesture::Type);
        let gesture = |answer| self.state().gesture(self.rules(), decision, answer);
        let paired = self.legal_answers(decision).filter_map(|answer| {
            let gesture = gesture(answer).or_else(|| keys.next())?;
            Some((gesture, answer))
        });
        paired.collect()
    }

    /// Returns the square that Return picks; `None` if no click gives an answer.
    fn cursor(
        &self,
        orders: &Orders<S::Answer>,
        gestures: &[(Gesture, &S::Answer)],
    ) -> Option<Place> {
        let mut places = gestures.iter().filter_map(|(gesture, _)| match gesture {
            Gesture::Pick(place) => Some(*place),
            _ => None,
        });
        let first = places.next()?;
        Some(orders.cursor.unwrap_or(first))
    }

    /// Returns the next square in a direction; the same one at the edge.
    fn next_square(&self, player: Player, from: Place, way: ArrowKey) -> Place {
        let Board::Grid { width, height, wraps } = self.scene_for(player).board else {
            return from;
        };
        if width == 0 || height == 0 {
            return from;
        }
        let (right, down) = way.step();
        let step = |from: u32, by: i32, size: u32| {
            let (to, size) = (i64::from(from) + i64::from(by), i64::from(size));
            let to = if wraps { to.rem_euclid(size) } else { to.clamp(0, size - 1) };
            u32::try_from(to).expect("it lies between 0 and the size")
        };
        step(from / width, down, height) * width + step(from % width, right, width)
    }
}

/// Returns the answer that a gesture gives.
fn answer_of<A: Clone>(gestures: &[(Gesture, &A)], act: Gesture) -> Option<A> {
    let found = gestures.iter().find(|(gesture, _)| *gesture == act);
    found.map(|(_, answer)| (*answer).clone())
}

impl<S: SmallGame> HumanInput for Kit<S> {
    type Orders = Orders<S::Answer>;

    fn orders(&self, player: Player) -> Orders<S::Answer> {
        Orders { player, answers: Vec::new(), cursor: None }
    }

    fn act(&self, orders: &mut Orders<S::Answer>, act: Gesture) -> Reaction {
        let Some(decision) = self.waiting(orders) else { return Reaction::Ignored };
        if act == Gesture::Undo {
            return match orders.answers.pop() {
                Some(_) => Reaction::Changed,
                None => Reaction::Refused("there is no order to take back".into()),
            };
        }

        let act = match act {
            Gesture::Type(key) => Gesture::Type(key.to_ascii_lowercase()),
            other => other,
        };
        let gestures = self.gestures(decision);
        // Answers may use the arrow keys or Return themselves.
        let answer = match (answer_of(&gestures, act), self.cursor(orders, &gestures), act) {
            (Some(answer), ..) => answer,
            (None, Some(at), Gesture::Confirm) => match answer_of(&gestures, Gesture::Pick(at)) {
                Some(answer) => answer,
                None => return Reaction::Refused("move to a marked square first".into()),
            },
            (None, Some(at), Gesture::Go(way)) => {
                orders.cursor = Some(self.next_square(orders.player, at, way));
                return Reaction::Changed;
            }
            _ => return Reaction::Ignored,
        };
        orders.answers.push((decision.unit, answer));
        match self.waiting(orders) {
            Some(_) => Reaction::Changed,
            None => Reaction::Submitted,
        }
    }

    fn hints(&self, orders: &Orders<S::Answer>) -> Hints {
        let Some(decision) = self.waiting(orders) else { return Hints::default() };
        let mut hints = Hints { message: "Choose an answer".into(), ..Hints::default() };
        let own = self.decisions().iter().filter(|other| other.player == decision.player);
        if own.count() > 1 {
            hints.message = format!("Choose an answer for unit {}", decision.unit);
        }

        let gestures = self.gestures(decision);
        if let Some(place) = self.cursor(orders, &gestures) {
            hints.message.push_str(": arrow keys and Return, or a click");
            let answer = answer_of(&gestures, Gesture::Pick(place));
            let label = answer.map_or_else(|| "nothing here".into(), |answer| answer_text(&answer));
            if answer_of(&gestures, Gesture::Confirm).is_none() {
                hints.choices.push(Choice::new(Gesture::Confirm, label));
            }
            // Terminals without colours write a cross, but no ring.
            let ink = Ink::new(Hue::Accent);
            hints.marks.push(Mark { place, shape: Shape::Cross, ink });
        }
        for (gesture, answer) in gestures {
            match gesture {
                Gesture::Pick(place) => {
                    let ink = Ink::faded(Hue::Accent, Ink::FULL / 3);
                    hints.marks.push(Mark { place, shape: Shape::Disc(30), ink });
                }
                _ => hints.choices.push(Choice::new(gesture, answer_text(answer))),
            }
        }
        if !orders.answers.is_empty() {
            hints.choices.push(Choice::new(Gesture::Undo, "take back"));
        }
        hints
    }

    fn carry_out(&self, orders: &Orders<S::Answer>, decision: Decision) -> S::Answer {
        debug_assert!(!self.is_over(), "a game that is over asks nobody");
        let given = orders.answers.iter().find(|(unit, _)| *unit == decision.unit);
        given.map(|(_, answer)| answer.clone()).unwrap_or_default()
    }
}
