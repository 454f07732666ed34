//! What can be typed on the command line.

mod compare;
mod report;
mod series;
mod tournament;
mod tune;

use std::{net::IpAddr, path::PathBuf, str::FromStr};

use agon_core::Seed;
use agon_paint::ThemeName;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use compare::{CompareArgs, TestArgs};
pub(crate) use report::ReportArgs;
pub(crate) use series::SeriesArgs;
pub(crate) use tournament::{Replays, RunArgs, TournamentArgs, TournamentCommand};
pub(crate) use tune::TuneArgs;

use crate::{commands::classic, film::FilmArgs};

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

Exit codes: 0 done, 1 negative finding (a replay differs, a bot fails, a match is void,
a version is not better), 2 error, 130 interrupted."
)]
pub(crate) struct Cli {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
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
        args: Vec<std::ffi::OsString>,
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

/// Flags of people who play.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct PersonArgs {
    /// Give a person so many seconds for the orders of a turn [default: as long as it takes].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "real_time", help_heading = "People who play")]
    pub(crate) human_time: Option<f64>,
    /// Do not wait for the person: a tick lasts as long as the game says (only rezzo).
    #[arg(long, help_heading = "People who play")]
    pub(crate) real_time: bool,
}

fn seconds(text: &str) -> Result<f64, &'static str> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds")?;
    if (0.1..=1e6).contains(&seconds) { Ok(seconds) } else { Err("expected 0.1 to 1000000 seconds") }
}

/// Flags of everything that shows a match while it is played.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct ViewArgs {
    /// Watch the match. It is played at full speed, shown from its start, and can be gone through to and fro.
    /// WHERE is `window`, `terminal`, `web`, `vnc` or `vnc:PORT`.
    #[arg(long, value_parser = view, value_name = "WHERE", help_heading = "Watching")]
    pub(crate) view: Option<View>,
    /// Play at most so many turns a second; whoever watches sees each as it is played.
    #[arg(long, value_name = "TURNS", value_parser = pace, help_heading = "Watching")]
    pub(crate) pace: Option<f64>,
    /// Colours: dark, light, classic [default: dark].
    #[arg(long, value_name = "NAME", help_heading = "Watching")]
    pub(crate) theme: Option<ThemeName>,
    #[command(flatten)]
    pub(crate) web: WebArgs,
    #[command(flatten)]
    pub(crate) vnc: VncArgs,
}

/// Flags of everything that is shown over VNC.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct VncArgs {
    /// The password for VNC, at most 8 bytes, is in this file, which only you may read; AGON_VNC_PASSWORD is another
    /// way. A password on the command line could be read by every user of the machine.
    #[arg(long, value_name = "FILE", help_heading = "VNC")]
    pub(crate) vnc_password_file: Option<PathBuf>,
    /// Listen for VNC on this address of the machine; one that others reach needs a password [default: 127.0.0.1].
    #[arg(long, value_name = "IP", help_heading = "VNC")]
    pub(crate) vnc_address: Option<IpAddr>,
}

/// Where a match is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum View {
    /// In a window.
    Window,
    /// In this terminal.
    Terminal,
    /// In a browser on this machine.
    Web,
    /// By VNC clients, on this port or the first one that is free.
    #[value(skip)]
    Vnc(Option<u16>),
}

fn view(text: &str) -> Result<View, String> {
    match text.split_once(':') {
        None if text == "vnc" => Ok(View::Vnc(None)),
        Some(("vnc", port)) => match port.parse() {
            Ok(port) => Ok(View::Vnc(Some(port))),
            Err(_) => Err("a port is a number up to 65535".to_owned()),
        },
        _ => <View as ValueEnum>::from_str(text, false)
            .map_err(|_| "expected window, terminal, web, vnc or vnc:PORT".to_owned()),
    }
}

fn pace(text: &str) -> Result<f64, &'static str> {
    let turns: f64 = text.parse().map_err(|_| "expected a number of turns a second")?;
    if (0.01..=10_000.0).contains(&turns) { Ok(turns) } else { Err("expected 0.01 to 10000 turns a second") }
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Space plays and pauses, the arrows go turn by turn, a click on a cell looks into it, ? lists all keys.

Examples:
  agon play cellhack --replay night.agon && agon watch night.agon
  agon watch night.agon --theme classic
  agon watch night.agon --web
  agon watch night.agon --vnc
  agon play cluster builtin:searcher \"python3 my_bot.py\" --view window --pace 2")]
pub(crate) struct WatchArgs {
    /// The replay.
    pub(crate) file: PathBuf,
    /// Where to watch it: `window`, `terminal`, `web`, `vnc` or `vnc:PORT` [default: in a window if there is a
    /// display, otherwise in this terminal].
    #[arg(long, value_parser = view, value_name = "WHERE")]
    pub(crate) view: Option<View>,
    /// Watch in this terminal: the same as `--view terminal`.
    #[arg(long, conflicts_with = "view")]
    pub(crate) terminal: bool,
    /// Watch it in a browser: the same as `--view web`.
    #[arg(long, conflicts_with_all = ["view", "terminal"])]
    pub(crate) web: bool,
    /// Watch it with a VNC client: the same as `--view vnc` [default port: the first free one from 5900].
    #[arg(long, value_name = "PORT", num_args = 0..=1, conflicts_with_all = ["view", "terminal", "web"])]
    pub(crate) vnc: Option<Option<u16>>,
    #[command(flatten)]
    pub(crate) vnc_args: VncArgs,
    /// Colours: dark, light, classic [default: dark; as the system's in a browser].
    #[arg(long, value_name = "NAME")]
    pub(crate) theme: Option<ThemeName>,
    #[command(flatten)]
    pub(crate) web_args: WebArgs,
}

/// Flags of everything that runs bots.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct HostArgs {
    /// Give bots all the time they want; for debugging.
    #[arg(long)]
    pub(crate) no_clock: bool,
    /// Time limit of a bot's answer in milliseconds [default: as the game says].
    #[arg(long, value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// Time for the whole match in milliseconds that a bot may draw on when an answer takes longer than its limit
    /// [default: 0 with --time; as the game says otherwise].
    #[arg(long, value_name = "MS")]
    pub(crate) bank: Option<u64>,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Compile C sources to WebAssembly instead of native libraries (needs clang and `agon-wasm-host`).
    #[arg(long)]
    pub(crate) wasm: bool,
    /// The most memory of a WebAssembly bot in MiB [default: 256].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) wasm_memory: Option<u32>,
}

/// Flags of everything that starts programs.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct SandboxArgs {
    /// How bots are confined.
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", help_heading = "Sandbox")]
    pub(crate) sandbox: Confine,
    /// The most memory of a bot with all its processes, in MiB [default: 1024].
    #[arg(long, value_name = "MIB", help_heading = "Sandbox", value_parser = clap::value_parser!(u32).range(16..))]
    pub(crate) bot_memory: Option<u32>,
    /// A folder or file that bots may read beside their own; may be given several times.
    #[arg(long, value_name = "PATH", help_heading = "Sandbox")]
    pub(crate) allow_read: Vec<PathBuf>,
    /// A folder that bots may write to; may be given several times.
    #[arg(long, value_name = "DIR", help_heading = "Sandbox")]
    pub(crate) allow_write: Vec<PathBuf>,
}

/// How bots are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Confine {
    /// Fully, or they are not started; they see only runtimes that they name.
    Strict,
    /// As well as this machine can (`agon doctor` tells).
    #[default]
    Default,
    /// Not at all.
    Off,
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

/// Flags of everything that serves a page.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct WebArgs {
    /// Serve the page on this port of 127.0.0.1 [default: any free one].
    #[arg(long, value_name = "N", help_heading = "Browser")]
    pub(crate) port: Option<u16>,
    /// Do not open the browser.
    #[arg(long, help_heading = "Browser")]
    pub(crate) no_open: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebCommand {
    /// Write the viewer and replays as files for any web server.
    Export(WebExportArgs),
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The files work in any folder of any server; the page lists the replays. Whoever opens it plays the
matches again in the browser: nothing runs on the server.

Examples:
  agon web export site night.agon morning.agon
  cd site && python3 -m http.server")]
pub(crate) struct WebExportArgs {
    /// The folder to write: new, empty, or one that was exported before.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The replays.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Ten points: whether the bot opens, starts, answers for the first time, answers legally, and keeps
the protocol; its time and memory; whether it ends with its input and gives the same answers again;
and how much it writes to stderr. It plays matches of two against built-in bots, in both seats.

Examples:
  agon check cluster \"python3 my_bot.py\"
  agon check cellhack my_cell.c --games 8 --full
  agon check rezzo ./my_bot --memory 256 --json

Exit codes: 0 passed, 1 failed, 2 the examination could not be made.")]
pub(crate) struct CheckArgs {
    /// The game.
    pub(crate) game: String,
    /// The bot, named as for `agon play`.
    pub(crate) bot: String,
    /// So many matches; one more repeats the first with the same seed.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) games: u32,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Time limit of an answer in milliseconds [default: as the game says].
    #[arg(long, value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// The most memory that may be resident, in MiB [default: any].
    #[arg(long, value_name = "MIB")]
    pub(crate) memory: Option<u64>,
    /// The seed of the first match [default: 1].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<Seed>,
    /// Play with the game's own settings, not on small boards; matches may take long.
    #[arg(long)]
    pub(crate) full: bool,
    /// Change a setting of the game; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Read settings from a TOML file, as with --full.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rules: Option<PathBuf>,
    /// Stop matches after so many turns, whatever the rules say.
    #[arg(long, value_name = "N")]
    pub(crate) turns: Option<u64>,
    /// Print JSON Lines instead of the report.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct RulesArgs {
    /// The game; `agon games` lists them.
    pub(crate) game: String,
    /// The settings as a JSON Schema instead.
    #[arg(long, conflicts_with = "schema")]
    pub(crate) json: bool,
    /// The messages of the uniform protocol as a JSON Schema instead.
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
It shows how bots are confined here, which languages bots can be written in with what is installed,
and what room there is. Nothing is changed. Languages that are missing are no fault.

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

#[derive(Debug, Subcommand)]
pub(crate) enum ReplayCommand {
    /// Show what a replay holds: game, players, result, faults.
    Info {
        /// The replay.
        file: PathBuf,
        /// All that is known of one bot: place, faults, times, memory, stderr.
        #[arg(long, value_name = "NAME")]
        bot: Option<String>,
        /// All of the bot's stderr, even if it is long.
        #[arg(long, requires = "bot")]
        stderr: bool,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Play a replay again and compare every state; exit code 1 if it differs.
    Verify {
        /// The replay.
        file: PathBuf,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Ask a bot at a step of a recorded match: does it still answer the same?
    Ask(AskArgs),
    /// Write a replay in another format: states, pictures, films.
    Export(ExportArgs),
    /// Draw a chart of what players have over the turns.
    Chart(ChartArgs),
}

#[derive(Args, Debug)]
#[command(after_help = "\
The match is played again with the recorded answers. The bot sits in the seat of one player and is
asked all that this player was asked, so that it remembers what it would remember; at the step it
is asked once more, and its answer is shown beside the recorded one. --player may be left out if
only one player is asked in the step, or one has the bot's name.

With --against the match goes on from there with the bots' own answers, until its end. The bots
named play in the other seats, in order of player number, the last one in all that remain; they,
too, are first asked all that was asked in their seats.

Examples:
  agon replay ask m.agon --step 40 --bot \"python3 my_bot.py\"
  agon replay ask m.agon --step last --player rosa --bot ./rosa --no-clock
  agon replay ask m.agon --turn 12 --bot my_bot.c --json
  agon replay ask m.agon --step 40 --bot ./rosa --against builtin:greedy --replay what-if.agon

Exit codes: 0 the bot's answers in this step are the recorded ones, 1 they differ, 2 error,
130 interrupted.")]
pub(crate) struct AskArgs {
    /// The replay.
    pub(crate) file: PathBuf,
    /// The bot to ask, named as for `agon play`.
    #[arg(long, value_name = "BOT")]
    pub(crate) bot: String,
    /// The step, from 0, or `last`: the last one, in which --player is asked if that is given.
    #[arg(long, value_name = "N", required_unless_present = "turn", conflicts_with = "turn")]
    pub(crate) step: Option<StepArg>,
    /// The first step of this turn, from 0, in which --player is asked if that is given.
    #[arg(long, value_name = "T")]
    pub(crate) turn: Option<u64>,
    /// In whose seat the bot sits.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(crate) player: Option<String>,
    /// Go on from the step with these bots in the other seats.
    #[arg(long, value_name = "BOT", num_args = 1..)]
    pub(crate) against: Vec<String>,
    /// Stop after so many further turns.
    #[arg(long, value_name = "N", requires = "against")]
    pub(crate) turns: Option<u64>,
    /// Write a replay of what is played from the step on.
    #[arg(long, value_name = "FILE", requires = "against")]
    pub(crate) replay: Option<PathBuf>,
    /// Print JSON Lines, with all decisions of the step and what they see.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) host: HostArgs,
}

/// A step as people name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepArg {
    /// The state after so many steps.
    Number(u64),
    /// The last one with answers.
    Last,
}

impl FromStr for StepArg {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<StepArg, &'static str> {
        match text {
            "last" => Ok(StepArg::Last),
            _ => text.parse().map(StepArg::Number).map_err(|_| "a step is a number, from 0, or `last`"),
        }
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon replay export m.agon --states states.jsonl    every state as JSON Lines (`-`: standard output)
  agon replay export m.agon --states - --step 40     one state; a scenario can begin with its position
  agon replay export m.agon --cellhack m.replay      the cellhack result file
  agon replay export m.agon --res m.res              the binfection result file
  agon replay export m.agon --csv DIR                amoebas: popsize.csv and energy.csv
  agon replay export m.agon --gif m.gif --webp m.webp --mp4 m.mp4         films
  agon replay export m.agon --png DIR --from 100 --to 200 --every 5       pictures of some turns
  agon replay export old.replay --import-cellhack --states -   states of a cellhack result file")]
pub(crate) struct ExportArgs {
    /// The replay.
    pub(crate) file: PathBuf,
    /// Write every state as JSON Lines.
    #[arg(long, value_name = "FILE")]
    pub(crate) states: Option<PathBuf>,
    /// Write the cellhack result file.
    #[arg(long, value_name = "FILE")]
    pub(crate) cellhack: Option<PathBuf>,
    /// Write the binfection result file.
    #[arg(long, value_name = "FILE")]
    pub(crate) res: Option<PathBuf>,
    /// Write the amoebas CSV files into a folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) csv: Option<PathBuf>,
    /// Only the state after this many steps, for --states.
    #[arg(long, value_name = "N", requires = "states")]
    pub(crate) step: Option<u64>,
    /// FILE is a cellhack result file, not a replay of Agon.
    #[arg(long)]
    pub(crate) import_cellhack: bool,
    /// Tell of films as JSON Lines.
    #[arg(long)]
    pub(crate) json: bool,
    /// Colours of pictures: dark, light, classic [default: dark].
    #[arg(long, value_name = "NAME")]
    pub(crate) theme: Option<ThemeName>,
    #[command(flatten)]
    pub(crate) film: FilmArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
A line for each player over the turns of the match, in the colour that the player has in pictures.
Without --svg and --png the SVG goes to standard output, unless that is a terminal.

Examples:
  agon replay chart m.agon --svg m.svg
  agon replay chart m.agon --series energy --png m.png --theme light --size 800x400
  agon replay chart m.agon --list")]
pub(crate) struct ChartArgs {
    /// The replay.
    pub(crate) file: PathBuf,
    /// What is counted [default: the first one of --list].
    #[arg(long, value_name = "NAME")]
    pub(crate) series: Option<String>,
    /// List what can be counted in this game.
    #[arg(long)]
    pub(crate) list: bool,
    /// Write an SVG file.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write a PNG file.
    #[arg(long, value_name = "FILE")]
    pub(crate) png: Option<PathBuf>,
    /// Width and height of the chart in pixels.
    #[arg(long, value_name = "WxH", default_value = "960x540")]
    pub(crate) size: crate::film::Size,
    /// The colours: dark, light or classic.
    #[arg(long, value_name = "NAME", default_value_t)]
    pub(crate) theme: ThemeName,
    /// Give a player another colour, as a name or #rrggbb; may be given several times.
    #[arg(long, value_name = "PLAYER=COLOR")]
    pub(crate) player_color: Vec<String>,
}
