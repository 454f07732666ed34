//! Observers see a match while it is played, such as a film, a log or a live view.

use std::error::Error;

use agon_core::{BotInfo, Fault, Player};
use agon_games::any::{AnyAnswers, AnyGame};

use crate::{MatchResult, TurnNote, Waiting, replay::Diagnosis};

/// The reason why an observer cannot continue. The match then ends as if it were interrupted.
pub type ObserverError = Box<dyn Error + Send + Sync>;

/// What an observer wants after a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Continue.
    Continue,
    /// End the match here. Its result counts as interrupted.
    Stop,
}

/// A state of a match: first the start, then the state after each step.
#[derive(Debug)]
pub struct MatchEvent<'a> {
    /// Steps played.
    pub step: u64,
    /// Answers given so far.
    pub decisions: u64,
    /// The players' bots, in order of player number.
    pub players: &'a [BotInfo],
    /// The state.
    pub game: &'a AnyGame,
    /// The answers that led to the state. Empty at the start.
    pub led_by: &'a AnyAnswers,
    /// The faults of the step that led to the state. At the start: faults of bots that did not
    /// start.
    pub faults: &'a [Fault],
    /// Cost and stderr of the bots that have processes.
    pub notes: &'a [TurnNote],
}

/// Sees a match while it is played: a film, a log, a progress bar, a live view.
///
/// The calls come in this order: `begin`, any number of `step`, then `end`. If the machine
/// disturbed the match, `void` comes instead of `end`, and the same match starts again. While a
/// step waits for bots, `waiting` comes again and again.
///
/// [`Match`](crate::Match) calls `begin`, `step` and `waiting`. The caller that plays void matches
/// again (`agon-arena`) calls `void` and `end`.
///
/// A closure that takes an event and returns a [`Control`] is an observer of all states, and `()`
/// observes nothing.
pub trait Observer {
    /// Sees the first state of a match. By default it calls [`step`](Observer::step).
    fn begin(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.step(event)
    }

    /// Sees the state after a step.
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError>;

    /// Learns that the next state does not come yet, because bots have not answered.
    ///
    /// The first call comes after a second, and then there are some in every second.
    fn waiting(&mut self, waiting: &Waiting) {
        let _ = waiting;
    }

    /// Returns whether a step still waits for its bots; asked whenever `waiting` is called.
    /// Otherwise the match ends as if a person had left.
    fn keeps_waiting(&self) -> bool {
        true
    }

    /// Learns that attempt number `attempt` (from 1) is void: nothing seen since `begin` counts,
    /// and `begin` follows.
    fn void(&mut self, played: &Played, attempt: u32) -> Result<(), ObserverError> {
        let _ = (played, attempt);
        Ok(())
    }

    /// Sees the end of the match.
    fn end(&mut self, played: &Played) -> Result<(), ObserverError> {
        let _ = played;
        Ok(())
    }
}

impl Observer for () {
    fn step(&mut self, _: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        Ok(Control::Continue)
    }
}

impl<F: FnMut(&MatchEvent<'_>) -> Control> Observer for F {
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        Ok(self(event))
    }
}

/// Several observers as one. Each sees everything, in the order in which they were added; one that
/// fails or stops the match ends it for all.
#[derive(Default)]
pub struct FanOut<'a> {
    observers: Vec<&'a mut (dyn Observer + Send)>,
}

impl<'a> FanOut<'a> {
    /// Makes a fan-out without observers.
    pub fn new() -> FanOut<'a> {
        FanOut { observers: Vec::new() }
    }

    /// Adds an observer behind the others.
    #[must_use]
    pub fn with(mut self, observer: &'a mut (dyn Observer + Send)) -> FanOut<'a> {
        self.observers.push(observer);
        self
    }

    /// Adds an observer behind the others, if there is one.
    #[must_use]
    pub fn with_some(self, observer: Option<&'a mut (impl Observer + Send)>) -> FanOut<'a> {
        match observer {
            Some(observer) => self.with(observer),
            None => self,
        }
    }

    /// Shows all of them a state, even if one of them wants to stop.
    fn all(
        &mut self,
        mut see: impl FnMut(&mut (dyn Observer + Send)) -> Result<Control, ObserverError>,
    ) -> Result<Control, ObserverError> {
        let mut control = Control::Continue;
        for observer in &mut self.observers {
            if see(&mut **observer)? == Control::Stop {
                control = Control::Stop;
            }
        }
        Ok(control)
    }
}

impl Observer for FanOut<'_> {
    fn begin(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.all(|observer| observer.begin(event))
    }

    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.all(|observer| observer.step(event))
    }

    fn waiting(&mut self, waiting: &Waiting) {
        self.observers.iter_mut().for_each(|observer| observer.waiting(waiting));
    }

    fn void(&mut self, played: &Played, attempt: u32) -> Result<(), ObserverError> {
        self.observers.iter_mut().try_for_each(|observer| observer.void(played, attempt))
    }

    fn end(&mut self, played: &Played) -> Result<(), ObserverError> {
        self.observers.iter_mut().try_for_each(|observer| observer.end(played))
    }
}

/// A match that is over.
#[derive(Clone, Debug)]
pub struct Played {
    /// The result.
    pub result: MatchResult,
    /// The last state.
    pub game: AnyGame,
    /// Cost, stderr and end of bots that have processes.
    pub diagnosis: Diagnosis,
    /// The bot that alone was late when the machine stood still, so that the match is void.
    pub late_alone: Option<Player>,
}
