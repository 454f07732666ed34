//! Finds the display of this machine and connects to it.
//!
//! `main` does this before it opens the window, and reports to the arena what is missing.

use std::{
    env, fmt,
    panic::{self, AssertUnwindSafe},
};

use agon_window::dialogue::Problem;
use winit::event_loop::EventLoop;

use crate::arena_events::ArenaEvent;

/// Looks for a display that this program supports.
///
/// # Errors
/// If there is none.
pub(crate) fn look() -> Result<(), Problem> {
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(not(unix)) || cfg!(target_os = "macos") || (cfg!(feature = "x11") && is_set("DISPLAY"))
    {
        return Ok(());
    }
    match is_set("WAYLAND_DISPLAY") || is_set("WAYLAND_SOCKET") {
        true if cfg!(feature = "wayland") => Ok(()),
        true => Err(Problem::NoWayland),
        false => Err(Problem::NoDisplay),
    }
}

/// Connects to the display. The library for that panics if a shared library is missing.
///
/// # Errors
/// If it cannot be used.
pub(crate) fn connect() -> Result<EventLoop<ArenaEvent>, Problem> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let made = panic::catch_unwind(AssertUnwindSafe(|| EventLoop::with_user_event().build()));
    panic::set_hook(hook);
    match made {
        Ok(made) => made.map_err(refused),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Err(Problem::Library(text.unwrap_or_default()))
        }
    }
}

/// Returns the error of a refused connection, without the place in the library's source.
pub(crate) fn refused(error: impl fmt::Display) -> Problem {
    let text = error.to_string();
    let reason = text.split_once(".rs:").and_then(|(_, rest)| rest.split_once(": "));
    Problem::Refused(reason.map_or(text.clone(), |(_, reason)| reason.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_no_source_file() {
        let error = |text: &str| refused(text).to_string();
        let text =
            "os error at /x/winit-0.30/src/linux/mod.rs:788: Failed to open connection to X server";
        assert_eq!(
            error(text),
            "the window cannot be opened: Failed to open connection to X server"
        );
        assert_eq!(error("no"), "the window cannot be opened: no");
    }
}
