//! The arguments of `agon game`.

use std::path::PathBuf;

use agon_core::Seed;
use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum GameCommand {
    /// Examine a game, point by point.
    Check(GameCheckArgs),
    /// Write the folder of a first game, to play from its file.
    New(GameNewArgs),
    /// Pack a game's folder into one file.
    Pack(GamePackArgs),
}

#[derive(Args, Debug)]
#[command(after_help = "\
It writes `game.toml` (name, players, settings), the rules of a small complete game in the chosen \
language, a page for people and a bot in Python, and says how to compile the rules to WebAssembly. \
All commands take the folder wherever they take the name of a game.

Examples:
  agon game new tron --language c
  agon game new tron games/tron --language rust
  agon game new tron --language assemblyscript")]
pub(crate) struct GameNewArgs {
    /// The name: lower-case letters, digits and `-`.
    pub(crate) name: String,
    /// The folder to write; the game's name by default.
    pub(crate) folder: Option<PathBuf>,
    /// The language of the rules.
    #[arg(short, long, value_enum)]
    pub(crate) language: GameLanguage,
}

/// A language for the rules of a game.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum GameLanguage {
    /// C, with clang.
    C,
    /// Rust, for the target wasm32-unknown-unknown.
    Rust,
    /// AssemblyScript, with npm.
    Assemblyscript,
}

#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  agon game pack tron                       # writes tron.agon-game
  agon game pack tron --output tron-2.agon-game
  agon play tron.agon-game 'jsonl:python3 bot.py' builtin:random")]
pub(crate) struct GamePackArgs {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The file to write; the folder's name with the ending `.agon-game` by default.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(after_help = "\
It plays matches with the game's settings for tiny ones (`TINY`), and looks for broken promises: \
the same seed and answers give the same match, which ends, and can be saved and loaded; what the \
game calls legal breaks no rule; damaged positions and answers are refused, or usable; nobody sees \
what is hidden; people can play; presets and built-in bots fit. The last point is the speed.

Examples:
  agon game check cluster
  agon game check cluster --rounds 5000 --seed 7
  agon game check cluster --json

Exit codes: 0 the game keeps its promises, 1 it breaks one, 2 the game cannot be examined.")]
pub(crate) struct GameCheckArgs {
    /// The game, which `agon games` lists, or the folder or file of one.
    pub(crate) game: String,
    /// How many damaged positions to try; the search for other mistakes grows with it.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) rounds: u64,
    /// The seed of the first matches; others have the next number.
    #[arg(long, value_name = "N", default_value_t = Seed(1))]
    pub(crate) seed: Seed,
    /// Print JSON Lines instead of the report.
    #[arg(long)]
    pub(crate) json: bool,
}
