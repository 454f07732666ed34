//! The numbered actions of a stack: 0 stays, 1 to 4 send half of it up, right, down or left.
//! Learners and random players choose among them through [`AnyGame`](crate::any::AnyGame).
//!
//! A decision has a choice for each own cell, in order of rows, then columns. All actions are
//! legal: units sent off the field are lost, which is no breach. A single unit cannot be halved, so
//! its only effective action is to stay.

use agon_core::{ActionError, ActionMask, Decision, LegalActions};

use super::{Answer, Binfection, Cell, Direction, Move};

/// Number of actions: stay, and the four directions.
const COUNT: usize = 1 + Direction::ALL.len();

impl Binfection {
    /// The own cell that a choice is about.
    fn chosen_cell(&self, decision: Decision, choice: usize) -> Cell {
        self.field.cell(self.holdings.slots(decision.player)[choice] as usize)
    }
}

impl LegalActions for Binfection {
    fn action_count(&self) -> usize {
        COUNT
    }

    fn action_name(&self, action: usize) -> String {
        ["stay", "send up", "send right", "send down", "send left"][action].into()
    }

    fn choices(&self, decision: Decision) -> usize {
        self.holdings.cells(decision.player)
    }

    fn choice_name(&self, decision: Decision, choice: usize) -> String {
        let Cell { x, y, .. } = self.chosen_cell(decision, choice);
        format!("cell ({x}, {y})")
    }

    fn legal_actions(&self, _: Decision, _: usize, legal: &mut ActionMask) {
        legal.fill(COUNT);
    }

    fn effective_actions(&self, decision: Decision, choice: usize, effective: &mut ActionMask) {
        if self.chosen_cell(decision, choice).units > 1 {
            effective.fill(COUNT);
        } else {
            effective.clear(COUNT);
            effective.insert(0);
        }
    }

    fn answer_of(&self, decision: Decision, actions: &[usize]) -> Result<Answer, ActionError> {
        ActionError::check(actions, self.choices(decision), COUNT)?;
        let slots = self.holdings.slots(decision.player);
        let order = |(&slot, &action): (&u32, &usize)| {
            let direction = Direction::ALL[action.checked_sub(1)?];
            let Cell { x, y, .. } = self.field.cell(slot as usize);
            Some(Move { x, y, direction })
        };
        Ok(Answer { moves: slots.iter().zip(actions).filter_map(order).collect() })
    }

    /// The last of several moves of a cell counts. An answer that moves a foreign cell breaks the
    /// rules and is no list of actions.
    fn actions_of(&self, decision: Decision, answer: &Answer) -> Option<Vec<usize>> {
        let mut actions = vec![0; self.choices(decision)];
        for order in &answer.moves {
            let slot = self.own_slot(decision.player, order.x, order.y)?;
            actions[self.holdings.number(slot) as usize] = 1 + order.direction as usize;
        }
        Some(actions)
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, Player, Seed};

    use super::*;
    use crate::binfection::{Position, Rules};

    /// Player 0 has stacks of 4, 1 and 9 units, player 1 one of 5; player 2 has lost all of its
    /// cells.
    fn game() -> Binfection {
        let cells = [(0, 0, 0, 4), (3, 0, 1, 5), (5, 1, 0, 1), (1, 2, 0, 9)];
        let cell = |(x, y, owner, units)| Cell { x, y, owner: Some(Player(owner)), units };
        let position =
            Position { turn: 0, players: 3, cells: cells.map(cell).into(), fallen: vec![] };
        let rules = Rules { field_width: 10, field_height: 10, ..Rules::default() };
        Binfection::from_position(&rules, Seed(1), position).unwrap()
    }

    const FIRST: Decision = Decision { player: Player(0), unit: 0 };

    #[test]
    fn each_own_cell_is_a_choice() {
        let game = game();
        assert_eq!(game.choices(FIRST), 3);
        let names = [0, 1, 2].map(|choice| game.choice_name(FIRST, choice));
        assert_eq!(names, ["cell (0, 0)", "cell (5, 1)", "cell (1, 2)"]);
        let answer = game.answer_of(FIRST, &[0, 4, 1]).unwrap();
        let expected = [(5, 1, Direction::Left), (1, 2, Direction::Up)];
        assert_eq!(answer.moves, expected.map(|(x, y, direction)| Move { x, y, direction }));
        assert_eq!(game.answer_of(FIRST, &[0; 3]), Ok(Answer::default()));
        assert!(game.answer_of(FIRST, &[0; 2]).is_err());
        assert!(game.answer_of(FIRST, &[0, 0, 5]).is_err());
    }

    #[test]
    fn a_player_without_cells_is_not_asked() {
        let players: Vec<u16> = game().decisions().iter().map(|d| d.player.0).collect();
        assert_eq!(players, [0, 1]);
    }

    #[test]
    fn a_single_unit_can_be_sent_in_vain() {
        let game = game();
        let masks = [0, 1, 2].map(|choice| {
            let mut legal = ActionMask::default();
            game.legal_actions(FIRST, choice, &mut legal);
            let mut effective = ActionMask::default();
            game.effective_actions(FIRST, choice, &mut effective);
            (legal.count(), effective.iter().collect::<Vec<_>>())
        });
        let all = || (5, vec![0, 1, 2, 3, 4]);
        assert_eq!(masks, [all(), (5, vec![0]), all()]);
    }

    #[test]
    fn the_last_move_of_a_cell_counts_and_foreign_ones_are_no_actions() {
        let game = game();
        let order = |x, direction| Move { x, y: 0, direction };
        let twice = Answer { moves: vec![order(0, Direction::Up), order(0, Direction::Down)] };
        assert_eq!(game.actions_of(FIRST, &twice), Some(vec![3, 0, 0]));
        for x in [3, 4, 10] {
            let foreign = Answer { moves: vec![order(x, Direction::Up)] };
            assert_eq!(game.actions_of(FIRST, &foreign), None, "column {x}");
        }
    }
}
