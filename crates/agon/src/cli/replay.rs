//! The arguments of `agon replay`, `watch` and `web`.

use std::{path::PathBuf, str::FromStr};

use agon_show::{View, VncOptions, WebOptions};
use agon_view::paint::ThemeName;
use clap::{Args, Subcommand};

use super::{FilmArgs, HostArgs, Size};

#[derive(Debug, Subcommand)]
pub(crate) enum ReplayCommand {
    /// Show what a replay holds: game, players, result, faults.
    #[command(after_help = "\
Examples:
  agon replay info m.agon
  agon replay info m.agon --bot rosa --stderr
  agon replay info m.agon --json")]
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
    #[command(after_help = "\
Examples:
  agon replay verify m.agon
  agon replay verify m.agon --json")]
    Verify {
        /// The replay.
        file: PathBuf,
        /// The folder or file of its game, if the replay does not carry it.
        #[arg(long, value_name = "FILE")]
        game: Option<PathBuf>,
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Ask a bot at a step of a recorded match: does it still answer the same?
    Ask(AskArgs),
    /// Write a replay in another format: states, pictures, films.
    Export(ExportArgs),
    /// Make a replay of a game that another program has recorded.
    #[command(after_help = "\
FILE is what the official command line of Battlesnake writes with --output, or the replies of the \
game engine, one after the other. Agon plays the game again and compares each state. Food and \
hazards become a part of the replay.

Examples:
  agon replay import game.jsonl game.agon
  curl https://engine.battlesnake.com/games/ID > game.json
  curl \"https://engine.battlesnake.com/games/ID/frames?offset=0&limit=100\" >> game.json
  agon replay import game.json game.agon")]
    Import {
        /// The recorded game.
        file: PathBuf,
        /// The replay to write.
        replay: PathBuf,
    },
    /// Draw a chart of what players have over the turns.
    Chart(ChartArgs),
}

#[derive(Args, Debug)]
#[command(after_help = "\
The match is played again with the recorded answers. The bot sits in the seat of one player and is \
asked all that this player was asked, so that it remembers what it would remember; at the step it \
is asked once more, and its answer is shown beside the recorded one. --player may be left out if \
only one player is asked in the step, or one has the bot's name.

With --against the match goes on from there with the bots' own answers, until its end. The bots \
named play in the other seats, in order of player number, the last one in all that remain; they, \
too, are first asked all that was asked in their seats.

Examples:
  agon replay ask m.agon --step 40 --bot \"python3 my_bot.py\"
  agon replay ask m.agon --step last --player rosa --bot ./rosa --no-clock
  agon replay ask m.agon --turn 12 --bot my_bot.c --json
  agon replay ask m.agon --step 40 --bot ./rosa --against builtin:greedy --replay what-if.agon

Exit codes: 0 the bot's answers in this step are the recorded ones, 1 they differ, 2 error, 130 \
interrupted.")]
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
            _ => text
                .parse()
                .map(StepArg::Number)
                .map_err(|_| "a step is a number, from 0, or `last`"),
        }
    }
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon replay export m.agon --states states.jsonl    every state as JSON Lines (`-`: standard \
  output)
  agon replay export m.agon --states - --step 40     one state; a scenario can begin with its \
  position
  agon replay export m.agon --cellhack m.replay      the cellhack result file
  agon replay export m.agon --battlesnake m.jsonl    as the official command line does with --output
  agon replay export m.agon --res m.res              the binfection result file
  agon replay export m.agon --csv DIR                amoebas: popsize.csv and energy.csv
  agon replay export m.agon --gif m.gif --apng m.png --mp4 m.mp4          films
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
    /// Write what the official command line of Battlesnake writes with --output.
    #[arg(long, value_name = "FILE")]
    pub(crate) battlesnake: Option<PathBuf>,
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
    /// Give all players patterns, not only those after the sixth: for eyes and screens that
    /// tell few colours apart.
    #[arg(long)]
    pub(crate) patterns: bool,
    #[command(flatten)]
    pub(crate) film: FilmArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "\
A line for each player over the turns of the match, in the colour that the player has in pictures. \
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
    pub(crate) size: Size,
    /// The colours: dark, light or classic.
    #[arg(long, value_name = "NAME", default_value_t)]
    pub(crate) theme: ThemeName,
    /// Give a player another colour, as a name or #rrggbb; may be given several times.
    #[arg(long, value_name = "PLAYER=COLOR")]
    pub(crate) player_color: Vec<String>,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Space plays and pauses, the arrows go turn by turn, a click on a cell looks into it, ? lists all \
keys.

Examples:
  agon play cellhack --replay night.agon && agon watch night.agon
  agon watch night.agon --theme classic
  agon watch night.agon --web
  agon watch night.agon --board
  agon watch --vnc=5901 night.agon
  agon play cluster builtin:searcher \"python3 my_bot.py\" --view window --pace 2")]
pub(crate) struct WatchArgs {
    /// The replay.
    pub(crate) file: PathBuf,
    /// The folder or file of its game, if the replay does not carry it.
    #[arg(long, value_name = "FILE")]
    pub(crate) game: Option<PathBuf>,
    /// Where to watch it: `window`, `terminal`, `web`, `vnc` or `vnc:PORT`
    /// [default: in a window if there is a display, otherwise in this terminal].
    #[arg(long, value_parser = shown, value_name = "WHERE")]
    pub(crate) view: Option<View>,
    /// Watch in this terminal: the same as `--view terminal`.
    #[arg(long, conflicts_with = "view")]
    pub(crate) terminal: bool,
    /// Watch it in a browser: the same as `--view web`.
    #[arg(long, conflicts_with_all = ["view", "terminal"])]
    pub(crate) web: bool,
    /// Watch it with a VNC client: the same as `--view vnc`
    /// [default port: the first free one from 5900].
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true,
        conflicts_with_all = ["view", "terminal", "web"])]
    pub(crate) vnc: Option<Option<u16>>,
    /// Show a match of battlesnake on the official board, a page at this address.
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true,
        default_missing_value = "https://board.battlesnake.com",
        conflicts_with_all = ["view", "terminal", "web", "vnc", "patterns"])]
    pub(crate) board: Option<String>,
    #[command(flatten)]
    pub(crate) vnc_args: VncOptions,
    /// Colours: dark, light, classic [default: dark; as the system's in a browser].
    #[arg(long, value_name = "NAME")]
    pub(crate) theme: Option<ThemeName>,
    /// Give all players patterns, not only those after the sixth: for eyes and screens that
    /// tell few colours apart.
    #[arg(long)]
    pub(crate) patterns: bool,
    #[command(flatten)]
    pub(crate) web_args: WebOptions,
}

/// Reads a place for a replay, which is there to be seen.
fn shown(text: &str) -> Result<View, &'static str> {
    match text.parse() {
        Ok(View::None) | Err(_) if !text.starts_with("vnc:") => {
            Err("expected window, terminal, web, vnc or vnc:PORT")
        }
        place => place,
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebCommand {
    /// Write the viewer and replays as files for any web server.
    Export(WebExportArgs),
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The files work in any folder of any server; the page lists the replays. Whoever opens it plays the \
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
