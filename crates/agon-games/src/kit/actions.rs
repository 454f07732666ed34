//! Numbered actions for games of the kit: an action is the number of an answer in
//! [`SmallGame::answers`].

use agon_core::{ActionError, ActionMask, Decision, Game, LegalActions};
use serde_json::Value;

use super::{Kit, SmallGame};

/// An answer as people write it: its JSON, without quotes around a word.
pub(super) fn answer_text(answer: &impl serde::Serialize) -> String {
    match serde_json::to_value(answer).expect("answers survive JSON") {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

impl<S: SmallGame> LegalActions for Kit<S> {
    fn action_count(&self) -> usize {
        self.answers().len()
    }

    fn action_name(&self, action: usize) -> String {
        answer_text(&self.answers()[action])
    }

    fn legal_actions(&self, decision: Decision, _: usize, legal: &mut ActionMask) {
        legal.clear(self.answers().len());
        for (action, answer) in self.answers().iter().enumerate() {
            if self.illegal(decision, answer).is_none() {
                legal.insert(action);
            }
        }
    }

    fn answer_of(&self, _: Decision, actions: &[usize]) -> Result<S::Answer, ActionError> {
        let action = ActionError::check_single(actions, self.answers().len())?;
        Ok(self.answers()[action].clone())
    }

    fn actions_of(&self, _: Decision, answer: &S::Answer) -> Option<Vec<usize>> {
        let action = self.answers().iter().position(|known| known == answer)?;
        Some(vec![action])
    }
}
