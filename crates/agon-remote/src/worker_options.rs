//! The flags of `agon worker`: `agon` explains them, `agon-nats` obeys them.

use std::{num::NonZero, path::PathBuf};

use agon_games::GameId;
use clap::Args;

use crate::Address;

/// `agon worker`: plays matches of others.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A worker plays whatever coordinators publish, with the same sandbox and clocks as everywhere. It
needs no files beside its own: bots come from the server, by their digests. Ctrl-C or SIGTERM gives
back what has not begun, and ends after the running matches; a second Ctrl-C ends at once, and
others play what it had.

Examples:
  agon worker nats://192.168.1.5:4222            on each machine
  agon worker nats://192.168.1.5:4222 --slots 2  two matches at a time
  agon worker tls://queue.example --credentials worker.creds --label lab-7")]
pub struct WorkerOptions {
    /// The server: nats://HOST:PORT, or several of a cluster with commas between them.
    #[arg(value_name = "SERVER")]
    pub server: Address,
    /// A file with credentials for the server.
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// A file with certificates that sign that of the server.
    #[arg(long, value_name = "FILE")]
    pub authority: Option<PathBuf>,
    /// How many matches are played at a time; one on each core if it is missing.
    #[arg(long, short = 'j', value_name = "N")]
    pub slots: Option<NonZero<usize>>,
    /// The games that are played, with commas between them; all if it is missing.
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    pub games: Vec<GameId>,
    /// What people call this worker; the name of the machine if it is missing.
    #[arg(long, value_name = "NAME")]
    pub label: Option<String>,
    /// A folder for bots that were fetched; it is emptied of old ones. A temporary folder if it is
    /// missing.
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Say what it does; repeat it for more.
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub verbose: u8,
}
