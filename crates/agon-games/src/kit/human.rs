//! Lets a person play games of the kit: every legal answer gets a key, a click or a button. Screens
//! (window, terminal, browser) pass the gestures on to this file.

use agon_core::{Decision, Game, GameExt, Player};

use super::{Kit, SmallGame, actions::answer_text};
use crate::{
    human::{Choice, Gesture, Hints, HumanInput, Reaction},
    scene::{Hue, Ink, Mark, Shape},
};

/// Keys for answers to which the game assigns no gesture.
const KEYS: &str = "123456789abcdefghijklmnopqrstuvwxyz";

/// What a person has chosen in a turn.
#[derive(Clone, Debug)]
pub struct Orders<A> {
    player: Player,
    /// The units that have an answer, in the order in which they were given.
    answers: Vec<(u32, A)>,
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
}

impl<S: SmallGame> HumanInput for Kit<S> {
    type Orders = Orders<S::Answer>;

    fn orders(&self, player: Player) -> Orders<S::Answer> {
        Orders { player, answers: Vec::new() }
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
        let found = self.gestures(decision).into_iter().find(|(gesture, _)| *gesture == act);
        let Some((_, answer)) = found else { return Reaction::Ignored };
        orders.answers.push((decision.unit, answer.clone()));
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

        for (gesture, answer) in self.gestures(decision) {
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
