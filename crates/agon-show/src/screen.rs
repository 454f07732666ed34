//! Chooses the screen for a match or replay, and shows it there: window, terminal or VNC.
//!
//! `agon watch` and `play` use it. Pages in a browser are in `web`.

use std::{env, net::Ipv4Addr};

use agon_view::{TextApp, window::Host};
use anyhow::{Context, Result, bail};

use crate::terminal::{self, Capabilities};
use crate::vnc::{Notice, Options, Password, Server};
use crate::{Environment, View, VncOptions};

pub use agon_view::window::has_display;

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
/// Fails if the screen cannot be used; the text says what it needs.
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
        Some(View::Terminal) if !terminal::is_terminal() => bail!(
            "standard output is no terminal, so that nothing can be watched in it; leave out \
             `--view`, or export pictures of a replay with `agon replay export`"
        ),
        Some(View::Window) => window(environment),
        Some(View::Terminal) => Ok(Screen::Terminal),
        Some(View::Web) => bail!("a page has a viewer of its own"),
        Some(View::None) => bail!("with `--view none` there is nothing to see"),
        Some(View::Vnc(port)) => Ok(Screen::Vnc(listen_for_vnc(port, vnc, environment)?)),
    }
}

/// Opens a window, or the terminal if there can be no window.
fn best(environment: &Environment<'_>) -> Result<Screen> {
    let is_terminal = terminal::is_terminal();
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
pub fn show(
    mut app: Box<dyn TextApp>,
    screen: Screen,
    environment: &Environment<'_>,
    is_over: impl Fn() -> bool,
) -> Result<()> {
    match screen {
        Screen::Terminal => {
            let capabilities = Capabilities::of_environment(environment.colors);
            terminal::show(&mut *app, capabilities, is_over).context("the terminal")
        }
        Screen::Window(host) => Ok(host.show(app, is_over)?),
        Screen::Vnc(server) => {
            let mut tell = |notice: &Notice| environment.say(format!("vnc: {notice}"));
            server.run(&mut *app, &is_over, &mut tell).context("cannot show it over VNC")
        }
    }
}

/// The variable with the password, if there is no file with it.
const VARIABLE: &str = "AGON_VNC_PASSWORD";

/// Listens for VNC clients, and prints the address.
/// Fails if the port is taken, or the password is invalid, or is missing although it is required.
fn listen_for_vnc(
    port: Option<u16>,
    options: &VncOptions,
    environment: &Environment<'_>,
) -> Result<Server> {
    let password = password(options)?;
    let address = options.address.unwrap_or(Ipv4Addr::LOCALHOST.into());
    let is_open = password.is_none();
    let server = Server::bind(Options { address, port, password, ..Options::default() })?;
    let who = if is_open { "users of this machine need no password" } else { "with a password" };
    let url = server.url();
    environment
        .say(format!("{url} shows it to VNC clients ({who}); q there or Ctrl-C here ends it"));
    Ok(server)
}

fn password(options: &VncOptions) -> Result<Option<Password>> {
    if let Some(path) = &options.password_file {
        let place = || format!("the VNC password in {}", path.display());
        return Password::read(path).map(Some).with_context(place);
    }
    let Some(text) = env::var_os(VARIABLE) else { return Ok(None) };
    let password = Password::new(text.as_encoded_bytes());
    password.map(Some).with_context(|| format!("the VNC password in {VARIABLE}"))
}
