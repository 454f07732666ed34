//! `agon submit`.

use std::path::PathBuf;

use clap::Args;

use crate::client_options::server::ServerArgs;

/// The flags of `agon submit`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The folder is a bot as for `agon play`: its `agon.toml` says how to build and run it. Agon sends
the files that belong to the bot, shows how the server builds and examines it, and ends with the
address of the version's page. Ctrl-C ends only the watching.

Examples:
  agon submit --dry-run
  agon submit -m \"looks two moves ahead\"
  agon submit fox --arena cluster-2026 --no-wait

Exit codes: 0 the version can play (with `--no-wait`: it was handed in), 1 its build or its
examination failed, 2 error.")]
pub struct SubmitArgs {
    /// The folder of the bot, or a bot that is a single file.
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    /// What changed.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    pub message: String,
    /// The arena [default: the one that plays the bot's game].
    #[arg(long, value_name = "ARENA")]
    pub arena: Option<String>,
    /// The name of a new bot [default: that of agon.toml, or that of the folder; of a single file:
    /// your display name].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Do not wait until the version is built and examined.
    #[arg(long)]
    pub no_wait: bool,
    /// Only show which files would be sent.
    #[arg(long)]
    pub dry_run: bool,
    /// Print the version as JSON, a line each time that its state changes; or the files of
    /// `--dry-run`.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub server: ServerArgs,
}
