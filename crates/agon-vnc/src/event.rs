//! Events that the threads of clients send to the thread that runs the app.
//!
//! Some are [`Notice`]s for the person who runs the server; `agon-show` prints them.

use std::{fmt, net::SocketAddr};

use agon_view::Input;

use crate::state::MAX_CLIENTS;

/// Events that may interest the person who runs a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A client sees the picture.
    Joined(SocketAddr),
    /// A client is gone or was refused; the reason, unless it left on its own.
    Left(SocketAddr, Option<String>),
    /// A client was refused, because there are too many.
    Full(SocketAddr),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Joined(who) => write!(f, "{who} is watching"),
            Notice::Left(who, None) => write!(f, "{who} has left"),
            Notice::Left(who, Some(why)) => write!(f, "{who} was disconnected: {why}"),
            Notice::Full(who) => {
                write!(f, "{who} was turned away: {MAX_CLIENTS} are connected already")
            }
        }
    }
}

/// An event for the app.
#[derive(Debug)]
pub(crate) enum Event {
    Input(Input),
    Size { client: u64, width: u32, height: u32 },
    Joined(SocketAddr),
    Notice(Notice),
}
