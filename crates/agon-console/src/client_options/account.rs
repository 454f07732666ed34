//! `agon login` and `agon logout`.

use clap::Args;

use crate::client_options::server::{ConnectionArgs, ServerArgs};

/// The flags of `agon login`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Agon asks for your name and password, gets a token from the server, and keeps the token in
`~/.config/agon/servers.toml`, which only you can read. It does not keep the password. The token
ends after 90 days, or with `agon logout`.

Programs, such as those of continuous integration, need no sign-in: set AGON_SERVER_URL and
AGON_TOKEN. The server's page *Account* makes tokens.

Examples:
  agon login https://agon.example
  agon login agon.example --name ada
  agon login https://agon.example --token-stdin < token.txt
  agon login https://agon.example --ca school.pem
  agon login http://192.168.1.5:8420 --insecure-http

Exit codes: 0 done, 2 error.")]
pub struct LoginArgs {
    /// The address of the server.
    #[arg(value_name = "URL")]
    pub url: String,
    /// Your name on the server.
    #[arg(long, value_name = "NAME", conflicts_with = "token_stdin")]
    pub name: Option<String>,
    /// Read a token from standard input instead of asking for a password.
    #[arg(long)]
    pub token_stdin: bool,
    /// After how many days the token ends, 1 to 366.
    #[arg(
        long, value_name = "N", default_value_t = 90, conflicts_with = "token_stdin",
        value_parser = clap::value_parser!(u32).range(1..=366)
    )]
    pub days: u32,
    /// Accept that the server's public log is not the one that was seen before.
    #[arg(long)]
    pub accept_new_log: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub connection: ConnectionArgs,
}

/// The flags of `agon logout`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The server forgets the token, and so does this machine.

Examples:
  agon logout
  agon logout --server agon.example

Exit codes: 0 done, 2 error.")]
pub struct LogoutArgs {
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub server: ServerArgs,
}
