//! The interface between the referee and the bots: each host implements [`Bot`], and the referee
//! calls it.

use std::time::Duration;

use agon_core::{Decision, Evidence, Fault, Outcome, Player};
use agon_games::any::{AnswersMut, AnyGame};

use crate::bot::{BatchLimits, Progress, ShutdownReport, TurnLog, Usage};

/// A bot's place in a match: what it learns before the first step.
#[derive(Debug)]
pub struct Seat<'a> {
    /// The game at its start.
    pub game: &'a AnyGame,
    /// The player that the bot plays as.
    pub player: Player,
    /// The names of all players, each once.
    pub names: &'a [String],
}

/// A bot's part of a batch: the decisions that it makes in one step.
#[derive(Clone, Copy, Debug)]
pub struct BatchPart<'a> {
    /// The state of the game, the same for all decisions of the batch.
    pub game: &'a AnyGame,
    /// The step of the match, from 0.
    pub step: u64,
    /// The player who decides.
    pub player: Player,
    /// The decisions, sorted by unit; never empty.
    pub decisions: &'a [Decision],
}

/// A bot in a match. It never fails: each problem becomes a fault.
///
/// The answers concerned then stay default. The referee calls [`ask`](Bot::ask) on all bots of a
/// step before it calls [`collect`](Bot::collect) on any. So programs think at the same time, and
/// the referee waits for all of them together.
pub trait Bot: Send {
    /// Gets ready for a match. Called once, before the first step. Does not wait for the bot.
    fn start(&mut self, seat: Seat<'_>, faults: &mut Vec<Fault>) {
        let _ = (seat, faults);
    }

    /// Prepares for the question. Called before any bot of the step is asked.
    ///
    /// This may take any time, because no bot's time runs yet.
    fn prepare(&mut self, part: BatchPart<'_>, faults: &mut Vec<Fault>) {
        let _ = (part, faults);
    }

    /// Sends the question.
    fn ask(&mut self, part: BatchPart<'_>, faults: &mut Vec<Fault>) {
        let _ = (part, faults);
    }

    /// Fills in the answers that have come, one for each decision of the part.
    ///
    /// All answers are default at first. The referee calls it with the same part and the answers so
    /// far until it is done. Only bots that [think here](Bot::thinks_here) wait for anything in
    /// this method.
    fn collect(
        &mut self,
        part: BatchPart<'_>,
        answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress;

    /// Waits until all answers have come. Only for callers that ask a single bot.
    fn finish(
        &mut self,
        part: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) {
        loop {
            match self.collect(part, answers.reborrow(), faults) {
                Progress::Done => return,
                Progress::Waits(wait) => wait.wait(),
                Progress::Last => {}
            }
        }
    }

    /// Announces that no more questions follow.
    ///
    /// Either the match is over, with an `outcome` if it was played to its end, or the bot's player
    /// is out. Does not wait for the bot. Returns the time that the bot needs to end by itself
    /// before [`stop`](Bot::stop).
    fn goodbye(&mut self, game: &AnyGame, outcome: Option<&Outcome>) -> Duration {
        let _ = (game, outcome);
        Duration::ZERO
    }

    /// Stops all processes of the bot; dropping does the same.
    ///
    /// Called once, usually after [`goodbye`](Bot::goodbye) and the time that it asked for.
    fn stop(&mut self) {}

    /// Returns whether the bot thinks in the arena's own thread.
    ///
    /// Meanwhile the arena notices no other answer. So the referee asks this bot, and waits for its
    /// answer, before it asks the other bots of a step. Called once, before the match.
    fn thinks_here(&self) -> bool {
        false
    }

    /// Returns whether a person plays, who may take long.
    ///
    /// The clocks of other bots must not run meanwhile. So the referee asks the person, and waits
    /// for the answer, before it asks the other bots of a step. Called once, before the match.
    fn is_person(&self) -> bool {
        false
    }

    /// Returns whether it has left during this step, so that the match ends before the step.
    fn has_left(&self) -> bool {
        false
    }

    /// Returns whether bots of other players share its process and can reach it there.
    ///
    /// Called after all bots have started.
    fn shares_process(&self) -> bool {
        false
    }

    /// Returns whether it did not answer the last question, without a fault.
    ///
    /// Either it had ended before, or it is still late in a game that does not wait. Its answers
    /// are then substitutes.
    fn is_silent(&self) -> bool {
        false
    }

    /// Returns whether it missed the last question although there is no fault that says so.
    ///
    /// That happens in a game that does not wait: only the first late answer in a row is a fault.
    fn is_late(&self) -> bool {
        false
    }

    /// Returns an estimate of the wall time until the time of the current question is over.
    ///
    /// `None` if there is no limit, or nothing is known about it. Called while the referee waits
    /// for the answer, for people who would take the wait for a hang.
    fn time_left(&self) -> Option<Duration> {
        None
    }

    /// Returns the log of its costs and stderr; `None` if it has no process.
    ///
    /// Called once, before the match.
    fn turn_log(&self) -> Option<TurnLog> {
        None
    }

    /// Returns the evidence about its last answer, for a fault that the referee finds in it.
    fn evidence(&mut self) -> Evidence {
        Evidence::default()
    }

    /// Returns its time limits. A bot without limits (`None`) cannot be harmed by a stall.
    fn batch_limits(&self) -> Option<BatchLimits> {
        None
    }

    /// Returns its usage so far; `None` if it has no process, or none any more.
    fn usage(&mut self) -> Option<Usage> {
        None
    }

    /// Returns the end of the output since its last answer, as printable text.
    ///
    /// Nobody asked for this output. `None` if it does not answer through a pipe, or does not run
    /// any more. For `agon check` only.
    fn unsolicited_output(&mut self) -> Option<String> {
        None
    }

    /// Returns what is probably wrong with how it was started, if it has ended before a question.
    ///
    /// `last_words` is the end of its stderr. For `agon check` only; during a match faults say so.
    fn start_hint(&self, last_words: &str) -> Option<String> {
        let _ = last_words;
        None
    }

    /// Closes its input and reports how it ends; kills it after `patience`.
    ///
    /// `None` if it has no process, or none any more. [`stop`](Bot::stop) still follows. For
    /// `agon check` only.
    fn shutdown(&mut self, patience: Duration) -> Option<ShutdownReport> {
        let _ = patience;
        None
    }
}
