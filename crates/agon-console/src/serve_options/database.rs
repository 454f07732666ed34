//! The flags that say where a ladder's tables are.

use std::path::PathBuf;

use clap::Args;

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
