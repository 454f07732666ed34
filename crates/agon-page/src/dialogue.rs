//! The dialogue of the arena and `agon-web-host`.
//!
//! The arena hands over the files to be served and says where to listen; the host tells where it
//! does. Then the arena tells how a match goes on, and the host passes on orders of people, each of
//! which the arena answers. The host ends when the arena is gone.

use agon_parts::Part;
use serde::{Deserialize, Serialize};

use crate::Question;

/// The program that serves pages.
pub const HOST: Part = Part {
    program: "agon-web-host",
    package: "agon-web-host",
    variable: "AGON_WEB_HOST",
    who: "pages in a browser",
};

/// The version of this dialogue.
pub const DIALOGUE: u64 =
    agon_parts::dialogue(&[include_str!("dialogue.rs"), include_str!("message.rs")]);

/// What the arena tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToHost {
    /// A file is to be served; its contents come along.
    File {
        /// Its path from the page.
        path: String,
        /// Its media type.
        media_type: String,
    },
    /// More of the last file's contents comes along.
    MoreOfFile,
    /// All files are there: listen.
    Listen(Listen),
    /// A match begins, again if one has begun before. Its first message comes along.
    Begin,
    /// It goes on. The message comes along.
    GoOn,
    /// A person is asked, from now on for as long as the question says.
    Ask(Question),
    /// Nobody is asked any more.
    Close,
    /// The match is over.
    End,
    /// What came of orders.
    Answer {
        /// Which orders.
        request: u64,
        /// What came of them.
        verdict: Verdict,
    },
}

/// What is served, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listen {
    /// The port of 127.0.0.1, 0 for any that is free.
    pub port: u16,
    /// Whether there is a match to be followed.
    pub live: bool,
    /// Whether people play in it.
    pub orders: bool,
}

/// What came of orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// They are given.
    Taken,
    /// The question does not wait, or not any more.
    Outdated,
    /// They are none; this says why.
    NoOrders(String),
    /// The arena has failed to judge them.
    Failed,
}

/// What the host tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToArena {
    /// It listens on this port.
    Listening {
        /// The port of 127.0.0.1.
        port: u16,
    },
    /// It cannot listen, and ends; this says why.
    CannotListen(String),
    /// Orders of a person; what was sent comes along as it is.
    Orders {
        /// Counts them.
        request: u64,
    },
}
