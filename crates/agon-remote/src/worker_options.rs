//! The flags of `agon worker` without another word: it plays. `agon` shows their help; `agon-nats`
//! applies them.

use std::{num::NonZero, path::PathBuf};

use agon_games::GameId;
use clap::Args;

use crate::Address;

/// Where a server is, and how it is entered.
#[derive(Args, Clone, Debug)]
pub struct ServerArgs {
    /// The server: nats://HOST:PORT, nats://USER:PASSWORD@HOST:PORT or tls://HOST:PORT; the
    /// servers of a cluster with commas between them.
    #[arg(value_name = "SERVER")]
    pub server: Address,
    /// The file with NATS credentials for the server.
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// The file (PEM) that verifies the server's certificate, such as authority.pem of `agon worker
    /// secure`. A certificate of a public authority needs none.
    #[arg(long, value_name = "FILE")]
    pub authority: Option<PathBuf>,
}

/// How a worker plays.
#[derive(Args, Clone, Debug)]
pub struct WorkerOptions {
    // As in `ServerArgs`, which would not be found here: these options are themselves optional.
    /// The server: nats://HOST:PORT, nats://USER:PASSWORD@HOST:PORT or tls://HOST:PORT; the
    /// servers of a cluster with commas between them.
    #[arg(value_name = "SERVER")]
    pub server: Address,
    /// The file with NATS credentials for the server.
    #[arg(long, value_name = "FILE")]
    pub credentials: Option<PathBuf>,
    /// The file (PEM) that verifies the server's certificate, such as authority.pem of `agon worker
    /// secure`. A certificate of a public authority needs none.
    #[arg(long, value_name = "FILE")]
    pub authority: Option<PathBuf>,
    /// Find bots in this folder, which all machines see, instead of on the server; coordinators
    /// need the same flag.
    #[arg(long, value_name = "DIR")]
    pub bot_store: Option<PathBuf>,
    /// How many matches to play at a time [default: one on each core].
    #[arg(long, short = 'j', value_name = "N")]
    pub slots: Option<NonZero<usize>>,
    /// Play only these games, with commas between them [default: all].
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    pub games: Vec<GameId>,
    /// The beginning of the worker's name [default: the name of the machine].
    #[arg(long, value_name = "NAME")]
    pub label: Option<String>,
    /// Keep downloaded bots and compiled code in this folder [default: a temporary folder].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Do not play: print a unit for systemd that starts this worker with these flags.
    #[arg(long, conflicts_with = "cache")]
    pub install: bool,
    /// Log more: -v shows matches that this worker cannot play, -vv each batch.
    #[arg(long, short, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

impl WorkerOptions {
    /// Returns where the server is, and how it is entered.
    pub fn server_args(&self) -> ServerArgs {
        ServerArgs {
            server: self.server.clone(),
            credentials: self.credentials.clone(),
            authority: self.authority.clone(),
        }
    }
}
