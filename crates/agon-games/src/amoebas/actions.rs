//! The numbered actions of an amoeba: 0 rests, then eight each of move, hit and divide, by
//! direction. Learners and random players choose among them through
//! [`AnyGame`](crate::any::AnyGame).
//!
//! All are legal at any time: an impossible action becomes a rest, and is no breach. Only the
//! possible ones are effective. The answers made of actions carry no data, so an amoeba with data
//! forgets it.

use agon_core::{ActionError, ActionMask, Decision, Game as _, LegalActions};

use super::{Amoebas, Answer, Command, Dir};

/// Number of actions.
const COUNT: usize = 25;

/// The command of an action; `None` beyond the last.
fn command(action: usize) -> Option<Command> {
    let Some(number) = action.checked_sub(1) else { return Some(Command::Rest) };
    let dir = Dir::ALL[number % 8];
    match number / 8 {
        0 => Some(Command::Move { dir }),
        1 => Some(Command::Hit { dir }),
        2 => Some(Command::Divide { dir }),
        _ => None,
    }
}

/// The action of a command; `None` for a fault.
fn action_of(command: Command) -> Option<usize> {
    let (group, dir) = match command {
        Command::Fault => return None,
        Command::Rest => return Some(0),
        Command::Move { dir } => (0, dir),
        Command::Hit { dir } => (1, dir),
        Command::Divide { dir } => (2, dir),
    };
    Some(1 + group * 8 + usize::from(dir.number()))
}

impl LegalActions for Amoebas {
    fn action_count(&self) -> usize {
        COUNT
    }

    fn action_name(&self, action: usize) -> String {
        match command(action).expect("there are 25 actions") {
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
        for action in 0..COUNT {
            if command(action).is_some_and(is_possible) {
                effective.insert(action);
            }
        }
    }

    fn answer_of(&self, _: Decision, actions: &[usize]) -> Result<Answer, ActionError> {
        let action = ActionError::check_single(actions, COUNT)?;
        Ok(command(action).map_or(Answer::FAULT, Answer::plain))
    }

    fn actions_of(&self, _: Decision, answer: &Answer) -> Option<Vec<usize>> {
        action_of(answer.command()).map(|action| vec![action])
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Blob, Player, Seed};

    use super::*;
    use crate::amoebas::{Amoeba, Position, Rules};

    /// In the middle of a 9×9 world, with another one to its east that has acted.
    fn game(energy: u32) -> Amoebas {
        let me = Amoeba {
            x: 4,
            y: 4,
            species: 0,
            energy,
            health: 5,
            data: None,
            function: None,
            acted: false,
        };
        let other = Amoeba { x: 5, species: 1, acted: true, ..me.clone() };
        let rules = Rules { world_size: 9, ..Rules::default() };
        let position = Position { players: 2, round: 0, fuel: vec![], amoebas: vec![me, other] };
        Amoebas::from_position(&rules, Seed(1), position).unwrap()
    }

    const ME: Decision = Decision { player: Player(0), unit: 4 * 9 + 4 };

    fn effective(energy: u32) -> Vec<usize> {
        let mut mask = ActionMask::default();
        game(energy).effective_actions(ME, 0, &mut mask);
        mask.iter().collect()
    }

    #[test]
    fn actions_and_commands_are_the_same() {
        let numbers: Vec<usize> = (0..COUNT).filter_map(command).filter_map(action_of).collect();
        assert_eq!(numbers, (0..COUNT).collect::<Vec<_>>());
        assert_eq!((command(COUNT), action_of(Command::Fault)), (None, None));
        let game = game(50);
        assert_eq!(
            [0, 1, 9, 24].map(|action| game.action_name(action)),
            ["rest", "move NW", "hit NW", "divide W"]
        );
    }

    #[test]
    fn everything_is_legal_but_only_what_is_possible_has_an_effect() {
        let mut mask = ActionMask::default();
        game(50).legal_actions(ME, 0, &mut mask);
        assert_eq!(mask, ActionMask::all(COUNT));
        let east = usize::from(Dir::E.number());
        let free = || (0..8).filter(|&dir| dir != east);
        let moves = || free().map(|dir| 1 + dir);
        let divisions = free().map(|dir| 17 + dir);
        let all: Vec<usize> = [0].into_iter().chain(moves()).chain([9 + east]).collect();
        assert_eq!(effective(50), [all.clone(), divisions.collect()].concat());
        assert_eq!(effective(29), all, "too little energy to divide");
        assert_eq!(effective(9), [0].into_iter().chain(moves()).collect::<Vec<_>>());
        assert_eq!(effective(2), [0]);
    }

    #[test]
    fn faults_are_no_actions_and_data_do_not_matter() {
        let game = game(50);
        assert_eq!(game.actions_of(ME, &Answer::FAULT), None);
        let answer = Answer::hit(Dir::E).with_data(Some(Blob::from("x")));
        let action = game.actions_of(ME, &answer).unwrap();
        assert_eq!(game.answer_of(ME, &action), Ok(Answer::hit(Dir::E)));
        assert!(game.answer_of(ME, &[COUNT]).is_err());
    }
}
