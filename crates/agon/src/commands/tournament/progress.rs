//! The progress of a tournament, on stderr.

use std::{
    fmt,
    time::{Duration, Instant},
};

use agon_contest::Schedule;
use indicatif::{HumanDuration, ProgressBar, ProgressState};

use crate::output::{bar_style, keep_drawn, plural, tell_above};

/// How often a line is written where nobody sees a bar: into the log of a server.
const LINES: Duration = Duration::from_secs(60);

/// A bar where somebody sees it, or a line now and then.
#[derive(Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    line: Instant,
}

impl Progress {
    /// Begins with `over` matches that need not be played any more.
    pub(super) fn begin(schedule: &Schedule, over: u64) -> Progress {
        let bar = match schedule.planned() {
            Some(planned) => ProgressBar::new(planned),
            None => ProgressBar::no_length(),
        };
        let template = match schedule.planned() {
            Some(_) => "{bar:30} {pos} of {len} matches{rate}{left}{wide_msg}",
            None => "{spinner} {pos} matches{rate}, {elapsed}{wide_msg}",
        };
        bar.set_style(bar_style(template).with_key("rate", rate).with_key("left", time_left));
        bar.set_position(over);
        // What was played before says nothing of the time that is left.
        bar.reset_eta();
        keep_drawn(&bar, Duration::ZERO);
        tell_above(&bar);
        Progress { bar, line: Instant::now() }
    }

    /// So many matches are over.
    pub(super) fn show(&mut self, schedule: &Schedule, over: u64) {
        if let Some(planned) = schedule.planned() {
            self.bar.set_length(planned);
        }
        self.bar.set_position(over);
        if self.bar.is_hidden() && self.line.elapsed() >= LINES {
            self.line = Instant::now();
            let of = self.bar.length().map_or_else(String::new, |length| format!(" of {length}"));
            say!("{over}{of} matches, {}", speed(self.bar.per_sec()));
        }
    }

    /// Takes the bar away and says what was played.
    pub(super) fn finish(&self, played: u64, begun: Instant) {
        self.bar.finish_and_clear();
        let time = begun.elapsed();
        let rate = played as f64 / time.as_secs_f64().max(1e-3);
        if played > 0 {
            let time = match time.as_secs() {
                0..10 => format!("{:.1} seconds", time.as_secs_f64()),
                _ => HumanDuration(time).to_string(),
            };
            say!("{} played in {time}, {}", plural(played, "match"), speed(rate));
        }
    }
}

/// Matches a second, or a minute if it is less than one.
fn speed(per_second: f64) -> String {
    if per_second >= 1.0 {
        format!("{per_second:.1} a second")
    } else {
        format!("{:.1} a minute", 60.0 * per_second)
    }
}

/// Whether there is anything to judge the speed by. At first the matches of an earlier run, which
/// are counted at once, would look like a very fast start.
fn is_judged(state: &ProgressState) -> bool {
    state.per_sec() > 0.0 && state.elapsed() >= Duration::from_secs(1)
}

/// Matches a second, once there is anything to judge it by.
fn rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    if is_judged(state) {
        // Fails only if `out` does, and the bar is no place for errors.
        let _ = write!(out, ", {}", speed(state.per_sec()));
    }
}

/// The time that the tournament still takes.
fn time_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if is_judged(state) {
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}
