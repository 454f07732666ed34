//! On which screen matches and replays are shown.

use agon_vnc::Server;
use agon_window::Host;
use anyhow::{Result, bail};

use crate::{
    cli::{View, VncArgs},
    vnc,
};

/// Something that shows an app.
#[derive(Debug)]
pub(crate) enum Screen {
    /// A window, which this program opens.
    Window(Host),
    /// This terminal.
    Terminal,
    /// VNC clients.
    Vnc(Server),
}

/// The screen that was asked for, or the best one there is: a window, or else the terminal. What a
/// window needs is built here if it is missing.
///
/// # Errors
/// If it is not there; the text says what it needs.
pub(crate) fn choose(wanted: Option<View>, vnc: &VncArgs) -> Result<Screen> {
    if !matches!(wanted, Some(View::Vnc(_))) {
        refuse(vnc)?;
    }
    match wanted {
        None => best(),
        Some(View::Terminal) if !agon_terminal::is_terminal() => bail!(
            "standard output is no terminal, so that nothing can be watched in it; leave out \
             `--view`, or export pictures of a replay with `agon replay export`"
        ),
        Some(View::Window) => window(),
        Some(View::Terminal) => Ok(Screen::Terminal),
        Some(View::Web) => unreachable!("a page has a viewer of its own"),
        Some(View::None) => bail!("with `--view none` there is nothing to see"),
        Some(View::Vnc(port)) => Ok(Screen::Vnc(vnc::listen(port, vnc)?)),
    }
}

/// A window, or the terminal where there can be none.
fn best() -> Result<Screen> {
    let is_terminal = agon_terminal::is_terminal();
    if is_terminal && !has_display() {
        return Ok(Screen::Terminal);
    }
    match window() {
        Err(error) if is_terminal => {
            say!("note: {error}; this terminal shows it instead");
            Ok(Screen::Terminal)
        }
        chosen => chosen,
    }
}

fn window() -> Result<Screen> {
    if !has_display() {
        bail!(
            "a window needs a display, but neither DISPLAY nor WAYLAND_DISPLAY is set; `--view \
             terminal` and `--view web` need none, on a server `ssh -X` gives one, and `xvfb-run` \
             one that nobody sees"
        )
    }
    Ok(Screen::Window(Host::start(&|line| say!("{line}"))?))
}

/// Refuses flags for VNC where nothing is shown over it.
///
/// # Errors
/// If there are such.
pub(crate) fn refuse(vnc: &VncArgs) -> Result<()> {
    if *vnc != VncArgs::default() {
        bail!(
            "--vnc-password-file and --vnc-address are for matches that are watched over VNC: add \
             `--view vnc`"
        );
    }
    Ok(())
}

/// Whether a window could be opened, as far as the environment tells.
pub(crate) fn has_display() -> bool {
    agon_window::has_display()
}
