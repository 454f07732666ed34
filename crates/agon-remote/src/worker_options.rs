//! The flags of `agon worker`. `agon` shows their help; `agon-nats` applies them.

use std::{num::NonZero, path::PathBuf};

use agon_games::GameId;
use clap::Args;

use crate::Address;

/// `agon worker`: plays the matches that other machines publish on a NATS server.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A worker plays the published matches that this machine can play, and downloads their bots from the
server. Ctrl-C or SIGTERM: it finishes its running matches, returns the others, and exits. A second
one stops it at once, and other workers play its matches.

Examples:
  agon worker nats://192.168.1.5:4222            on each machine
  agon worker nats://192.168.1.5:4222 --slots 2  two matches at a time
  agon worker tls://queue.example --credentials worker.creds --label lab-7")]
pub struct WorkerOptions {
    /// The server: nats://HOST:PORT, or several of a cluster with commas between them.
    #[arg(value_name = "SERVER")]
    pub server: Address,
    /// The file with NATS credentials for the server.
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// The file with the certificates that verify the server's certificate (PEM).
    #[arg(long, value_name = "FILE")]
    pub authority: Option<PathBuf>,
    /// How many matches to play at a time [default: one on each core].
    #[arg(long, short = 'j', value_name = "N")]
    pub slots: Option<NonZero<usize>>,
    /// Play only these games, with commas between them [default: all].
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    pub games: Vec<GameId>,
    /// The worker's name in messages [default: the name of the machine].
    #[arg(long, value_name = "NAME")]
    pub label: Option<String>,
    /// Keep downloaded bots and compiled code in this folder [default: a temporary folder].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Log more: -v shows matches that this worker cannot play, -vv each batch.
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub verbose: u8,
}
