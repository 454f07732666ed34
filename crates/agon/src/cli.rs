//! The command line.

mod contest;
mod game;
mod plan_help;
mod play;
mod replay;

pub(crate) use contest::*;
pub(crate) use game::*;
pub(crate) use play::*;
pub(crate) use replay::*;

use std::{ffi::OsString, io::Write, path::PathBuf, process::ExitCode};

use agon_console::{Color, client_options::ClientCommand, serve_options::ServeCommand};
use agon_remote::WorkerCommand;
use clap::{Args, Command as Clap, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::{commands::classic, output};

/// An arena for programming games: write bots, let them play, prove the result.
#[derive(Debug, Parser)]
#[command(
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
  agon serve --data ladder --arena cluster     a ladder for a club or a course
  agon submit my_bot -m \"looks further\"        hand in a bot to a ladder
  agon tune --game cluster builtin:searcher --param width=1..12
  agon help plan                               what a tournament's plan may say
  agon doctor                                  what this machine offers

Exit codes: 0 done, 1 negative finding (a replay differs, a bot fails, a match is void or has no \
valid answer, a version is not better, the sandbox is incomplete), 2 error, 130 interrupted."
)]
pub(crate) struct Cli {
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// Report on standard error what happens inside; AGON_LOG=MODULE=LEVEL chooses.
    #[arg(long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
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
        if words.get(1..).is_some_and(|words| words == ["help", "plan"]) {
            // Whoever does not read it any more has seen enough.
            let _ = write!(output::stdout(), "{}", plan_help::plan_text());
            return Err(ExitCode::SUCCESS);
        }
        let is_hidden =
            |word: &OsString| word.to_string_lossy().contains(agon_core::text::is_hidden);
        let is_plain = !words.iter().any(is_hidden) && !output::has_ascii_terminal();
        let mut command = command();
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

/// Returns the whole command line.
pub(crate) fn command() -> Clap {
    // It lives as long as the program.
    let command = with_groups(Cli::command());
    take_negative_numbers(command.version(crate::version().leak() as &str))
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

/// A shell with completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Fish,
    Zsh,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Play a match and show how it ended.
    Play(Box<PlayArgs>),
    /// Examine a bot, point by point.
    Check(CheckArgs),
    /// Find out whether a bot's new version is better than the old one.
    Compare(Box<CompareArgs>),
    /// List the games.
    #[command(after_help = "\
Examples:
  agon games
  agon games --json")]
    Games {
        /// As JSON Lines.
        #[arg(long)]
        json: bool,
    },
    /// Explain a game: facts, actions, settings, protocol.
    Rules(RulesArgs),
    /// List the built-in bots of a game, or of all games.
    #[command(after_help = "\
Examples:
  agon bots
  agon bots cluster
  agon bots cluster --json")]
    Bots {
        /// The game.
        game: Option<String>,
        /// As JSON Lines.
        #[arg(long)]
        json: bool,
    },
    /// Begin a bot: write a starter kit into a new folder.
    New(NewArgs),
    /// Show what this machine offers: sandbox, languages, room.
    Doctor(DoctorArgs),
    /// Play scripted answers from a position set up by hand.
    Scenario(ScenarioArgs),
    /// Watch a replay: in a window, terminal, browser or VNC client.
    Watch(WatchArgs),
    /// Play a tournament that can be resumed, and rank the bots.
    Tournament(TournamentArgs),
    /// Run a ladder, to which people hand in bots in their browsers.
    Serve(Box<ServeCommand>),
    /// Play the matches that other machines publish on a NATS server.
    Worker(Box<WorkerCommand>),
    #[command(flatten)]
    Client(ClientCommand),
    /// Find good values of a bot's parameters.
    Tune(Box<TuneArgs>),
    /// Look at, verify and export replays.
    #[command(
        subcommand,
        after_help = "\
Examples:
  agon replay info m.agon
  agon replay verify m.agon
  agon replay export m.agon --mp4 m.mp4"
    )]
    Replay(ReplayCommand),
    /// Examine a game that you bring.
    #[command(
        subcommand,
        after_help = "\
Examples:
  agon game check cluster"
    )]
    Game(GameCommand),
    /// Put replays on the web.
    #[command(
        subcommand,
        after_help = "\
Examples:
  agon web export site night.agon morning.agon"
    )]
    Web(WebCommand),
    /// Play cellhack with the classic command line.
    Cellhack(classic::CellhackArgs),
    /// Play cluster with the classic command line.
    Cluster(classic::ClusterArgs),
    /// Run an amoebas tournament with the manual's flags.
    Amoebas(classic::amoebas::AmoebasArgs),
    /// Play binfection with the classic command line.
    Binfection(classic::binfection::BinfectionArgs),
    /// Play rezzo with the classic command line.
    Rezzo(classic::rezzo::RezzoArgs),
    /// Print the script that completes commands and flags in a shell.
    #[command(after_help = "\
The Debian package has installed them already.

Examples:
  agon completions bash > ~/.local/share/bash-completion/completions/agon
  agon completions fish > ~/.config/fish/completions/agon.fish
  agon completions zsh > _agon                 in a folder of zsh's fpath")]
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// Headings and commands, in the order in which people meet them.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Play and watch", &["play", "games", "rules", "bots", "watch", "replay", "web", "scenario"]),
    ("Write a bot", &["new", "check", "compare", "tune"]),
    ("Bring a game", &["game"]),
    ("Contests", &["tournament", "worker"]),
    (
        "Ladders",
        &[
            "login",
            "submit",
            "status",
            "matches",
            "logs",
            "leaderboard",
            "ladder",
            "logout",
            "serve",
        ],
    ),
    ("Classic command lines", &["amoebas", "binfection", "cellhack", "cluster", "rezzo"]),
    ("This machine", &["doctor", "completions", "help"]),
];

/// The description of the command that clap adds.
const HELP: &str = "Explain a command (`agon help plan`: the plan of a tournament)";

/// Has the help list the commands under headings.
///
/// clap has headings for flags, but only one for all commands.
fn with_groups(command: Clap) -> Clap {
    let header = command.get_styles().get_header();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{}\n{header}Options:{header:#}\n\
         {{options}}{{after-help}}",
        list(&command)
    );
    command.help_template(template)
}

fn list(command: &Clap) -> String {
    let styles = command.get_styles();
    let header = styles.get_header();
    let literal = styles.get_literal();
    let mut list = String::new();
    for (heading, names) in GROUPS {
        list += &format!("\n{header}{heading}:{header:#}\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Clap::get_about);
            let about = about.map_or_else(|| HELP.to_owned(), ToString::to_string);
            list += &format!("  {literal}{name:<11}{literal:#}  {about}\n");
        }
    }
    list
}

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
installed, and what room there is. Nothing is changed. Languages that are missing are no fault.

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
    /// Print indented JSON instead of JSON Lines.
    #[arg(long)]
    pub(crate) pretty: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Calls `visit` with each command that people can type, and its words.
    fn visit(command: &Clap, words: &str, found: &mut Vec<(String, Clap)>) {
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            let words = format!("{words} {}", inner.get_name());
            visit(inner, &words, found);
            found.push((words, inner.clone()));
        }
    }

    #[test]
    fn every_command_has_examples_of_itself() {
        let mut found = Vec::new();
        visit(&Cli::command(), "agon", &mut found);
        assert!(found.len() > 20, "{found:?}");
        for (words, command) in found {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let example = format!("\n  {words}");
            assert!(help.contains("Example"), "`{words} --help` has no examples");
            assert!(help.contains(&example), "`{words} --help` has no example of the command");
        }
    }

    /// Returns the commands of `agon` in a text: lines that begin with it, and words in backticks.
    fn commands(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        for line in text.lines() {
            let line = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
            let line = line.trim_start_matches(". ");
            if line.starts_with("agon ") {
                // What it does follows in a column.
                found.push(line.split("  ").next().unwrap_or_default().to_owned());
            }
        }
        let quoted = text.split('`').skip(1).step_by(2);
        found.extend(quoted.filter(|words| words.starts_with("agon ")).map(str::to_owned));
        found
    }

    #[test]
    fn every_command_of_the_guides_can_be_typed() {
        let python = agon_ladder::api::Language { id: "python".to_owned(), ..Default::default() };
        let mut guide = agon_ladder::guide::ArenaGuide {
            base: "https://agon.example".to_owned(),
            kit_files: vec![Vec::new()],
            ..Default::default()
        };
        guide.arena.summary.slug = "autumn".to_owned();
        guide.arena.summary.game = "cluster".to_owned();
        guide.arena.languages = vec![python];
        let site = agon_ladder::guide::for_site(["cluster"]).expect("the game has a section");
        for (text, least) in [(guide.text(), 25), (site, 14)] {
            let commands = commands(&text);
            assert!(commands.len() >= least, "{commands:?}");
            for command in commands {
                let typed = command.replace("GAME", "cluster").replace("LANGUAGE", "python");
                let words = shlex::split(&typed).unwrap_or_default();
                // Words alone name a command: `agon submit`.
                let inner = words[1..].iter().try_fold(Cli::command(), |command, word| {
                    command.find_subcommand(word).cloned()
                });
                let parsed = Cli::try_parse_from(&words);
                assert!(inner.is_some() || parsed.is_ok(), "{command}: {parsed:?}");
            }
        }
    }

    #[test]
    fn real_time_is_offered_where_it_can_be_played() {
        let cli = Cli::command();
        let offers = |name: &str| {
            let command = cli.find_subcommand(name).unwrap();
            command.clone().render_long_help().to_string().contains("--real-time")
        };
        for name in ["amoebas", "binfection", "cellhack", "cluster"] {
            assert!(!offers(name), "{name}");
        }
        assert!(offers("rezzo") && offers("play"));
    }

    #[test]
    fn every_command_is_under_one_heading() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|inner| !inner.is_hide_set());
        let mut shown: Vec<&str> = shown.map(Clap::get_name).collect();
        shown.push("help");
        shown.sort_unstable();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        listed.sort_unstable();
        assert_eq!(listed, shown);
    }

    #[test]
    fn the_list_fits_into_80_columns() {
        let command = Cli::command().styles(clap::builder::Styles::plain());
        for line in list(&command).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
