//! Which server is meant: flags of all commands.

use std::path::PathBuf;

use clap::Args;

/// Which server is meant, and how to reach it.
#[derive(Args, Clone, Debug, Default)]
pub struct ServerArgs {
    /// The ladder server: its address, or its host if you are signed in there.
    #[arg(long, value_name = "URL|HOST")]
    pub server: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub connection: ConnectionArgs,
}

/// How to reach a server.
#[derive(Args, Clone, Debug, Default)]
pub struct ConnectionArgs {
    /// Also accept certificates that these authorities have signed: a PEM file.
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Send passwords and tokens over plain HTTP, where the network can read them.
    #[arg(long)]
    pub insecure_http: bool,
}
