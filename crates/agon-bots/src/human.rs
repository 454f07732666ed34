//! The host of people: asks a person at the viewer for a player's answers.

use std::time::Duration;

use agon_core::{Evidence, Fault, FaultKind};
use agon_games::any::AnswersMut;
use agon_games::human::{PromptOutcome, Prompter};

use crate::{BatchPart, Bot, Progress, Seat};

/// The arena's patience with a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patience {
    /// As long as it takes.
    #[default]
    Endless,
    /// This time for the orders of a turn. A person who takes longer commits a fault.
    Limit(Duration),
    /// This time for each question, because the game does not wait. Missing orders are no fault.
    Tick(Duration),
}

/// A person in a match, who is asked by a [`Prompter`].
#[derive(Debug)]
pub struct HumanBot<P> {
    prompts: P,
    patience: Patience,
    has_left: bool,
}

impl<P> HumanBot<P> {
    /// Makes a person who gets these prompts.
    pub fn new(prompts: P, patience: Patience) -> HumanBot<P> {
        HumanBot { prompts, patience, has_left: false }
    }
}

impl<P: Prompter + Send> Bot for HumanBot<P> {
    fn start(&mut self, _: Seat<'_>, _: &mut Vec<Fault>) {
        self.prompts.begin_anew();
    }

    fn collect(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        let BatchPart { game, step, player, decisions } = part;
        let limit = match self.patience {
            Patience::Endless => None,
            Patience::Limit(limit) | Patience::Tick(limit) => Some(limit),
        };
        match (self.prompts.ask(game, step, player, decisions, limit), self.patience) {
            (PromptOutcome::Answers(given), _) => answers.copy_from(&given),
            (PromptOutcome::Left, _) => self.has_left = true,
            (PromptOutcome::TooLate, Patience::Limit(limit)) => faults.push(Fault {
                player,
                step,
                kind: FaultKind::Timeout,
                detail: format!("gave no orders within {} s", limit.as_secs_f64()),
                evidence: Evidence {
                    wall_us: u64::try_from(limit.as_micros()).ok(),
                    ..Evidence::default()
                },
                count: decisions.len() as u64,
            }),
            (PromptOutcome::TooLate, Patience::Tick(_) | Patience::Endless) => {}
        }
        Progress::Done
    }

    fn is_person(&self) -> bool {
        true
    }

    fn has_left(&self) -> bool {
        self.has_left
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Decision, Game, Player, Seed};
    use agon_games::any::{AnyAnswers, AnyGame};
    use agon_testkit::{
        bare::Bare,
        toy::{Toy, ToyAnswer, ToyRules},
    };
    use agon_view::{Prompt, PromptQueue};

    use super::*;

    /// Returns the answer of a person with this patience, while `act` uses the queue.
    fn collect(
        patience: Patience,
        act: impl FnOnce(&PromptQueue) + Send,
    ) -> (Vec<ToyAnswer>, Vec<Fault>, bool) {
        let game = AnyGame::of(Bare(Toy::new(&ToyRules::default(), 2, Seed(3)).unwrap()));
        let decisions: Vec<_> =
            game.decisions().iter().copied().filter(|d| d.player == Player(0)).collect();
        let prompts = PromptQueue::default();
        let mut bot = HumanBot::new(prompts.clone(), patience);
        let mut answers = AnyAnswers::of::<Bare<Toy>>(vec![ToyAnswer::default(); decisions.len()]);
        let mut faults = vec![];
        std::thread::scope(|scope| {
            scope.spawn(|| act(&prompts));
            let part = BatchPart { game: &game, step: 4, player: Player(0), decisions: &decisions };
            bot.finish(part, answers.as_mut(), &mut faults);
        });
        (answers.as_slice::<Bare<Toy>>().unwrap().to_vec(), faults, bot.has_left())
    }

    fn seven(_: &AnyGame, _: Decision, mut answers: AnswersMut<'_>) {
        answers.of_game::<Bare<Toy>>().fill(ToyAnswer(7));
    }

    fn question(prompts: &PromptQueue) -> Prompt {
        loop {
            if let Some(question) = prompts.question() {
                return question;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_is_answered_at_the_desk_counts() {
        let (answers, faults, has_left) = collect(Patience::Endless, |prompts| {
            let question = question(prompts);
            assert_eq!((question.step, question.player), (4, Player(0)));
            assert!(prompts.give(question.number, vec![], Box::new(seven)));
        });
        assert!(!answers.is_empty() && answers.iter().all(|&answer| answer == ToyAnswer(7)));
        assert_eq!((faults.len(), has_left), (0, false));
    }

    #[test]
    fn whoever_takes_too_long_commits_a_fault_unless_time_goes_on() {
        let short = Duration::from_millis(1);
        let (answers, faults, _) = collect(Patience::Limit(short), |_| ());
        assert!(answers.iter().all(|&answer| answer == ToyAnswer::default()));
        assert_eq!((faults.len(), faults[0].kind, faults[0].step), (1, FaultKind::Timeout, 4));
        assert_eq!(faults[0].count, answers.len() as u64);
        assert!(faults[0].detail.contains("0.001 s"), "{}", faults[0].detail);
        assert!(collect(Patience::Tick(short), |_| ()).1.is_empty());
    }

    #[test]
    fn whoever_leaves_is_not_asked_any_more() {
        let (_, faults, has_left) = collect(Patience::Endless, |prompts| prompts.leave());
        assert_eq!((faults.len(), has_left), (0, true));
    }
}
