//! On which screen matches and replays are shown.

use agon_vnc::Server;
use anyhow::{Result, bail};

use crate::{
    cli::{View, VncArgs},
    vnc,
};

/// Something that shows an app.
#[derive(Debug)]
pub(crate) enum Screen {
    /// A window.
    Window,
    /// This terminal.
    Terminal,
    /// VNC clients.
    Vnc(Server),
}

/// The screen that was asked for, or the best one there is: a window, or else the terminal.
///
/// # Errors
/// If it is not there; the text says what it needs.
pub(crate) fn choose(wanted: Option<View>, vnc: &VncArgs) -> Result<Screen> {
    if !matches!(wanted, Some(View::Vnc(_))) {
        refuse(vnc)?;
    }
    let best = || if has_window() || !agon_terminal::is_terminal() { View::Window } else { View::Terminal };
    match wanted.unwrap_or_else(best) {
        View::Window if cfg!(not(feature = "window")) => {
            bail!(
                "this program was built without windows: build it with `--features window`, or watch in a terminal \
                 with `--view terminal`"
            )
        }
        View::Window if !has_display() => bail!(
            "a window needs a display, but neither DISPLAY nor WAYLAND_DISPLAY is set; `--view terminal` and `--view web` \
             need none, on a server `ssh -X` gives one, and `xvfb-run` one that nobody sees"
        ),
        View::Terminal if !agon_terminal::is_terminal() => bail!(
            "standard output is no terminal, so that nothing can be watched in it; leave out `--view`, or export \
             pictures of a replay with `agon replay export`"
        ),
        View::Window => Ok(Screen::Window),
        View::Terminal => Ok(Screen::Terminal),
        View::Web => unreachable!("a page has a viewer of its own"),
        View::None => bail!("with `--view none` there is nothing to see"),
        View::Vnc(port) => Ok(Screen::Vnc(vnc::listen(port, vnc)?)),
    }
}

/// Refuses flags for VNC where nothing is shown over it.
///
/// # Errors
/// If there are such.
pub(crate) fn refuse(vnc: &VncArgs) -> Result<()> {
    if *vnc != VncArgs::default() {
        bail!(
            "--vnc-password-file and --vnc-address are for matches that are watched over VNC: add `--view vnc`"
        );
    }
    Ok(())
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
