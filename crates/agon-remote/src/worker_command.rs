//! `agon worker`: plays, or does something else with a server. `agon` shows the help of its flags;
//! `agon-nats` applies them.

use std::{net::SocketAddr, num::NonZero, path::PathBuf};

use agon_bots::game_file::find;
use agon_games::GameId;
use clap::{Args, Subcommand, ValueEnum};

use crate::Address;

/// `agon worker`: plays the matches that other machines publish on a NATS server.
#[derive(Args, Clone, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
A worker plays the published matches that this machine can play, and downloads their bots from the
server. After the first Ctrl-C (or SIGTERM), it finishes its running matches, returns the others,
and exits. The second one stops it at once, and other workers play its matches.

Examples:
  agon worker nats://192.168.1.5:4222            on each machine
  agon worker nats://192.168.1.5:4222 --slots 2  two matches at a time
  agon worker tls://queue.example --authority authority.pem --credentials worker.creds
  agon worker status nats://192.168.1.5:4222     workers and waiting matches"
)]
pub struct WorkerCommand {
    /// What to do instead of playing.
    #[command(subcommand)]
    pub chore: Option<WorkerChore>,
    /// How to play; there if nothing else is to be done.
    #[command(flatten)]
    pub worker: Option<WorkerOptions>,
}

/// What can be done with a server beside playing its matches.
#[derive(Clone, Debug, Subcommand)]
pub enum WorkerChore {
    /// Show the workers of a server, its runs, and the matches that wait.
    Status(StatusOptions),
    /// Write a configuration for a server with TLS, and credentials for its users.
    Secure(SecureOptions),
    /// Write credentials for one more user of a server that `secure` has set up.
    Credential(CredentialOptions),
    /// Revoke credentials: the server takes them no more.
    Revoke(RevokeOptions),
}

/// The flags of `agon worker status`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
In a terminal it updates until Ctrl-C. Otherwise it listens for five seconds, prints what
it has heard, and exits.

Exit codes: 0 there are workers, 1 there is none, 2 error.

Examples:
  agon worker status nats://192.168.1.5:4222
  agon worker status nats://192.168.1.5:4222 --json
  agon worker status nats://192.168.1.5:4222 --metrics 127.0.0.1:9464   for Prometheus")]
pub struct StatusOptions {
    /// Where the server is.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Print it once as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print it once, also in a terminal.
    #[arg(long)]
    pub once: bool,
    /// Serve the figures for Prometheus at this address, at the path /metrics, until Ctrl-C.
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["json", "once"])]
    pub metrics: Option<SocketAddr>,
}

/// The flags of `agon worker secure`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
It writes to the new folder DIR:
  nats-server.conf   start the server with `nats-server -c DIR/nats-server.conf`
  authority.pem      everybody who uses the server needs it: --authority authority.pem
  coordinator.creds  for those who run tournaments: --credentials coordinator.creds
  worker.creds       for workers
  observer.creds     for `agon worker status`; it changes nothing
  account.seed       makes more credentials; keep it secret, and only here
  operator.seed      revokes credentials; keep it secret, and only here
  revocations.jwt    who is revoked; keep it in the folder of coordinator.creds

Example:
  agon worker secure queue --host queue.example --host 192.168.1.5")]
pub struct SecureOptions {
    /// The new folder.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// A name or an IP address of the server, for its certificate; may be repeated.
    #[arg(long, value_name = "HOST", required = true)]
    pub host: Vec<String>,
    /// The port on which it listens.
    #[arg(long, value_name = "PORT", default_value_t = 4222)]
    pub port: u16,
}

/// The flags of `agon worker credential`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A worker is a machine that you trust: it sees the files of all bots, and its results count.

Examples:
  agon worker credential queue worker --name lab-7     writes queue/lab-7.creds
  agon worker credential queue worker --name ada --days 30")]
pub struct CredentialOptions {
    /// The folder that `agon worker secure` has written.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// What the user may do.
    #[arg(value_name = "ROLE")]
    pub role: Role,
    /// The user's name; the file is called after it.
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// Let the credentials expire after N days [default: 400 for a worker, never for others].
    #[arg(long, value_name = "N")]
    pub days: Option<NonZero<u32>>,
}

/// The flags of `agon worker revoke`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
It changes nats-server.conf and revocations.jwt in the folder, and renames NAME.creds to
NAME.creds.revoked. The server must then read its configuration again; the command prints how.
Coordinators read revocations.jwt in the folder of their credentials, also during a run.

Example:
  agon worker revoke queue ada")]
pub struct RevokeOptions {
    /// The folder that `agon worker secure` has written.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The user's name: that of the file, without `.creds`.
    #[arg(value_name = "NAME")]
    pub name: String,
}

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
    /// Play only these games, or those in these files, with commas between them [default: all].
    #[arg(long, value_name = "GAME", value_delimiter = ',', value_parser = find)]
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

/// What a user of a server may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Role {
    /// Publish matches, and take results.
    Coordinator,
    /// Take matches, and publish results.
    Worker,
    /// Listen to what workers and coordinators say about themselves.
    Observer,
}

impl Role {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Coordinator => "coordinator",
            Role::Worker => "worker",
            Role::Observer => "observer",
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Words {
        #[command(flatten)]
        command: WorkerCommand,
    }

    fn read(words: &str) -> Result<WorkerCommand, clap::Error> {
        Words::try_parse_from(words.split(' ')).map(|words| words.command)
    }

    #[test]
    fn a_worker_plays_unless_something_else_is_named() {
        let command = read("worker nats://a --slots 2").unwrap();
        assert_eq!(command.worker.unwrap().slots.unwrap().get(), 2);
        let command = read("worker status tls://a:1 --json").unwrap();
        assert!(command.worker.is_none());
        assert!(matches!(command.chore, Some(WorkerChore::Status(_))));
        assert!(read("worker revoke dir ada").is_ok());
        for words in ["worker", "worker status", "worker secure dir"] {
            assert!(read(words).is_err(), "{words}");
        }
    }
}
