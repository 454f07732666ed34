//! On which screen matches and replays are shown.

use anyhow::{Result, bail};

use crate::cli::View;

/// The screen that was asked for, or the best one there is.
///
/// # Errors
/// If it is not there; the text says what it needs.
pub(crate) fn choose(wanted: Option<View>) -> Result<View> {
    match wanted.unwrap_or(View::Window) {
        View::Window if cfg!(not(feature = "window")) => {
            bail!("this program was built without windows: build it with `--features window`")
        }
        View::Window if !has_display() => bail!(
            "a window needs a display, but neither DISPLAY nor WAYLAND_DISPLAY is set; on a server `ssh -X` gives one, \
             and `xvfb-run` one that nobody sees"
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
