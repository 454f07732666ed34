//! Options for showing a match, watching it, and playing in it.
//!
//! The command line fills them from its flags, such as `--view` and `--human-time`.

use std::{net::IpAddr, path::PathBuf, time::Duration};

use agon_paint::ThemeName;

/// Where a match or replay is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// In a window.
    Window,
    /// In this terminal.
    Terminal,
    /// In a browser on this machine.
    Web,
    /// By VNC clients, on this port or the first one that is free.
    Vnc(Option<u16>),
    /// Nowhere.
    None,
}

/// How a match is shown while it is played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ViewOptions {
    /// Where it is watched; `None`: only where people play, and there on the best screen.
    pub view: Option<View>,
    /// Whether the window is opened because there is a display, not because somebody asked for it.
    pub unsolicited: bool,
    /// The most turns a second.
    pub pace: Option<f64>,
    /// The colours.
    pub theme: Option<ThemeName>,
    /// How a page is served.
    pub web: WebOptions,
    /// How VNC clients are served.
    pub vnc: VncOptions,
}

impl ViewOptions {
    /// Whether somebody wants to watch.
    pub fn is_watched(&self) -> bool {
        !matches!(self.view, None | Some(View::None))
    }
}

/// How a page is served to browsers on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebOptions {
    /// The port; `None`: any free one.
    pub port: Option<u16>,
    /// Whether the browser is not opened.
    pub no_open: bool,
}

/// How VNC clients are served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VncOptions {
    /// A file with the password; `None`: the variable `AGON_VNC_PASSWORD`, if it is set.
    pub password_file: Option<PathBuf>,
    /// The address of the machine to listen on; `None`: only this machine can connect.
    pub address: Option<IpAddr>,
}

/// How people play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PersonOptions {
    /// How long a person may take for the orders of a turn; `None`: as long as it takes.
    pub time_limit: Option<Duration>,
    /// Whether nobody waits for the person: a turn lasts as long as the game says.
    pub real_time: bool,
}
