//! The numbered actions of a player: a pellet of each colour into each column, and the five
//! rotations.
//!
//! Action `4 * column + color` places, action `4 * columns + cycles - 1` rotates. To give up is an
//! answer, but no action. Numbers are the same for both players, so the opponent's colours are
//! never legal.
//!
//! Two kinds of actions are legal: a pellet of a colour in hand into a column that is not full, and
//! every rotation. The effective actions are the same, because no two of them do the same.

use agon_core::{ActionError, ActionMask, Decision, LegalActions};

use super::{Answer, COLORS, Cluster};

/// The rotations, by 1 to 5 sixths of a turn.
const ROTATIONS: usize = 5;

impl Cluster {
    /// The first action that rotates.
    fn first_rotation(&self) -> usize {
        self.board.columns() * COLORS
    }

    fn answer_to_action(&self, action: usize) -> Answer {
        match action.checked_sub(self.first_rotation()) {
            Some(rotation) => Answer::Rotate { cycles: rotation as u8 + 1 },
            None => {
                Answer::Place { column: (action / COLORS) as u16, color: (action % COLORS) as u8 }
            }
        }
    }
}

impl LegalActions for Cluster {
    fn action_count(&self) -> usize {
        self.first_rotation() + ROTATIONS
    }

    fn action_name(&self, action: usize) -> String {
        assert!(action < self.action_count(), "there is no action {action}");
        match self.answer_to_action(action) {
            Answer::Place { column, color } => format!("place color {color} in column {column}"),
            Answer::Rotate { cycles: 1 } => "rotate by 1 sixth".into(),
            Answer::Rotate { cycles } => format!("rotate by {cycles} sixths"),
            Answer::Forfeit => "give up".into(),
        }
    }

    fn legal_actions(&self, _: Decision, _: usize, legal: &mut ActionMask) {
        legal.clear(self.action_count());
        for (column, _) in self.valid_columns() {
            for &color in self.hand() {
                legal.insert(column * COLORS + usize::from(color));
            }
        }
        (self.first_rotation()..self.action_count()).for_each(|action| legal.insert(action));
    }

    fn answer_of(&self, _: Decision, actions: &[usize]) -> Result<Answer, ActionError> {
        let action = ActionError::check_single(actions, self.action_count())?;
        Ok(self.answer_to_action(action))
    }

    fn actions_of(&self, _: Decision, answer: &Answer) -> Option<Vec<usize>> {
        let action = match *answer {
            Answer::Place { column, color }
                if usize::from(column) < self.board.columns() && usize::from(color) < COLORS =>
            {
                usize::from(column) * COLORS + usize::from(color)
            }
            Answer::Rotate { cycles: cycles @ 1..=5 } => {
                self.first_rotation() + usize::from(cycles) - 1
            }
            Answer::Place { .. } | Answer::Rotate { .. } | Answer::Forfeit => return None,
        };
        Some(vec![action])
    }
}
