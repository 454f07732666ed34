//! The numbered actions of a cell: the nineteen of [`Action::all`], in order of their bytes.
//!
//! All are legal at any time. All are effective, except EAT and FEED towards a place without a
//! cell: these do what NOTHING does. MOVE and SPLIT stay effective, because their place may become
//! free, or their energy enough, before it is their turn.

use agon_core::{ActionError, ActionMask, Decision, Game as _, LegalActions};

use super::{Action, Answer, Cellhack, EMPTY, ROCK};

/// Number of actions.
const COUNT: usize = 19;

fn action_with(number: usize) -> Action {
    Action::all().nth(number).expect("there are nineteen actions")
}

impl LegalActions for Cellhack {
    fn action_count(&self) -> usize {
        COUNT
    }

    fn action_name(&self, action: usize) -> String {
        action_with(action).name().to_lowercase().replace('_', " ")
    }

    fn legal_actions(&self, _: Decision, _: usize, legal: &mut ActionMask) {
        legal.fill(COUNT);
    }

    fn effective_actions(&self, decision: Decision, _: usize, effective: &mut ActionMask) {
        let env = self.view(decision).env();
        effective.fill(COUNT);
        for (number, action) in Action::all().enumerate() {
            if let Action::Eat(direction) | Action::Feed(direction) = action
                && [EMPTY, ROCK].contains(&env.at(direction))
            {
                effective.remove(number);
            }
        }
    }

    /// The cell keeps its memory.
    fn answer_of(&self, _: Decision, actions: &[usize]) -> Result<Answer, ActionError> {
        ActionError::check_single(actions, COUNT).map(|number| Answer::new(action_with(number)))
    }

    fn actions_of(&self, _: Decision, answer: &Answer) -> Option<Vec<usize>> {
        Action::all().position(|action| action == answer.action).map(|number| vec![number])
    }
}
