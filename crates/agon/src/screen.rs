//! On which screen matches and replays are shown.

use anyhow::{Result, bail};

use crate::cli::View;

/// The screen that was asked for, or the best one there is: a window, or else the terminal.
///
/// # Errors
/// If it is not there; the text says what it needs.
pub(crate) fn choose(wanted: Option<View>) -> Result<View> {
    let best = || if has_window() || !agon_terminal::is_terminal() { View::Window } else { View::Terminal };
    match wanted.unwrap_or_else(best) {
        View::Window if cfg!(not(feature = "window")) => {
            bail!(
                "this program was built without windows: build it with `--features window`, or watch in a terminal \
                 with `--view terminal`"
            )
        }
        View::Window if !has_display() => bail!(
            "a window needs a display, but neither DISPLAY nor WAYLAND_DISPLAY is set; `--view terminal` needs none, \
             on a server `ssh -X` gives one, and `xvfb-run` one that nobody sees"
        ),
        View::Terminal if !agon_terminal::is_terminal() => bail!(
            "standard output is no terminal, so that nothing can be watched in it; leave out `--view`, or export \
             pictures of a replay with `agon replay export`"
        ),
        view => Ok(view),
    }
}

/// Whether a window could be opened.
pub(crate) fn has_window() -> bool {
    cfg!(feature = "window") && has_display()
}

#[cfg(feature = "window")]
fn has_display() -> bool {
    agon_window::has_display()
}

#[cfg(not(feature = "window"))]
fn has_display() -> bool {
    false
}
