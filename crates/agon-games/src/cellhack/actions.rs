//! The numbered actions of a cell: the nineteen of [`Action::all`], in order of their bytes.
//! Learners and random players choose among them through [`AnyGame`](crate::any::AnyGame).
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

#[cfg(test)]
mod tests {
    use agon_core::{Player, Seed};

    use super::*;
    use crate::cellhack::{Cell, Place, Position, Rules};

    /// A cell with another one to its right and a rock below it.
    fn game() -> Cellhack {
        let cell = |x, player| Cell { x, y: 2, player, energy: 50, memory: 7 };
        let position = Position {
            players: 2,
            turn: 0,
            cells: vec![cell(2, 0), cell(3, 1)],
            rocks: vec![Place { x: 2, y: 3 }],
        };
        let rules = Rules { width: 6, height: 6, ..Rules::default() };
        Cellhack::from_position(&rules, Seed(1), position).unwrap()
    }

    #[test]
    fn there_are_as_many_actions_as_bytes() {
        assert_eq!(Action::all().count(), COUNT);
        let game = game();
        assert_eq!(game.action_name(0), "rest");
        assert_eq!(game.action_name(3), "eat up");
        assert_eq!(game.action_name(18), "feed down");
    }

    #[test]
    fn eating_and_feeding_need_a_cell_to_have_an_effect() {
        let game = game();
        let decision = Decision::new(Player(0), 2 * 6 + 2);
        let mut mask = ActionMask::default();
        game.legal_actions(decision, 0, &mut mask);
        assert_eq!(mask, ActionMask::all(COUNT));
        game.effective_actions(decision, 0, &mut mask);
        let left_out: Vec<String> =
            (0..COUNT).filter(|&a| !mask.contains(a)).map(|a| game.action_name(a)).collect();
        assert_eq!(
            left_out,
            ["eat up", "eat left", "eat down", "feed up", "feed left", "feed down"]
        );
    }

    #[test]
    fn memory_is_no_part_of_an_action() {
        let game = game();
        let decision = Decision::new(Player(0), 2 * 6 + 2);
        let answer = Answer { action: Action::Die, memory: Some(5) };
        assert_eq!(game.actions_of(decision, &answer), Some(vec![2]));
        assert_eq!(game.answer_of(decision, &[2]), Ok(Answer::new(Action::Die)));
        assert!(game.answer_of(decision, &[COUNT]).is_err());
    }
}
