//! Options for showing a match, watching it, and playing in it.
//!
//! The command line fills them from its flags, such as `--view` and `--human-time`.

use std::{net::IpAddr, path::PathBuf, time::Duration};

use agon_paint::{Appearance, ThemeName};

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

/// Options for showing a match while it is played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewOptions {
    /// The place; `None` shows only matches with people, on the best screen.
    pub view: Option<View>,
    /// Whether the window is opened because there is a display, although nobody asked for it.
    pub unsolicited: bool,
    /// The most turns per second.
    pub pace: Option<f64>,
    /// The colours.
    pub theme: Option<ThemeName>,
    /// Whether all players have patterns.
    pub patterns: bool,
    /// Options for a page.
    pub web: WebOptions,
    /// Options for VNC clients.
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

/// Options for a page that is served to browsers on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebOptions {
    /// The port; `None` is any free one.
    pub port: Option<u16>,
    /// Whether Agon does not open the browser.
    pub no_open: bool,
}

/// Options for serving VNC clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VncOptions {
    /// A file with the password; `None` uses the variable `AGON_VNC_PASSWORD`, if it is set.
    pub password_file: Option<PathBuf>,
    /// The machine's address to listen on; `None` lets only this machine connect.
    pub address: Option<IpAddr>,
}

/// Options for people who play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PersonOptions {
    /// A person's time limit for the orders of a turn; `None` is no limit.
    pub time_limit: Option<Duration>,
    /// Whether the match does not wait for people: a turn lasts as long as the game says.
    pub real_time: bool,
}
