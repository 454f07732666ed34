//! The flags of `agon serve`.
//!
//! `agon` checks and explains them, and starts `agon-server`, which gets the same words. So they
//! are in one place, and `agon serve --help` does not need the server.

use std::net::{IpAddr, SocketAddr};
use std::{fmt, num::NonZero, path::PathBuf, str::FromStr};

use agon_bots::game_file;
use agon_files::parts::Part;
use agon_games::GameId;
use agon_remote::RemoteArgs;
use clap::{Args, Subcommand, ValueEnum};

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
    /// Have an arena for this game, if there is none yet; may be repeated. The folder or file of a
    /// game will do.
    #[arg(long, value_name = "GAME", value_parser = game_file::find)]
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

/// What can be done with a server's folder beside serving it.
#[derive(Clone, Debug, Subcommand)]
pub enum Chore {
    /// Copy everything to another folder, while the server runs or not.
    Backup(BackupOptions),
    /// Make a server's folder from such a copy.
    Restore(RestoreOptions),
    /// Make another key for the public log, while the server runs or not.
    RotateKey(RotateKeyOptions),
    /// Make a link with which a person sets a new password, while the server runs or not.
    ResetLink(ResetLinkOptions),
}

/// The flags of `agon serve backup`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The copy is complete in itself. The next backup to the same folder copies only files that are new,
and takes the place of the one before when it is complete. Keep the folder on another disk, and let
nobody else read it.

Exit codes: 0 done, 1 done, but files are missing or damaged in DIR itself, 2 error.

Example:
  agon serve backup --data ladder /mnt/disk/ladder-backup")]
pub struct BackupOptions {
    /// The server's folder.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Where the server's tables are.
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// The folder for the copy: a new one, or that of an earlier backup of this server.
    pub backup: PathBuf,
}

/// The flags of `agon serve restore`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Everything is checked before anything is written. Start a server with the new folder afterwards.

Exit codes: 0 done, 1 something is missing or damaged, 2 error.

A copy fits a folder and a database alike: so a ladder that has outgrown its folder moves.

Examples:
  agon serve restore /mnt/disk/ladder-backup --data ladder
  agon serve restore /mnt/disk/ladder-backup --data ladder --database postgres://agon@db/ladder")]
pub struct RestoreOptions {
    /// The folder with the copy.
    pub backup: PathBuf,
    /// The new folder: it must not exist, or be empty.
    #[arg(long, value_name = "NEW")]
    pub data: PathBuf,
    /// Where the tables of the new folder are to be.
    #[command(flatten)]
    pub database: DatabaseOptions,
    /// Restore what there is if files of bots or replays are missing.
    #[arg(long)]
    pub incomplete: bool,
}

/// The flags of `agon serve rotate-key`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The server signs its public log with a key in DIR/keys. If somebody else may have read it, make
another one: the old key names it in the log, so that everybody who knows the old one follows. A
server that runs uses it within a second; another one when it starts.

Example:
  agon serve rotate-key --data ladder")]
pub struct RotateKeyOptions {
    /// The server's folder.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}

/// The flags of `agon serve reset-link`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The link works once, within three days. It signs out all browsers of that person, and ends their
tokens. The log notes that somebody on the server's machine made it. It is also the remedy if the
only administrator has forgotten the password.

Exit codes: 0 done, 1 nobody has this name, or the account is disabled, 2 error.

Example:
  agon serve reset-link ada --data ladder")]
pub struct ResetLinkOptions {
    /// The name with which the person signs in.
    pub name: String,
    /// The server's folder.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Where the server's tables are.
    #[command(flatten)]
    pub database: DatabaseOptions,
}

/// A built-in bot that plays in an arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boss {
    /// Its game.
    pub game: GameId,
    /// Its name within the game.
    pub name: String,
}

impl fmt::Display for Boss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.game.meta().id, self.name)
    }
}

impl FromStr for Boss {
    type Err = String;

    fn from_str(text: &str) -> Result<Boss, String> {
        let (game, name) =
            text.split_once('/').ok_or("give game and bot, as in cluster/greedy".to_owned())?;
        let game: GameId = game.parse().map_err(|error| format!("{error}"))?;
        let names: Vec<&str> = game.kind().builtins().iter().map(|bot| bot.name).collect();
        match names.contains(&name) {
            true => Ok(Boss { game, name: name.to_owned() }),
            false => Err(format!("{} has the bots {}", game.meta().id, names.join(", "))),
        }
    }
}

/// The variable with the address of a database, which other people on a machine do not see.
pub const DATABASE_VARIABLE: &str = "AGON_DATABASE";

/// Where the tables are, if not in the folder.
#[derive(Args, Clone, Debug, Default)]
pub struct DatabaseOptions {
    /// Keep people, matches and tables in a database of PostgreSQL instead of in the folder, which
    /// still has the files of bots and replays. The variable AGON_DATABASE does the same, and hides
    /// the password from others on this machine.
    #[arg(long, value_name = "postgres://USER@HOST/NAME")]
    pub database: Option<String>,
    /// The certificates that the database's one must be signed with, as PEM [default: those that
    /// the system believes].
    #[arg(long, value_name = "FILE")]
    pub database_ca: Option<PathBuf>,
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

    #[test]
    fn a_boss_is_a_built_in_bot_of_a_game() {
        let boss: Boss = "cluster/greedy".parse().unwrap();
        assert_eq!((boss.game, boss.to_string().as_str()), (GameId::Cluster, "cluster/greedy"));
        let refused = |text: &str| text.parse::<Boss>().unwrap_err();
        assert!(refused("greedy").contains("as in cluster/greedy"));
        assert!(refused("cluster/gredy").starts_with("cluster has the bots "));
        assert!(refused("chess/greedy").contains("chess"), "{}", refused("chess/greedy"));
    }
}
