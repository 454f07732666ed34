//! The command line.

mod check;
mod compare;
mod film;
mod host;
mod person;
mod replay;
mod report;
mod series;
mod tournament;
mod tune;
mod view;
mod web;

use std::{ffi::OsString, io::Write, path::PathBuf, process::ExitCode};

use agon_core::Seed;
use clap::{Args, Command as Clap, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub(crate) use check::CheckArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use film::{FilmArgs, Size};
pub(crate) use host::{HostArgs, SandboxArgs};
pub(crate) use person::PersonArgs;
pub(crate) use replay::{AskArgs, ChartArgs, ExportArgs, ReplayCommand, StepArg};
pub(crate) use report::ReportArgs;
pub(crate) use series::SeriesArgs;
pub(crate) use tournament::{TournamentArgs, TournamentCommand};
pub(crate) use tune::TuneArgs;
pub(crate) use view::{ViewArgs, WatchArgs};
pub(crate) use web::{WebArgs, WebCommand, WebExportArgs};

use crate::{commands::classic, output};

/// An arena for programming games: write bots, let them play, prove the result.
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  agon play                                    a short demonstration
  agon play cellhack                           good built-in bots play
  agon play cluster builtin:greedy \"python3 my_bot.py\"
  agon rules cluster                           all you need to write a bot
  agon new cluster python                      begin one: files that play already
  agon check cluster \"python3 my_bot.py\"       examine it, point by point
  agon compare --game cluster ./new ./old      is the new version better?
  agon watch match.agon                        look at a match, turn by turn
  agon replay verify match.agon                play it again and compare every state
  agon tournament league.toml                  who is best?
  agon tune --game cluster builtin:searcher --param width=1..12
  agon doctor                                  what this machine offers

Exit codes: 0 done, 1 negative finding (a replay differs, a bot fails, a match is void or has no \
valid answer, a version is not better, the sandbox is incomplete), 2 error, 130 interrupted."
)]
pub(crate) struct Cli {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads what was typed.
    ///
    /// # Errors
    /// If it cannot be understood, or help was wanted: all is said already then, and this is how to
    /// end.
    pub(crate) fn read(words: Vec<OsString>) -> Result<Cli, ExitCode> {
        let is_plain =
            words.iter().all(|word| !word.to_string_lossy().contains(agon_text::is_hidden));
        let mut command = take_negative_numbers(Cli::command());
        let matches = command.try_get_matches_from_mut(words);
        let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
        cli.map_err(|error| {
            let error = error.format(&mut command);
            // Whoever does not read it any more has seen enough.
            let _ = match (is_plain, error.use_stderr()) {
                (true, _) => error.print(),
                (false, true) => write!(output::stderr(), "{error}"),
                (false, false) => write!(output::stdout(), "{error}"),
            };
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        })
    }
}

/// Has flags take values such as -1: what is wrong with them is said by those who know what would
/// be right.
fn take_negative_numbers(command: Clap) -> Clap {
    let command =
        command.mut_args(|arg| match arg.is_positional() || !arg.get_action().takes_values() {
            true => arg,
            false => arg.allow_negative_numbers(true),
        });
    command.mut_subcommands(take_negative_numbers)
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a match and show how it ended.
    Play(Box<PlayArgs>),
    /// Examine a bot, point by point.
    Check(CheckArgs),
    /// Find out whether a new version of a bot is better than the old one.
    Compare(Box<CompareArgs>),
    /// List the games.
    Games {
        /// As JSON Lines.
        #[arg(long)]
        json: bool,
    },
    /// Explain a game: facts, actions, settings, protocol.
    Rules(RulesArgs),
    /// List the built-in bots of a game, or of all games.
    Bots {
        /// The game.
        game: Option<String>,
        /// As JSON Lines.
        #[arg(long)]
        json: bool,
    },
    /// Begin a bot: write a starter kit for a game and a language into a new folder.
    New(NewArgs),
    /// Show what this machine offers: sandbox, languages, room.
    Doctor(DoctorArgs),
    /// Play a position set up by hand with scripted answers, and print every state.
    Scenario(ScenarioArgs),
    /// Watch a replay: in a window, in the terminal, in a browser, or with a VNC client.
    Watch(WatchArgs),
    /// Play a tournament, which survives whatever happens to it, and rank the bots.
    Tournament(TournamentArgs),
    /// Find good values of a bot's parameters.
    Tune(Box<TuneArgs>),
    /// Look at, verify and export replays.
    #[command(subcommand)]
    Replay(ReplayCommand),
    /// Put replays on the web.
    #[command(subcommand)]
    Web(WebCommand),
    /// Play cellhack with the classic command line.
    Cellhack(classic::cellhack::CellhackArgs),
    /// Play cluster with the classic command line.
    Cluster(classic::cluster::ClusterArgs),
    /// Run an amoebas tournament with the manual's flags.
    Amoebas(classic::amoebas::AmoebasArgs),
    /// Play binfection with the classic command line.
    Binfection(classic::binfection::BinfectionArgs),
    /// Play rezzo with the classic command line.
    Rezzo(classic::rezzo::RezzoArgs),
    /// The process that starts programs.
    #[command(name = "__jail", hide = true)]
    Jail,
    /// The child process in which native libraries run.
    #[command(name = "__native-host", hide = true)]
    NativeHost {
        /// What the parent passes.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
}

/// Flags of everything that plays a match.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct MatchArgs {
    /// The seed of all random choices, decimal or 0x hexadecimal [default: drawn anew, and shown].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<Seed>,
    /// Write a replay to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,
    /// Write what bots cost, say and do wrong, turn by turn, into this new or empty folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) log: Option<PathBuf>,
    /// Do not play a match again that is void because the machine stalled.
    #[arg(long)]
    pub(crate) keep_void: bool,
    #[command(flatten)]
    pub(crate) watch: ViewArgs,
    #[command(flatten)]
    pub(crate) person: PersonArgs,
    #[command(flatten)]
    pub(crate) host: HostArgs,
}

#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = "\
A bot is
  builtin:NAME?param=value&...   a built-in one (`agon bots GAME` lists them)
  bot.c, bot.cpp, bot.so         native code: `agon_decide`, or cellhack's function for a cell
  bot.wasm, wasm:bot.c           WebAssembly
  bot.clj, bot.clj?fn=NAME       a Clojure function (amoebas; AGON_JAVA, AGON_CLOJURE and
                                 AGON_JAVA_OPTS name Java, Clojure and arguments for Java)
  jsonl:PROGRAM                  a program in any language that speaks JSON Lines
  connect:ADDRESS                one that runs already and listens: localhost:4000, ./bot.sock
  human                          a person, in a window (--view: elsewhere); several take turns
  anything else                  a program or a quoted command line that speaks the game's protocol
and may have a name in front: `rosa=python3 bot.py`.

Examples:
  agon play
  agon play rezzo --seed 7 --replay night.agon
  agon play cluster human builtin:searcher
  agon play cluster --gif match.gif --size 640x480
  agon play cellhack builtin:hunter my_cell.c --set width=40 --set height=40 --turns 200")]
pub(crate) struct PlayArgs {
    /// The game; without one a short demonstration is played.
    pub(crate) game: Option<String>,
    /// The bots; without any, good built-in ones play.
    pub(crate) bots: Vec<String>,
    /// Change a setting of the game; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Read settings from a TOML file.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rules: Option<PathBuf>,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the result file that other cellhack tools read (only cellhack).
    #[arg(long, value_name = "FILE")]
    pub(crate) replay_cellhack: Option<PathBuf>,
    /// Stop after so many turns, whatever the rules say.
    #[arg(long, value_name = "N")]
    pub(crate) turns: Option<u64>,
    #[command(flatten)]
    pub(crate) film: FilmArgs,
    #[command(flatten)]
    pub(crate) game_args: MatchArgs,
}

#[derive(Args, Clone, Debug)]
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
