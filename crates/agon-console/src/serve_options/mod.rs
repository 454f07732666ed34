//! The flags of `agon serve`.
//!
//! `agon` checks and explains them, and starts `agon-server`, which gets the same words. So they
//! are in one place, and `agon serve --help` does not need the server.

mod boss;
mod chores;
mod database;

use std::{
    net::{IpAddr, SocketAddr},
    num::NonZero,
    path::PathBuf,
};

use agon_games::GameId;
use agon_parts::Part;
use agon_remote::RemoteArgs;
use clap::{Args, ValueEnum};

pub use boss::Boss;
pub use chores::{BackupOptions, Chore, ResetLinkOptions, RestoreOptions, RotateKeyOptions};
pub use database::{DATABASE_VARIABLE, DatabaseOptions};

/// The program that is the server.
pub const SERVER: Part = Part {
    program: "agon-server",
    package: "agon-server",
    variable: "AGON_SERVER",
    who: "ladders",
};

/// `agon serve`: serves a folder, or does something else with one.
#[derive(Args, Clone, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
The first start prints a link with which you make your account; it is the administrator's.
Everything is in the folder; `agon serve backup` copies it. Ctrl-C plays the running matches to
their end, a second one ends at once; nothing is lost either way.

Examples:
  agon serve --data ladder --arena cluster         for this machine: http://127.0.0.1:8420
  agon serve --data ladder --listen 0.0.0.0:8420   for others in the network
  agon serve --data ladder --listen 0.0.0.0:443 --tls-certificate site.pem --tls-key key.pem \\
             --public-url https://agon.example
  agon serve --data ladder --public-url https://agon.example --trusted-proxy 127.0.0.1
                                                   behind a server that speaks HTTPS
  agon serve --data ladder --on nats://10.0.0.5:4222
                                                   other machines play: agon worker"
)]
pub struct ServeCommand {
    /// What to do instead of serving.
    #[command(subcommand)]
    pub chore: Option<Chore>,
    /// How to serve; there if nothing else is to be done.
    #[command(flatten)]
    pub serve: Option<ServeOptions>,
    /// Where the tables are.
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Where the matches are played. Beside the other flags: clap cannot flatten into what may be
    /// missing.
    #[command(flatten)]
    pub remote: RemoteArgs,
}

/// The flags of `agon serve`.
#[derive(Args, Clone, Debug)]
pub struct ServeOptions {
    /// The folder with everything: made if it is missing.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Have an arena for this game, if there is none yet; may be repeated.
    #[arg(long, value_name = "GAME")]
    pub arena: Vec<GameId>,
    /// Have this built-in bot play in the arena that --arena makes for its game, such as
    /// cluster/greedy; may be repeated [default: four of each game].
    #[arg(long, value_name = "GAME/BOT", requires = "arena")]
    pub boss: Vec<Boss>,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420", value_parser = listen)]
    pub listen: SocketAddr,
    /// The address that people type, if it is another one.
    #[arg(long, value_name = "URL", value_parser = public_url)]
    pub public_url: Option<String>,
    /// Serve pages over HTTPS: a file with the certificate and those that signed it, as PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The certificate's private key, as PEM.
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Believe the header X-Forwarded-For of requests that come from here; may be repeated.
    #[arg(long, value_name = "IP")]
    pub trusted_proxy: Vec<IpAddr>,
    /// Let this address read the figures at /metrics; may be repeated. Administrators always can.
    #[arg(long, value_name = "IP", value_parser = metrics_from)]
    pub metrics_from: Vec<IpAddr>,
    /// Let programs that send the text in this file read the figures at /metrics, with the header
    /// Authorization: Bearer TEXT.
    #[arg(long, value_name = "FILE")]
    pub metrics_token: Option<PathBuf>,
    /// Requests of pages within a minute: of an address, or of a person who is signed in; 0 for no
    /// limit. A fifth of them may be for the matrix, lists of matches and replays.
    #[arg(long, value_name = "N", default_value_t = 600)]
    pub requests_per_minute: u32,
    /// Show the matrix, lists of matches and replays only to people with an account.
    #[arg(long)]
    pub members_only_expensive: bool,
    /// Let search engines list the pages, with the names on them.
    #[arg(long)]
    pub indexed: bool,
    /// How lines about what happens look; `--verbose` and AGON_LOG choose which there are.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// The name of the site.
    #[arg(long, value_name = "TEXT", default_value = "Agon")]
    pub title: String,
    /// How many matches are played at a time [default: one for each core, but for one core].
    #[arg(long, value_name = "N", conflicts_with = "on")]
    pub slots: Option<NonZero<usize>>,
    /// Matches a minute in an arena whose bots have all played some hundred matches; 0 for as many
    /// as the machine can.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub pace: u32,
    /// Remove replays that are older than so many days, except those of the newest 1000 matches of
    /// each arena [default: never].
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub keep_replays: Option<u32>,
    /// Remove what bots wrote to stderr, and what their decisions cost, of matches that are older
    /// than so many days [default: never].
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub keep_logs: Option<u32>,
}

/// How lines about what happens look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// An object of JSON in each line.
    Json,
}

/// Reads the address to listen on: address and port, or a port of this machine alone.
fn listen(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::from(([127, 0, 0, 1], port)));
    }
    text.parse().map_err(|_| "give address and port, as in 127.0.0.1:8420".to_owned())
}

/// Reads an address whose programs may read the figures.
fn metrics_from(text: &str) -> Result<IpAddr, String> {
    let address: IpAddr = text.parse().map_err(|error| format!("{error}"))?;
    match address.to_canonical().is_loopback() {
        true => Err("a proxy on this machine has this address for everybody; name a file with a \
                     token instead: --metrics-token FILE"
            .to_owned()),
        false => Ok(address),
    }
}

/// Reads the address that people type: scheme and host, without a slash at the end.
fn public_url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_host = |rest: &str| {
        !rest.is_empty() && !rest.contains(['/', '?', '#', '@', ' ']) && rest.is_ascii()
    };
    match rest.map(|rest| rest.strip_suffix('/').unwrap_or(rest)) {
        Some(rest) if is_host(rest) => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err("give scheme and host, as in https://agon.example".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        for text in ["8441", "localhost:8441", "127.0.0.1:8441"] {
            let address = listen(text).map(|address| address.to_string());
            assert_eq!(address.as_deref(), Ok("127.0.0.1:8441"));
        }
        assert!(listen("0.0.0.0:1").is_ok() && listen("[::1]:1").is_ok());
        assert!(listen("example.org:80").unwrap_err().contains("127.0.0.1:8420"));
    }

    #[test]
    fn an_address_of_this_machine_proves_nothing() {
        assert!(metrics_from("10.0.0.5").is_ok() && metrics_from("2001:db8::1").is_ok());
        for text in ["127.0.0.1", "::1", "::ffff:127.0.0.9"] {
            assert!(metrics_from(text).unwrap_err().contains("--metrics-token"), "{text}");
        }
    }

    #[test]
    fn a_public_address_has_scheme_and_host() {
        assert_eq!(public_url("https://agon.example/").as_deref(), Ok("https://agon.example"));
        assert!(public_url("http://192.168.1.5:8420").is_ok());
        for text in ["agon.example", "https://", "ftp://x", "https://x/y", "https://a@b"] {
            assert!(public_url(text).is_err(), "{text}");
        }
    }
}
