//! A progress bar for long matches, on stderr and only on a terminal.

use std::{fmt, thread, time::Duration};

use agon_core::{Game, Meta, Progress};
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played, Waiting};
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::{standing::VOID_HELP, stderr_is_ascii, tell::tell_above, waiting::WaitPart};
use crate::sandbox::tell_what_is_missing;

/// A match shorter than this should not flash a bar.
const FLASH: Duration = Duration::from_millis(300);

/// How often the bar is drawn while nothing happens.
const TICK: Duration = Duration::from_millis(250);

/// The look of a bar with this template.
pub(crate) fn bar_style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    if stderr_is_ascii() { style.progress_chars("#>.").tick_chars("|/-\\ ") } else { style }
}

/// Draws a bar again and again from some time on, until it is finished or dropped. Where there may
/// be no more threads, it is only drawn when something happens.
pub(crate) fn keep_drawn(bar: &ProgressBar, after: Duration) {
    if bar.is_hidden() {
        return;
    }
    let bar = bar.downgrade();
    let draw = move || {
        thread::sleep(after);
        while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
            bar.tick();
            drop(bar);
            thread::sleep(TICK);
        }
    };
    // Not the bar's own way to do this, which panics without a thread.
    let _ = thread::Builder::new().spawn(draw);
}

/// The progress of a match.
pub(crate) struct Bar {
    bar: ProgressBar,
    wait: WaitPart,
}

impl Bar {
    /// A bar for a match of this game; hidden when stderr is no terminal.
    pub(crate) fn new(meta: &Meta, limit: Option<u64>) -> Bar {
        let bar = match limit {
            Some(limit) => ProgressBar::new(limit),
            None => ProgressBar::no_length(),
        };
        let template = match limit {
            Some(_) => {
                format!("{{bar:30}} {} {{pos}} of {{len}}{{left}}{{wide_msg}}", meta.turn_name)
            }
            None => format!("{{spinner}} {} {{pos}}, {{elapsed}}{{wide_msg}}", meta.turn_name),
        };
        let style = bar_style(&template);
        bar.set_style(style.with_key("left", time_left));
        tell_above(&bar);
        // By itself, so that it is seen, and its clock runs, while a bot thinks for long.
        keep_drawn(&bar, FLASH);
        Bar { bar, wait: WaitPart::default() }
    }

    /// Shows how far the match has come.
    pub(crate) fn show(&self, progress: Progress) {
        self.wait.clear(&self.bar);
        if self.bar.elapsed() > FLASH {
            self.bar.set_position(progress.turn);
        }
    }

    /// Shows which bots the match waits for.
    pub(crate) fn wait(&self, waiting: &Waiting) {
        self.wait.show(&self.bar, waiting);
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Shows the progress of a match, and tells what people should know meanwhile.
pub(crate) struct MatchProgress {
    max_turns: Option<u64>,
    /// How often the match is played at most.
    attempts: usize,
    bar: Option<Bar>,
}

impl MatchProgress {
    /// The progress of a match of at most so many turns, beside the game's own limit.
    pub(crate) fn new(max_turns: Option<u64>, attempts: usize) -> MatchProgress {
        MatchProgress { max_turns, attempts, bar: None }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&mut self) {
        self.bar.take().into_iter().for_each(|bar| bar.clear());
    }
}

impl<G: Game> Observer<G> for MatchProgress {
    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        // Known once a program has been started.
        tell_what_is_missing();
        let progress = event.game.progress();
        let limit = [progress.limit, self.max_turns].into_iter().flatten().min();
        self.bar.get_or_insert_with(|| Bar::new(&G::META, limit)).show(progress);
        Ok(Control::Continue)
    }

    fn waiting(&mut self, waiting: &Waiting) {
        self.bar.iter().for_each(|bar| bar.wait(waiting));
    }

    fn void(&mut self, played: &Played<G>, attempt: u32) -> Result<(), ObserverError> {
        self.clear();
        if let Some(void) = played.result.void {
            let attempts = self.attempts;
            let next = attempt + 1;
            say!("void: {void}; the match is played again ({next} of {attempts}); {VOID_HELP}");
        }
        Ok(())
    }

    fn end(&mut self, _: &Played<G>) -> Result<(), ObserverError> {
        self.clear();
        Ok(())
    }
}

/// The time that a match still takes, once there is anything to judge it by.
fn time_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        // Fails only if `out` does, and the bar is no place for errors.
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}
