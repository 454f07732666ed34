//! Observers that pass a running match to a viewer, and that slow it down to be watched.
//!
//! `play` adds them to a match that is shown.

use std::{
    thread,
    time::{Duration, Instant},
};

use agon_core::Game;
use agon_match::{Control, MatchEvent, Observer, ObserverError};
use agon_view::SharedStates;

/// The observer that passes each state of a running match to its viewer.
pub(crate) struct ShownStates<G: Game>(pub(crate) SharedStates<G>);

impl<G: Game> Observer<G> for ShownStates<G> {
    fn begin(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        // The shared states already have the first state. After a void match it comes again.
        if self.0.steps() > 0 {
            self.0.begin_anew(event.game.clone());
        }
        Ok(Control::Continue)
    }

    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        self.0.push(event.led_by, event.game);
        Ok(Control::Continue)
    }
}

/// The observer that slows a match down, so that a person can follow it (`--pace`).
#[derive(Debug)]
pub(crate) struct TurnThrottle {
    turn: Option<u64>,
    due: Instant,
    each: Duration,
    is_interrupted: fn() -> bool,
}

impl TurnThrottle {
    /// Allows this many turns per second. An interrupted match runs at full speed.
    pub(crate) fn new(turns: f64, is_interrupted: fn() -> bool) -> TurnThrottle {
        let each = Duration::from_secs_f64(1.0 / turns);
        TurnThrottle { turn: None, due: Instant::now(), each, is_interrupted }
    }
}

impl<G: Game> Observer<G> for TurnThrottle {
    /// Waits after each turn, until the next one may start or the match is interrupted.
    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        let turn = Some(event.game.progress().turn);
        if std::mem::replace(&mut self.turn, turn) == turn {
            return Ok(Control::Continue);
        }
        let now = Instant::now();
        // After slow answers the match does not catch up by hurrying.
        self.due = (self.due + self.each).max(now);
        while Instant::now() < self.due && !(self.is_interrupted)() {
            thread::sleep(
                self.due.saturating_duration_since(Instant::now()).min(Duration::from_millis(50)),
            );
        }
        Ok(Control::Continue)
    }
}
