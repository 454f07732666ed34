//! The interface between the referee and whatever plays.

use std::time::Duration;

use agon_core::{Decision, Evidence, Fault, Game, Outcome, Player};

use crate::{BatchLimits, Progress, ShutdownReport, TurnLog, Usage};

/// What a bot is told before a match.
#[derive(Debug)]
pub struct Seat<'a, G: Game> {
    /// The game at its start.
    pub game: &'a G,
    /// As whom the bot plays.
    pub player: Player,
    /// The names of all players, each once.
    pub names: &'a [String],
}

/// What a bot is asked in one step: its part of a batch.
#[derive(Debug)]
pub struct BatchPart<'a, G: Game> {
    /// The state that all decisions of the batch are made on.
    pub game: &'a G,
    /// The step of the match, from 0.
    pub step: u64,
    /// Whose decisions these are.
    pub player: Player,
    /// The decisions, sorted by unit; never empty.
    pub decisions: &'a [Decision],
}

// Not derived: that would ask for games that are `Copy`, although a turn only borrows one.
impl<G: Game> Clone for BatchPart<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for BatchPart<'_, G> {}

/// A bot in a match. It never fails: what goes wrong is a fault, and the answers concerned stay
/// default.
///
/// The referee calls [`ask`](Bot::ask) on all bots of a step before it calls
/// [`collect`](Bot::collect) on any, so that programs think at the same time, and then waits for
/// all of them together.
pub trait Bot<G: Game>: Send {
    /// Gets ready for a match; called once, before the first step. Does not wait for the bot.
    fn start(&mut self, seat: Seat<'_, G>, faults: &mut Vec<Fault>) {
        let _ = (seat, faults);
    }

    /// Gets ready to be asked, whatever time that takes: nobody's time runs yet. Called before all
    /// are asked.
    fn prepare(&mut self, turn: BatchPart<'_, G>, faults: &mut Vec<Fault>) {
        let _ = (turn, faults);
    }

    /// Sends the question.
    fn ask(&mut self, turn: BatchPart<'_, G>, faults: &mut Vec<Fault>) {
        let _ = (turn, faults);
    }

    /// Fills in the answers, one per decision of the turn, as far as they have come. It is called,
    /// with the same turn and what it has filled in so far, until it is done; all answers are
    /// default at first. Only bots that [think here](Bot::thinks_here) wait for anything meanwhile.
    fn collect(
        &mut self,
        turn: BatchPart<'_, G>,
        answers: &mut [G::Answer],
        faults: &mut Vec<Fault>,
    ) -> Progress;

    /// Waits until all answers are there: for whoever asks one bot alone.
    fn finish(
        &mut self,
        turn: BatchPart<'_, G>,
        answers: &mut [G::Answer],
        faults: &mut Vec<Fault>,
    ) {
        loop {
            match self.collect(turn, answers, faults) {
                Progress::Done => return,
                Progress::Waits(wait) => wait.wait(),
                Progress::Last => {}
            }
        }
    }

    /// Tells the bot that it is not asked any more: the match is over, with an `outcome` if it came
    /// to its end, or its player is out. Does not wait for the bot; returns how long it wants to
    /// end by itself before [`stop`](Bot::stop).
    fn goodbye(&mut self, outcome: Option<&Outcome>) -> Duration {
        let _ = outcome;
        Duration::ZERO
    }

    /// Stops whatever runs, after [`goodbye`](Bot::goodbye) and the time that it asked for, or
    /// without. Called once; dropping does the same.
    fn stop(&mut self) {}

    /// Whether it thinks in the arena's own thread, so that nobody else's answer is noticed
    /// meanwhile: it is asked, and has answered, before the others of a step are asked. Asked for
    /// once, before the match.
    fn thinks_here(&self) -> bool {
        false
    }

    /// Whether it takes as long as a person does: it is asked, and has answered, before the others
    /// of a step are asked, whose clocks would run meanwhile. Asked for once, before the match.
    fn is_person(&self) -> bool {
        false
    }

    /// Whether it has left while it was asked, so that the match ends before this step.
    fn has_left(&self) -> bool {
        false
    }

    /// Whether it lives in one process with bots of others, who can reach it there. Asked for once
    /// all have been started.
    fn shares_process(&self) -> bool {
        false
    }

    /// Whether nothing came from it in answer to the last question, without a fault for it: it has
    /// ended before, or is still late in a game that goes on. Its answers are then none of its own.
    fn is_silent(&self) -> bool {
        false
    }

    /// Where it is noted what its answers cost and what it says; `None` if it has no process. Asked
    /// for once, before the match.
    fn turn_log(&self) -> Option<TurnLog> {
        None
    }

    /// What can be seen of its last answer, for a fault that the referee finds in it.
    fn evidence(&mut self) -> Evidence {
        Evidence::default()
    }

    /// Its time limits; `None` if it has none, so that no stall of the machine can harm it.
    fn batch_limits(&self) -> Option<BatchLimits> {
        None
    }

    /// Returns what it has used so far; `None` if it has no process, or none any more.
    fn usage(&mut self) -> Option<Usage> {
        None
    }

    /// Returns the end of the output that it has written since its last answer although nobody
    /// asked, as printable text. `None` if it does not answer through a pipe, or does not run any
    /// more. For `agon check` only.
    fn unsolicited_output(&mut self) -> Option<String> {
        None
    }

    /// Closes its input, so that it may end by itself, and reports how it did; kills it when
    /// `patience` is over. `None` if it has no process, or none any more. [`stop`](Bot::stop) still
    /// follows. For `agon check` only.
    fn shutdown(&mut self, patience: Duration) -> Option<ShutdownReport> {
        let _ = patience;
        None
    }
}
