//! What the command line says and provides: options for showing a match, watching it, and playing
//! in it, with the flags that fill them; and the [`Environment`], with messages to people,
//! interrupts, colours, and the wish for a rematch.

use std::sync::atomic::{AtomicU16, Ordering};
use std::{net::IpAddr, path::PathBuf, str::FromStr, time::Duration};

use agon_arena::Notice;
use agon_view::Rematch;
use agon_view::paint::{Appearance, ThemeName};
use clap::Args;

/// The place where a match or replay is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// In a window.
    Window,
    /// In this terminal.
    Terminal,
    /// In a browser on this machine.
    Web,
    /// By VNC clients, on this port or the first free one.
    Vnc(Option<u16>),
    /// Nowhere.
    None,
}

impl FromStr for View {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<View, &'static str> {
        match text {
            "window" => Ok(View::Window),
            "terminal" => Ok(View::Terminal),
            "web" => Ok(View::Web),
            "vnc" => Ok(View::Vnc(None)),
            "none" => Ok(View::None),
            _ => match text.strip_prefix("vnc:").map(str::parse) {
                Some(Ok(port)) => Ok(View::Vnc(Some(port))),
                Some(Err(_)) => Err("a port is a number up to 65535"),
                None => Err("expected window, terminal, web, vnc, vnc:PORT or none"),
            },
        }
    }
}

/// Options for showing a match while it is played.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct ViewOptions {
    /// Watch the match. It is played at full speed, shown from its start, and can be gone through
    /// to and fro. WHERE is `window`, `terminal`, `web`, `vnc` or `vnc:PORT`; with `none` nothing
    /// is shown.
    // `None` shows only matches with people, on the best screen.
    #[arg(long, value_name = "WHERE", help_heading = "Watching")]
    pub view: Option<View>,
    /// Whether the window is opened because there is a display, although nobody asked for it.
    #[arg(skip)]
    pub unsolicited: bool,
    /// Play at most so many turns a second; whoever watches sees each as it is played.
    #[arg(long, value_name = "TURNS", value_parser = pace, help_heading = "Watching")]
    pub pace: Option<f64>,
    /// Colours: dark, light, classic [default: dark].
    #[arg(long, value_name = "NAME", help_heading = "Watching")]
    pub theme: Option<ThemeName>,
    /// Give all players patterns, not only those after the sixth: for eyes and screens that
    /// tell few colours apart.
    #[arg(long, help_heading = "Watching")]
    pub patterns: bool,
    /// Options for a page.
    #[command(flatten)]
    pub web: WebOptions,
    /// Options for VNC clients.
    #[command(flatten)]
    pub vnc: VncOptions,
}

impl ViewOptions {
    /// Returns the colours, where nobody but the options chooses them.
    pub fn appearance(&self) -> Appearance {
        Appearance { theme: self.theme.unwrap_or_default(), patterns: self.patterns }
    }

    /// Returns whether somebody wants to watch.
    pub fn is_watched(&self) -> bool {
        !matches!(self.view, None | Some(View::None))
    }
}

fn pace(text: &str) -> Result<f64, &'static str> {
    let turns: f64 = text.parse().map_err(|_| "expected a number of turns a second")?;
    let fits = (0.01..=10_000.0).contains(&turns);
    fits.then_some(turns).ok_or("expected 0.01 to 10000 turns a second")
}

/// Options for a page that is served to browsers on this machine.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct WebOptions {
    /// Serve the page on this port of 127.0.0.1 [default: any free one].
    #[arg(long, value_name = "N", help_heading = "Browser")]
    pub port: Option<u16>,
    /// Do not open the browser.
    #[arg(long, help_heading = "Browser")]
    pub no_open: bool,
}

/// Options for serving VNC clients.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct VncOptions {
    /// The password for VNC, at most 8 bytes, is in this file, which only you may read;
    /// AGON_VNC_PASSWORD is another way. A password on the command line could be read by every user
    /// of the machine.
    #[arg(
        id = "vnc_password_file",
        long = "vnc-password-file",
        value_name = "FILE",
        help_heading = "VNC"
    )]
    pub password_file: Option<PathBuf>,
    /// Listen for VNC on this address of the machine; one that others reach needs a password
    /// [default: 127.0.0.1].
    #[arg(id = "vnc_address", long = "vnc-address", value_name = "IP", help_heading = "VNC")]
    pub address: Option<IpAddr>,
}

/// Options for people who play.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PersonOptions {
    /// Give a person so many seconds for the orders of a turn [default: as long as it takes].
    #[arg(
        id = "human_time",
        long = "human-time",
        value_name = "SECONDS",
        value_parser = seconds,
        conflicts_with = "real_time",
        help_heading = "People who play"
    )]
    pub time_limit: Option<Duration>,
    /// Do not wait for the person: a tick lasts as long as the game says (only rezzo).
    #[arg(long, help_heading = "People who play")]
    pub real_time: bool,
}

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds")?;
    let fits = (0.1..=1e6).contains(&seconds);
    fits.then(|| Duration::from_secs_f64(seconds)).ok_or("expected 0.1 to 1000000 seconds")
}

/// The services of the program that shows something.
#[derive(Clone, Copy)]
pub struct Environment<'a> {
    /// Receives messages for people, perhaps while a match runs in another thread.
    pub tell: &'a (dyn Fn(Notice) + Sync),
    /// Returns whether the match has to end, for example by Ctrl-C.
    pub is_interrupted: fn() -> bool,
    /// Ends the match: `is_interrupted` returns true from now on.
    pub interrupt: fn(),
    /// Whether a terminal shows colours; `None` leaves that to its environment variables.
    pub colors: Option<bool>,
    /// Where people may ask for another match when one is over; `None` does not offer it.
    pub another: Option<&'a AnotherMatch>,
}

impl Environment<'_> {
    /// Sends people a message.
    pub(crate) fn say(&self, text: impl Into<String>) {
        (self.tell)(Notice::Info(text.into()));
    }

    /// Returns the wish for another match, if it may be asked for.
    pub(crate) fn rematch(&self) -> Option<Rematch> {
        self.another.map(|another| another.wish.clone())
    }
}

/// What a match leaves for the next one of the same bots.
#[derive(Debug, Default)]
pub struct AnotherMatch {
    pub(crate) wish: Rematch,
    /// The port of the page; 0 without one.
    port: AtomicU16,
}

impl AnotherMatch {
    /// Returns whether somebody has asked for another match since the last call.
    pub fn is_wanted(&self) -> bool {
        self.wish.take()
    }

    /// Returns the port on which pages expect the next match, if they followed the last one.
    pub fn port(&self) -> Option<u16> {
        Some(self.port.load(Ordering::Relaxed)).filter(|&port| port > 0)
    }

    pub(crate) fn set_port(&self, port: u16) {
        self.port.store(port, Ordering::Relaxed);
    }
}
