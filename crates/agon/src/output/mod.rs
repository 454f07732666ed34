//! Output for people: tables, standings, progress, and words above a bar; and events for programs.

mod films;
mod progress;
mod standing;

pub(crate) use agon_console::{
    BAD, BOLD, CAUTION, DIM, GOOD, PLAIN, Style, has_ascii_terminal, listed, print_table,
    shown_on_stderr, stderr, stderr_is_ascii, stdout, stdout_failure, table, table_of, wrapped,
};
pub(crate) use agon_core::text::number::{duration, grouped, memory, plural, space};
pub(crate) use agon_core::text::shell_word;
pub(crate) use films::{FilmTime, print_films};
pub(crate) use progress::{Bar, MatchProgress, RemoteBoard, WaitBoard, bar_style, keep_drawn};
pub(crate) use standing::{
    MatchInfo, exit_of, print_evidence, print_faults, print_output, print_result,
};

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use agon_contest::{Notice, events::Event};
use indicatif::ProgressBar;

/// Prints an event on a line of its own.
pub(crate) fn print_event(event: Event<'_>, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &event)?;
    writeln!(out)
}

/// The bar that is on the screen.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Has what is told from now on written above this bar, not into it.
pub(crate) fn tell_above(bar: &ProgressBar) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// Returns the bar that was put on the screen last.
fn shown_bar() -> Option<ProgressBar> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Tells people something while a bar may be on the screen.
pub(crate) fn tell(text: impl fmt::Display) {
    let write = || say!("{text}");
    shown_bar().filter(|bar| !bar.is_finished()).map_or_else(write, |bar| bar.suspend(write));
}

/// Tells people what a library has to say.
pub(crate) fn tell_notice(notice: Notice) {
    match notice {
        Notice::Info(text) => tell(text),
        Notice::Note(text) => tell(format!("{DIM}note: {text}{DIM:#}")),
        Notice::Warning(text) => tell(format!("warning: {text}")),
    }
}
