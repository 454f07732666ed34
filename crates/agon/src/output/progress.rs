//! A progress bar for long matches, on stderr and only on a terminal.

use std::{fmt, time::Duration};

use agon_core::{Meta, Progress};
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

/// A match shorter than this should not flash a bar.
const FLASH: Duration = Duration::from_millis(300);

/// How often the bar is drawn while nothing happens.
const TICK: Duration = Duration::from_millis(250);

/// The progress of a match.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar for a match of this game; hidden when stderr is no terminal.
    pub(crate) fn new(meta: &Meta, limit: Option<u64>) -> Bar {
        let bar = match limit {
            Some(limit) => ProgressBar::new(limit),
            None => ProgressBar::no_length(),
        };
        let template = match limit {
            Some(_) => format!("{{bar:30}} {} {{pos}} of {{len}}{{left}}", meta.turn_name),
            None => format!("{{spinner}} {} {{pos}}, {{elapsed}}", meta.turn_name),
        };
        let style = ProgressStyle::with_template(&template).expect("the template is valid");
        bar.set_style(style.with_key("left", time_left));
        let shown = bar.clone();
        std::thread::spawn(move || {
            std::thread::sleep(FLASH);
            // By itself, so that it is seen, and its clock runs, while a bot thinks for long.
            if !shown.is_finished() {
                shown.enable_steady_tick(TICK);
            }
        });
        Bar(bar)
    }

    /// Shows how far the match has come.
    pub(crate) fn show(&self, progress: Progress) {
        if self.0.elapsed() > FLASH {
            self.0.set_position(progress.turn);
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// The time that a match still takes, once there is anything to judge it by.
fn time_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        // Fails only if `out` does, and the bar is no place for errors.
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}
