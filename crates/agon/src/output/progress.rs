//! A progress bar for long matches, on stderr and only on a terminal.

use std::time::Duration;

use agon_core::{Meta, Progress};
use indicatif::{ProgressBar, ProgressStyle};

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
            Some(_) => format!("{{bar:30}} {} {{pos}} of {{len}}, {{eta}} left", meta.turn_name),
            None => format!("{{spinner}} {} {{pos}}, {{elapsed}}", meta.turn_name),
        };
        bar.set_style(ProgressStyle::with_template(&template).expect("the template is valid"));
        Bar(bar)
    }

    /// Shows how far the match has come.
    pub(crate) fn show(&self, progress: Progress) {
        // A short match should not flash a bar.
        if self.0.elapsed() > Duration::from_millis(300) {
            self.0.set_position(progress.turn);
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
