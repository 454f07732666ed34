//! The command line of the server.

use std::{net::SocketAddr, num::NonZero, path::PathBuf};

use clap::Parser;

/// Runs a ladder: people hand in bots in their browsers, the server plays them and ranks them.
#[derive(Debug, Parser)]
#[command(
    name = "agon serve",
    bin_name = "agon serve",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  agon serve --data ladder                         on this machine alone, port 8420
  agon serve --data ladder --listen 0.0.0.0:8420   for others in the network
  agon serve --data ladder --public-url https://agon.example
                                                   behind a server that speaks HTTPS

Everything is in the folder: stop the server, copy the folder, and you have a copy. Ctrl-C plays
the running matches to their end, a second one ends at once; nothing is lost either way."
)]
pub(crate) struct Options {
    /// The folder with everything: made if it is missing.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The address to listen on.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420")]
    pub(crate) listen: SocketAddr,
    /// The address that people type, if it is another one.
    #[arg(long, value_name = "URL", value_parser = public_url)]
    pub(crate) public_url: Option<String>,
    /// Take visitors' addresses from the header X-Forwarded-For if a request comes from here; may
    /// be repeated.
    #[arg(long, value_name = "IP")]
    pub(crate) trusted_proxy: Vec<std::net::IpAddr>,
    /// The name of the site.
    #[arg(long, value_name = "TEXT", default_value = "Agon")]
    pub(crate) title: String,
    /// How many matches are played at a time; the default leaves one core for everything else.
    #[arg(long, value_name = "N")]
    pub(crate) slots: Option<NonZero<usize>>,
    /// Begin with an arena for this game; may be repeated. Without it a new server has none.
    #[arg(long, value_name = "GAME")]
    pub(crate) arena: Vec<agon_games::GameId>,
    /// Report on standard error what happens inside.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

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
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
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
