//! The numbered actions of an agent: those of [`Action`], in its order.
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
