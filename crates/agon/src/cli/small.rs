//! The arguments of small commands.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon rules cluster
  agon rules cluster --json > settings.schema.json
  agon rules cluster --schema > messages.schema.json")]
pub(crate) struct RulesArgs {
    /// The game; `agon games` lists them.
    pub(crate) game: String,
    /// The settings as a JSON Schema instead.
    #[arg(long, conflicts_with = "schema")]
    pub(crate) json: bool,
    /// The messages of the JSON Lines protocol as a JSON Schema instead.
    #[arg(long)]
    pub(crate) schema: bool,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The folder then holds a bot that makes random moves, all it needs to be built, and a README.md.

Examples:
  agon new --list
  agon new cluster python
  agon new cellhack c++ my_cells")]
pub(crate) struct NewArgs {
    /// The game; `agon games` lists them. Without one the languages are listed.
    pub(crate) game: Option<String>,
    /// The language; `--list` shows them.
    pub(crate) language: Option<String>,
    /// The folder to write, new or empty [default: GAME-LANGUAGE].
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// List the languages, and whether what they need is on this machine.
    #[arg(long, conflicts_with_all = ["game", "language", "folder"])]
    pub(crate) list: bool,
    /// As JSON Lines.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
It shows how bots are confined here, which languages bots can be written in with what is \
installed, and what \
room there is. Nothing is changed. Languages that are missing are no fault.

Examples:
  agon doctor
  agon doctor --json

Exit codes: 0 the sandbox is complete, 1 something of it is missing, 2 error.")]
pub(crate) struct DoctorArgs {
    /// Print JSON Lines instead of the report.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon scenario attack.json
  agon scenario --pretty - < attack.json")]
pub(crate) struct ScenarioArgs {
    /// The scenario, a JSON file; `-` reads standard input.
    pub(crate) file: PathBuf,
    /// Print JSON Lines; this is the default.
    #[arg(long, conflicts_with = "pretty")]
    pub(crate) json: bool,
    /// Print indented JSON instead.
    #[arg(long)]
    pub(crate) pretty: bool,
}
