//! The error of a list of actions that makes no answer: too few, too many, or an unknown one.
//!
//! A game reports it to callers who choose numbered actions, such as a learner.

use thiserror::Error;

/// Why a list of actions makes no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ActionError {
    /// The list is too short or too long.
    #[error("{given} actions given for {} of this decision", choices(*expected))]
    Count {
        /// Choices of the decision.
        expected: usize,
        /// Actions in the list.
        given: usize,
    },
    /// The game has no such action.
    #[error("choice {choice}: there is no action {action}; actions are numbered from 0 to {last}")]
    Unknown {
        /// The choice, from 0.
        choice: usize,
        /// The action given for it.
        action: usize,
        /// The last action there is.
        last: usize,
    },
}

impl ActionError {
    /// Checks that there is one action for each of `choices`, all of them below `action_count`.
    ///
    /// # Errors
    /// Names the first action that does not exist, or both numbers if they differ.
    pub fn check(
        actions: &[usize],
        choices: usize,
        action_count: usize,
    ) -> Result<(), ActionError> {
        if actions.len() != choices {
            return Err(ActionError::Count { expected: choices, given: actions.len() });
        }
        match actions.iter().position(|&action| action >= action_count) {
            None => Ok(()),
            Some(choice) => {
                let last = action_count.saturating_sub(1);
                Err(ActionError::Unknown { choice, action: actions[choice], last })
            }
        }
    }

    /// Returns the action of a decision with a single choice.
    ///
    /// # Errors
    /// As [`ActionError::check`] for one choice.
    pub fn check_single(actions: &[usize], action_count: usize) -> Result<usize, ActionError> {
        ActionError::check(actions, 1, action_count).map(|()| actions[0])
    }
}

fn choices(count: usize) -> String {
    if count == 1 { "the 1 choice".into() } else { format!("the {count} choices") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_numbers() {
        let error = |actions: &[usize], choices| {
            ActionError::check(actions, choices, 5).unwrap_err().to_string()
        };
        assert_eq!(error(&[0, 0], 1), "2 actions given for the 1 choice of this decision");
        assert_eq!(error(&[], 3), "0 actions given for the 3 choices of this decision");
        assert_eq!(
            error(&[4, 5], 2),
            "choice 1: there is no action 5; actions are numbered from 0 to 4"
        );
        assert_eq!(ActionError::check(&[4, 0], 2, 5), Ok(()));
        assert_eq!(ActionError::check_single(&[4], 5), Ok(4));
    }
}
