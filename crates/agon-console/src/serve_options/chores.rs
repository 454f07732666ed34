//! What can be done with a server's folder beside serving it: copies, keys, and links.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::serve_options::database::DatabaseOptions;

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
    #[arg(value_name = "BACKUP")]
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
    #[arg(value_name = "BACKUP")]
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
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The server's folder.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Where the server's tables are.
    #[command(flatten)]
    pub database: DatabaseOptions,
}
