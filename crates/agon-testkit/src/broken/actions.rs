//! The numbered actions of the games that are broken on purpose, for the tests of the conformance
//! kit.

use agon_core::{ActionError, ActionMask, Decision, Game as _, LegalActions};

use crate::toy::ToyAnswer;

use super::{
    Broken, COUNT_GROWS, DIRTY_MASKS, EFFECTIVE_BREACH, FORBIDS_TOO_MUCH, FORGETS_ACTIONS,
    LEGAL_BREACH, LOSES_ACTIONS, NAMES_CHANGE, NAMES_TWICE, NOTHING_LEGAL, TAKES_ANY_LIST,
    UNLIKE_ANY_OTHER,
};

impl<const D: u8> LegalActions for Broken<D> {
    fn action_count(&self) -> usize {
        let more = if D == COUNT_GROWS { self.toy.progress().turn as usize } else { 0 };
        self.toy.action_count() + more
    }

    fn action_name(&self, action: usize) -> String {
        match D {
            NAMES_TWICE => self.toy.action_name(action.min(3)),
            NAMES_CHANGE => format!("{action} in turn {}", self.toy.progress().turn),
            _ => self.toy.action_name(action),
        }
    }

    fn legal_actions(&self, decision: Decision, choice: usize, legal: &mut ActionMask) {
        let was_there = legal.contains(4);
        self.toy.legal_actions(decision, choice, legal);
        match D {
            NOTHING_LEGAL if self.toy.progress().turn > 2 => legal.clear(5),
            LEGAL_BREACH => legal.fill(5),
            FORBIDS_TOO_MUCH => legal.remove(2),
            DIRTY_MASKS if was_there => legal.insert(4),
            _ => {}
        }
    }

    fn effective_actions(&self, decision: Decision, choice: usize, effective: &mut ActionMask) {
        self.legal_actions(decision, choice, effective);
        match D {
            EFFECTIVE_BREACH => effective.insert(4),
            UNLIKE_ANY_OTHER => effective.remove(3),
            _ => {}
        }
    }

    fn answer_of(&self, decision: Decision, actions: &[usize]) -> Result<ToyAnswer, ActionError> {
        if D == TAKES_ANY_LIST {
            return Ok(ToyAnswer(actions.first().map_or(0, |&action| action as u8)));
        }
        self.toy.answer_of(decision, actions)
    }

    fn actions_of(&self, decision: Decision, answer: &ToyAnswer) -> Option<Vec<usize>> {
        match (D, answer.0) {
            (LOSES_ACTIONS, 1) => Some(vec![2]),
            (FORGETS_ACTIONS, 1) if self.toy.progress().turn > 0 => None,
            _ => self.toy.actions_of(decision, answer),
        }
    }
}
