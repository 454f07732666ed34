//! A progress bar with the best values so far, on stderr and only on a terminal.

use agon_rating::tune::Tuner;
use indicatif::ProgressBar;

use crate::output::{bar_style, shown_on_stderr, tell_above};

/// The progress of a tuning.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// A bar for so many matches; hidden when stderr is no terminal.
    pub(super) fn new(matches: u64) -> Progress {
        let bar = ProgressBar::new(matches);
        let template = shown_on_stderr("{bar:30} match {pos} of {len}, {eta} left · {msg}");
        bar.set_style(bar_style(&template));
        tell_above(&bar);
        Progress(bar)
    }

    /// Shows how far the tuning has come.
    pub(super) fn show(&self, matches: u64, tuner: &Tuner) {
        if self.0.is_hidden() {
            return;
        }
        let best = tuner.best();
        let values = tuner
            .params()
            .iter()
            .zip(best)
            .map(|(param, steps)| format!("{}={}", param.name, param.text(steps)));
        self.0.set_message(values.collect::<Vec<_>>().join(" "));
        self.0.set_position(matches);
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
