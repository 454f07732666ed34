//! The numbered actions of an agent: those of [`Action`], in its order. Learners and random players
//! choose among them through [`AnyGame`](crate::any::AnyGame).
//!
//! All are legal at any time. An impossible action, such as a step into a wire, is no breach: the
//! agent does nothing, and its next message says so. All are effective, too, because that message
//! differs, and an agent that acts earlier in the tick may make the action possible.

use agon_core::{ActionError, ActionMask, Decision, LegalActions};

use super::{Action, Answer, Rezzo};

impl LegalActions for Rezzo {
    fn action_count(&self) -> usize {
        Action::ALL.len()
    }

    fn action_name(&self, action: usize) -> String {
        let name = match Action::ALL[action] {
            Action::Nop => "wait",
            Action::Advance => "advance",
            Action::TurnLeft => "turn left",
            Action::TurnRight => "turn right",
            Action::Build => "build",
            Action::Hit => "hit",
        };
        name.into()
    }

    fn legal_actions(&self, _: Decision, _: usize, legal: &mut ActionMask) {
        legal.fill(Action::ALL.len());
    }

    fn answer_of(&self, _: Decision, actions: &[usize]) -> Result<Answer, ActionError> {
        let action = ActionError::check_single(actions, Action::ALL.len())?;
        Ok(Action::ALL[action].into())
    }

    /// Silence, garbage, several messages, and a bot that has ended are no actions.
    fn actions_of(&self, _: Decision, answer: &Answer) -> Option<Vec<usize>> {
        let action = match answer {
            Answer::Several(_) => return None,
            answer => answer.action()?,
        };
        Some(vec![action as usize])
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, Player, Seed};

    use super::*;
    use crate::rezzo::Rules;

    #[test]
    fn every_action_is_legal_even_in_front_of_a_wire() {
        let rules = Rules { map: vec!["0.  1".into()], ..Rules::default() };
        let game = Rezzo::new(&rules, 2, Seed(1)).unwrap();
        let decision = Decision::new(Player(0), 0);
        let mut mask = ActionMask::default();
        game.legal_actions(decision, 0, &mut mask);
        assert_eq!(mask, ActionMask::all(6));
        for (number, action) in Action::ALL.into_iter().enumerate() {
            assert_eq!(action as usize, number);
            let answer = game.answer_of(decision, &[number]).unwrap();
            assert_eq!(answer, Answer::from(action));
            assert_eq!(game.actions_of(decision, &answer), Some(vec![number]));
        }
    }

    #[test]
    fn what_is_not_one_message_is_no_action() {
        let rules = Rules { map: vec!["0   1".into()], ..Rules::default() };
        let game = Rezzo::new(&rules, 2, Seed(1)).unwrap();
        let decision = Decision::new(Player(1), 0);
        for answer in [
            Answer::Silence,
            Answer::Garbage,
            Answer::Several(Some(Action::Hit)),
            Answer::Several(None),
            Answer::Gone,
        ] {
            assert_eq!(game.actions_of(decision, &answer), None, "{answer:?}");
        }
        assert!(game.answer_of(decision, &[6]).is_err());
    }
}
