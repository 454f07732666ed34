//! The numbered actions of an amoeba: 0 rests, then eight each of move, hit and divide, by
//! direction.
//!
//! All are legal at any time: an impossible action becomes a rest, and is no breach. Only the
//! possible ones are effective. The answers made of actions carry no data, so an amoeba with data
//! forgets it.

use agon_core::{ActionError, ActionMask, Decision, Game as _, LegalActions};

use super::Amoebas;
use super::answer::{Answer, COMMANDS, Command};

/// Number of actions.
const COUNT: usize = COMMANDS.len() - 1;

/// The command of an action. Actions are the codes of commands without that of faults.
fn command(action: usize) -> Command {
    COMMANDS[action + 1]
}

impl LegalActions for Amoebas {
    fn action_count(&self) -> usize {
        COUNT
    }

    fn action_name(&self, action: usize) -> String {
        match command(action) {
            Command::Move { dir } => format!("move {dir}"),
            Command::Hit { dir } => format!("hit {dir}"),
            Command::Divide { dir } => format!("divide {dir}"),
            Command::Rest | Command::Fault => "rest".into(),
        }
    }

    fn legal_actions(&self, _: Decision, _: usize, legal: &mut ActionMask) {
        legal.fill(COUNT);
    }

    fn effective_actions(&self, decision: Decision, _: usize, effective: &mut ActionMask) {
        let view = self.view(decision);
        let rules = view.rules();
        let is_possible = |command| match command {
            Command::Fault | Command::Rest => true,
            Command::Move { dir } => {
                view.energy() >= rules.move_energy && view.neighbor(dir).is_empty()
            }
            Command::Hit { dir } => {
                view.energy() >= rules.hit_energy && !view.neighbor(dir).is_empty()
            }
            Command::Divide { dir } => {
                view.energy() >= rules.min_divide_energy && view.neighbor(dir).is_empty()
            }
        };

        effective.clear(COUNT);
        for action in (0..COUNT).filter(|&action| is_possible(command(action))) {
            effective.insert(action);
        }
    }

    fn answer_of(&self, _: Decision, actions: &[usize]) -> Result<Answer, ActionError> {
        ActionError::check_single(actions, COUNT).map(|action| Answer::plain(command(action)))
    }

    fn actions_of(&self, _: Decision, answer: &Answer) -> Option<Vec<usize>> {
        Some(vec![usize::from(answer.code).checked_sub(1)?])
    }
}
