//! Chooses the screen for a match or replay, and shows it there: window, terminal or VNC.
//!
//! `agon watch` and `play` use it. Pages in a browser are in `web`.

use crate::terminal::Capabilities;
use agon_view::App;
use agon_vnc::Server;
use agon_window::Host;
use anyhow::{Result, bail};

use crate::{Environment, View, VncOptions, vnc};

pub use agon_window::has_display;

/// Something that shows an app.
#[derive(Debug)]
pub enum Screen {
    /// A window, which the program `agon-window-host` opens.
    Window(Host),
    /// This terminal.
    Terminal,
    /// VNC clients.
    Vnc(Server),
}

/// Opens the screen that was asked for, or the best one: a window, or else the terminal.
///
/// In a checkout, the program for windows is built first if it is missing.
///
/// # Errors
/// If the screen cannot be used; the text says what it needs.
pub fn choose_screen(
    wanted: Option<View>,
    vnc: &VncOptions,
    environment: &Environment<'_>,
) -> Result<Screen> {
    if !matches!(wanted, Some(View::Vnc(_))) {
        refuse(vnc)?;
    }
    match wanted {
        None => best(environment),
        Some(View::Terminal) if !crate::terminal::is_terminal() => bail!(
            "standard output is no terminal, so that nothing can be watched in it; leave out \
             `--view`, or export pictures of a replay with `agon replay export`"
        ),
        Some(View::Window) => window(environment),
        Some(View::Terminal) => Ok(Screen::Terminal),
        Some(View::Web) => bail!("a page has a viewer of its own"),
        Some(View::None) => bail!("with `--view none` there is nothing to see"),
        Some(View::Vnc(port)) => Ok(Screen::Vnc(vnc::listen(port, vnc, environment)?)),
    }
}

/// Opens a window, or the terminal if there can be no window.
fn best(environment: &Environment<'_>) -> Result<Screen> {
    let is_terminal = crate::terminal::is_terminal();
    if is_terminal && !has_display() {
        return Ok(Screen::Terminal);
    }
    match window(environment) {
        Err(error) if is_terminal => {
            environment.say(format!("note: {error}; this terminal shows it instead"));
            Ok(Screen::Terminal)
        }
        chosen => chosen,
    }
}

fn window(environment: &Environment<'_>) -> Result<Screen> {
    if !has_display() {
        bail!(
            "a window needs a display, but neither DISPLAY nor WAYLAND_DISPLAY is set; `--view \
             terminal` and `--view web` need none, on a server `ssh -X` gives one, and `xvfb-run` \
             one that nobody sees"
        )
    }
    Ok(Screen::Window(Host::start(&|line| environment.say(line))?))
}

/// Refuses flags for VNC if nothing is shown over it.
///
/// # Errors
/// If there are such flags.
pub(crate) fn refuse(vnc: &VncOptions) -> Result<()> {
    if *vnc != VncOptions::default() {
        bail!(
            "--vnc-password-file and --vnc-address are for matches that are watched over VNC: add \
             `--view vnc`"
        );
    }
    Ok(())
}

/// Shows an app on a screen until the person leaves, or `is_over`.
///
/// # Errors
/// If the screen cannot be used.
pub fn show(
    app: Box<dyn App>,
    screen: Screen,
    environment: &Environment<'_>,
    is_over: impl Fn() -> bool,
) -> Result<()> {
    match screen {
        Screen::Terminal => in_terminal(app, environment.colors, is_over),
        Screen::Window(host) => Ok(host.show(app, is_over)?),
        Screen::Vnc(server) => vnc::show(app, server, environment, is_over),
    }
}

/// Shows an app in the terminal.
fn in_terminal(
    mut app: Box<dyn App>,
    colors: Option<bool>,
    is_over: impl Fn() -> bool,
) -> Result<()> {
    crate::terminal::show(&mut *app, Capabilities::of_environment(colors), is_over)?;
    Ok(())
}
