//! The numbered actions of a stack: 0 stays, 1 to 4 send half of it up, right, down or left.
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
