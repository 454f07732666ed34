//! The messages between the arena and `agon-web-host`, which serves pages to browsers.
//!
//! The arena sends the files to serve and the port to listen on. The host replies with the port
//! that it uses. Then the arena sends the steps of a match. The host sends the orders of people who
//! play in a page, and the arena answers each. The host ends when the arena is gone. The arena's
//! side is in `agon-show`.

use agon_files::parts::Part;
use serde::{Deserialize, Serialize};

use crate::message::Question;

/// The program that serves pages, which the arena finds or builds by its name.
pub const HOST: Part = Part {
    program: "agon-web-host",
    package: "agon-web-host",
    variable: "AGON_WEB_HOST",
    who: "pages in a browser",
};

/// The version of this dialogue.
pub const DIALOGUE: u64 =
    agon_files::parts::dialogue(&[include_str!("dialogue.rs"), include_str!("message.rs")]);

/// A message from the arena to the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToHost {
    /// A file to serve. Its contents are the bytes of the message.
    File {
        /// Its path from the page.
        path: String,
        /// Its media type.
        media_type: String,
    },
    /// More contents of the last file, as the bytes of the message.
    MoreOfFile,
    /// All files have been sent: listen.
    Listen(Listen),
    /// A match begins, or begins again. The bytes are its first [message](crate::message).
    Begin,
    /// The match continues. The bytes are the next message for pages.
    GoOn,
    /// A person is asked. The time limit starts now.
    Ask(Question),
    /// What a page shows for the question, if it does not know the game. The bytes are its message.
    Hints,
    /// The question does not wait any more.
    Close,
    /// The match is over.
    End,
    /// The result of a person's orders.
    Answer {
        /// The number of the orders.
        request: u64,
        /// The result.
        verdict: Verdict,
    },
}

/// The port to listen on, and what is served beside the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listen {
    /// The port of 127.0.0.1; 0 is any free one.
    pub port: u16,
    /// Whether pages can follow a running match.
    pub live: bool,
    /// Whether people play in it.
    pub orders: bool,
    /// Whether pages may ask for another match when it is over.
    pub rematch: bool,
    /// A page of another site that may read, too.
    pub guest: Option<Guest>,
}

/// A page of another site that may read the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// The origin of the page.
    pub origin: String,
    /// The path of a file whose lines are also sent as the messages of a WebSocket.
    pub lines: String,
}

/// The result of a person's orders.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// The match has them.
    Taken,
    /// Their question does not wait for orders.
    Outdated,
    /// They are invalid, for this reason.
    NoOrders(String),
    /// The arena has failed to check them.
    Failed,
}

/// A message from the host to the arena.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ToArena {
    /// It listens on this port.
    Listening {
        /// The port of 127.0.0.1.
        port: u16,
    },
    /// It cannot listen, for this reason.
    CannotListen(String),
    /// A page asks for another match.
    Rematch,
    /// Orders of a person, unmodified as the bytes of the message.
    Orders {
        /// The number of the orders, from 1.
        request: u64,
    },
}
