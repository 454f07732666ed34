//! The commands, a module each.

mod check;
pub(crate) mod classic;
mod compare;
mod doctor;
mod game;
mod new;
mod part;
mod play;
pub(crate) mod replay;
mod rules;
mod tournament;
mod tune;
mod watch;

use std::{io::Write, path::Path};

use agon_bots::game_file;
use agon_console::{client_options::CLIENT, serve_options::SERVER};
use agon_files::input::{read_stdin, read_text};
use agon_games::GameId;
use anyhow::{Context, Result};

use self::part::{become_part, words_of};
use crate::Exit;
use crate::cli::{Command, Shell, WebCommand};

/// Carries out a command; what was asked for goes to `out`.
pub(crate) fn run(command: Command, out: &mut (impl Write + Send)) -> Result<Exit> {
    let done = |()| Exit::Done;
    match command {
        Command::Play(args) if args.game.is_none() => play::demo(&args, out),
        Command::Play(args) => play::play(&args, out),
        Command::Check(args) => check::check(&args, out),
        Command::Compare(args) => compare::compare(&args, out),
        Command::Doctor(args) => doctor::doctor(&args, out),
        Command::Games { json } => rules::games(json, out).map(done),
        Command::Rules(args) => rules::rules(&args, out).map(done),
        Command::Bots { game, json } => rules::bots(game.as_deref(), json, out).map(done),
        Command::New(args) => new::new(&args, out).map(done),
        Command::Scenario(args) => {
            let text =
                if args.file.as_os_str() == "-" { read_stdin()? } else { read_text(&args.file)? };
            agon_match::scenario::write_states(&text, args.pretty, out)
                .with_context(|| format!("in {}", args.file.display()))
                .map(done)
        }
        Command::Watch(args) => watch::watch(&args, out),
        Command::Tournament(args) => tournament::tournament(&args, out),
        Command::Serve(_) => become_part(SERVER, "agon serve", words_of("serve")),
        Command::Worker(_) => become_part(agon_remote::PART, "agon worker", words_of("worker")),
        Command::Client(_) => become_part(CLIENT, "agon", std::env::args_os().skip(1).collect()),
        Command::Tune(args) => tune::tune(&args, out),
        Command::Replay(command) => replay::replay(&command, out),
        Command::Game(command) => game::game(&command, out),
        Command::Web(WebCommand::Export(args)) => watch::export(&args, out).map(done),
        Command::Cellhack(args) => classic::run_cellhack(&args, out),
        Command::Cluster(args) => classic::run_cluster(&args, out),
        Command::Amoebas(args) => classic::amoebas::run(&args, out),
        Command::Binfection(args) => classic::binfection::run(&args, out),
        Command::Rezzo(args) => classic::rezzo::run(&args, out),
        Command::Completions { shell } => completions(shell, out).map(done),
    }
}

/// Finds the game that a person names: by its name, or by its folder or archive.
fn game_named(text: &str) -> Result<GameId> {
    game_file::find(text).map_err(anyhow::Error::msg)
}

/// Makes a game from a file known, if a person names one.
fn know(game: Option<&Path>) -> Result<Option<GameId>> {
    game.map(game_file::open).transpose().map_err(anyhow::Error::msg)
}

/// Prints the script that completes `agon`'s arguments in a shell. Builds without the feature
/// `manual` have none: the libraries would delay the first match of those who build from source.
#[cfg(feature = "manual")]
pub(crate) fn completions(shell: Shell, out: &mut impl Write) -> Result<()> {
    use clap_complete::{aot, generate};

    let generator = match shell {
        Shell::Bash => aot::Shell::Bash,
        Shell::Zsh => aot::Shell::Zsh,
        Shell::Fish => aot::Shell::Fish,
    };
    // The generator panics if it cannot write.
    let mut script = Vec::new();
    generate(generator, &mut crate::cli::command(), "agon", &mut script);
    Ok(out.write_all(&script)?)
}

/// Writes a manual page for each command to a folder.
#[cfg(feature = "manual")]
pub(crate) fn manual(folder: &Path) -> Result<()> {
    clap_mangen::generate_to(crate::cli::command(), folder)
        .map_err(|error| anyhow::Error::new(error).context(folder.display().to_string()))
}

#[cfg(not(feature = "manual"))]
pub(crate) fn completions(_: Shell, _: &mut impl Write) -> Result<()> {
    anyhow::bail!("{MISSING}")
}

#[cfg(not(feature = "manual"))]
pub(crate) fn manual(_: &Path) -> Result<()> {
    anyhow::bail!("{MISSING}")
}

/// The remedy if this program was built without them.
#[cfg(not(feature = "manual"))]
const MISSING: &str = "this program was built without completions and manual pages; `cargo build \
                       --release -p agon --features manual` in Agon's source builds one with them";
