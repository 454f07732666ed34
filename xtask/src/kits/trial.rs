//! Tries one starter kit in one game: writes a bot, builds it, tests it and examines it.
//!
//! `cargo xtask kits` does this for each kit and each game.

use std::{
    fs::File,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::run::root;

/// A trial of a kit in a game, in a folder that does not exist yet.
pub(crate) struct Trial<'a> {
    pub(crate) language: &'a str,
    pub(crate) game: &'a str,
    pub(crate) folder: &'a Path,
    /// The folder of the arena's programs.
    pub(crate) programs: &'a Path,
    /// Whether the folder is examined as a bot, too, from somewhere else.
    pub(crate) plays_folder: bool,
}

/// The end of a trial without an error.
pub(crate) enum Outcome {
    /// Everything works; the time it took.
    Passed(Duration),
    /// Programs are missing.
    Lacks(String),
}

/// The output of `agon new --json`.
#[derive(Deserialize)]
struct New {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    /// Shell lines for the new folder.
    build: Option<String>,
    test: Option<String>,
    /// The bot in the form for `agon play`.
    bot: String,
    /// Programs that are missing on this machine.
    missing: Vec<String>,
}

/// The turns of the examined matches; the boards are small anyway.
const TURNS: &str = "60";

/// Seconds for a recorded conversation; a bot needs one or two to start.
const TALK: &str = "60";

impl Trial<'_> {
    /// Writes, builds, tests and examines the bot.
    pub(crate) fn run(&self) -> Result<Outcome> {
        let Trial { language, game, folder, programs, plays_folder } = self;
        let start = Instant::now();
        let agon = programs.join("agon");
        let written =
            quiet(Command::new(&agon).args(["new", game, language, "--json"]).arg(folder))?;
        let New { data: Data { build, test, bot, missing } } = serde_json::from_slice(&written)?;
        if !missing.is_empty() {
            return Ok(Outcome::Lacks(missing.join(", ")));
        }
        for line in build.iter().chain(&test) {
            quiet(&mut self.shell(line))?;
        }
        if let Some((_, command)) = bot.split_once("jsonl:") {
            self.converse(command)?;
        }
        // Checks legal answers without faults, repeated answers, an end with its input, and more.
        let mut check = Command::new(&agon);
        quiet(
            check.args(["check", game, &bot, "--games", "1", "--turns", TURNS]).current_dir(folder),
        )?;
        if *plays_folder {
            let mut check = Command::new(&agon);
            check.args(["check", game]).arg(folder).args(["--games", "1", "--turns", TURNS]);
            quiet(check.current_dir(programs))?;
        }
        Ok(Outcome::Passed(start.elapsed()))
    }

    /// Has the bot answer a recorded conversation, and checks each of its lines.
    fn converse(&self, command: &str) -> Result<()> {
        let Trial { game, folder, programs, .. } = self;
        let arena = root().join(format!("starter-kits/golden/{game}.arena.jsonl"));
        let open = || File::open(&arena).with_context(|| arena.display().to_string());
        let said = quiet(self.shell(&format!("exec timeout {TALK} {command}")).stdin(open()?))?;
        let answers = folder.join("answers.jsonl");
        std::fs::write(&answers, said)?;
        let mut check = Command::new(programs.join("examples").join("replies"));
        quiet(check.arg(game).arg(&arena).stdin(File::open(&answers)?))?;
        Ok(())
    }

    /// Returns a shell line's command in the new folder.
    fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(self.folder);
        // Kits decide where their bots are built.
        command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET");
        command
    }
}

/// Runs a command and returns its output.
///
/// # Errors
/// If it fails, with all that it printed.
fn quiet(command: &mut Command) -> Result<Vec<u8>> {
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    let line = words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output();
    let output = output.with_context(|| format!("cannot run {line}"))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("failed with {}: {line}\n{}", output.status, String::from_utf8_lossy(&said));
    }
    Ok(output.stdout)
}
