//! The numbered actions of a player: a pellet of each colour into each column, and the five
//! rotations. Learners and random players choose among them through
//! [`AnyGame`](crate::any::AnyGame).
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

#[cfg(test)]
mod tests {
    use agon_core::{Game, GameExt, Seed};

    use super::*;
    use crate::cluster::Rules;

    /// A board of side 3, on which no run ends the game.
    fn game() -> Cluster {
        let rules = Rules { side: 3, run_length: 9, bag: Some(50), ..Rules::default() };
        Cluster::new(&rules, 2, Seed(1)).unwrap()
    }

    fn legal(game: &Cluster) -> Vec<usize> {
        let mut mask = ActionMask::default();
        game.legal_actions(game.decisions()[0], 0, &mut mask);
        mask.iter().collect()
    }

    fn fill(game: &mut Cluster, column: u16) {
        loop {
            let answer = Answer::Place { column, color: game.hand()[0] };
            if game.check(&answer).is_err() {
                break;
            }
            game.step(&[answer]);
        }
    }

    #[test]
    fn actions_are_numbered_column_by_column() {
        let game = game();
        assert_eq!(game.action_count(), 5 * 4 + 5);
        assert_eq!(game.action_name(0), "place color 0 in column 0");
        assert_eq!(game.action_name(19), "place color 3 in column 4");
        assert_eq!(game.action_name(20), "rotate by 1 sixth");
        assert_eq!(game.action_name(24), "rotate by 5 sixths");
        let decision = game.decisions()[0];
        let answer = game.answer_of(decision, &[14]);
        assert_eq!(answer, Ok(Answer::Place { column: 3, color: 2 }));
        assert!(game.answer_of(decision, &[25]).is_err());
        assert!(game.answer_of(decision, &[1, 1]).is_err());
    }

    #[test]
    fn full_columns_and_colors_not_in_hand_are_illegal() {
        let mut game = game();
        fill(&mut game, 1);
        let hand = game.hand().to_vec();
        for column in 0..5 {
            for color in 0..4 {
                let expected = column != 1 && hand.contains(&color);
                let action = column * 4 + usize::from(color);
                assert_eq!(legal(&game).contains(&action), expected, "column {column}, {color}");
            }
        }
    }

    #[test]
    fn a_full_board_can_still_be_rotated() {
        let mut game = game();
        (0..5).for_each(|column| fill(&mut game, column));
        assert!(!game.is_over(), "{:?}", game.end());
        assert_eq!(legal(&game), [20, 21, 22, 23, 24]);
    }

    #[test]
    fn giving_up_and_nonsense_are_no_actions() {
        let game = game();
        let decision = game.decisions()[0];
        for answer in [
            Answer::Forfeit,
            Answer::Place { column: 5, color: 0 },
            Answer::Place { column: 0, color: 4 },
            Answer::Rotate { cycles: 0 },
            Answer::Rotate { cycles: 6 },
        ] {
            assert_eq!(game.actions_of(decision, &answer), None, "{answer:?}");
        }
    }
}
