//! Tells people something on stderr while a bar may be on the screen.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use agon_contest::Notice;
use indicatif::ProgressBar;

use super::DIM;

/// The bar that is on the screen.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Has what is told from now on written above this bar, not into it.
pub(crate) fn tell_above(bar: &ProgressBar) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
}

/// Returns the bar that was put on the screen last.
pub(super) fn shown_bar() -> Option<ProgressBar> {
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
