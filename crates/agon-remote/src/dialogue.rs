//! The messages between the arena and `agon-nats`, which carries matches: an [`Order`] goes there,
//! and [`Answer`]s come at any time.

use agon_files::parts::Part;
use agon_match::spec::Digest;
use serde::{Deserialize, Serialize};

use crate::fleet::{BatchId, Lane};

/// The program that carries matches over NATS.
pub const PART: Part = Part {
    program: "agon-nats",
    package: "agon-nats",
    variable: "AGON_NATS",
    who: "matches on other machines",
};

/// The version of this dialogue.
pub const DIALOGUE: u64 =
    agon_files::parts::dialogue(&[include_str!("dialogue.rs"), include_str!("fleet/message.rs")]);

/// What the arena wants of `agon-nats`. It is done in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// Connect, make what is missing on the server, and hold the lease of a run. The first order.
    Open {
        /// The server's address.
        server: String,
        /// A file with credentials.
        credentials: Option<String>,
        /// A file with certificates that sign that of the server.
        authority: Option<String>,
        /// A folder that all machines see: bots travel through it.
        bot_store: Option<String>,
        /// The run, which one coordinator may lead at a time.
        run: String,
    },
    /// Tell everybody how the run stands: the message's bytes, a
    /// [`RunMessage`](crate::fleet::message::RunMessage).
    Describe,
    /// Keep the message's bytes, files of a bot, under their digest, unless they are there.
    Blob(Digest),
    /// Fetch a blob, which is removed afterwards.
    Fetch(Digest),
    /// Publish a batch: the message's bytes.
    Publish {
        /// The batch.
        batch: BatchId,
        /// Its lane.
        lane: Lane,
        /// The name of its class.
        class: String,
        /// The class as JSON, for workers that do not know it.
        about: String,
    },
    /// Look whether the server still has a message.
    Look {
        /// The batch.
        batch: BatchId,
        /// Its place on the server, as [`Answer::Carried`] has named it.
        place: u64,
    },
    /// Remove a message, if it is still there.
    Remove {
        /// The batch.
        batch: BatchId,
        /// Its place on the server, as [`Answer::Carried`] has named it.
        place: u64,
    },
}

/// What `agon-nats` tells the arena.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// It is connected, and holds the lease.
    Opened {
        /// The server's version.
        server: String,
        /// When the credentials expire, in seconds since 1970; 0 if they do not.
        expires: u64,
    },
    /// It waits for something, or has less of it than it wants: a sentence for people.
    Waits(String),
    /// It cannot go on: why, with the remedy.
    Failed(String),
    /// The lease holds for so many milliseconds from now.
    Lease(u64),
    /// The server has a batch.
    Carried {
        /// The batch.
        batch: BatchId,
        /// Its place on the server; the number means something only to `agon-nats`.
        place: u64,
    },
    /// The server has not taken a batch.
    Refused {
        /// The batch.
        batch: BatchId,
        /// Why.
        why: String,
    },
    /// The answer to [`Order::Look`].
    Found {
        /// The batch.
        batch: BatchId,
        /// Whether the message is there.
        is_there: bool,
    },
    /// A bot's files are where workers find them: the answer to [`Order::Blob`].
    Stored(Digest),
    /// A bot's files could not be stored: they must be sent again later.
    Unstored(Digest),
    /// [`Order::Describe`] was done.
    Described,
    /// Results: the message's bytes.
    Results,
    /// A blob that was fetched: the message's bytes.
    Blob(Digest),
    /// A blob that is not there.
    Missing(Digest),
    /// A worker lives: the message's bytes, as JSON.
    Beat,
    /// The connection is lost, and why; `agon-nats` tries again.
    Lost(String),
    /// The connection is there again.
    Back,
    /// The server has forgotten its streams, which are made again.
    Forgotten,
}
