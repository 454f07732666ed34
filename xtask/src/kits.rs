//! `cargo xtask kits`: writes, builds, tests and examines each starter kit for each game.
//!
//! `cargo xtask test` does this, too, so that no change breaks a kit.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, env, ffi::OsStr, fs::File, process::Command, thread};

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;

use crate::run::{cargo, entries, fresh, has, in_parallel, read, root, step, text_of, write};
use crate::setup;

/// Examines the kits of these languages, or all.
pub(crate) fn run(languages: &[&str]) -> Result<()> {
    let mut kits = Kit::all()?;
    let ids: Vec<String> = kits.iter().map(|kit| kit.id.clone()).collect();
    if let Some(unknown) = languages.iter().find(|&&language| !ids.iter().any(|id| id == language))
    {
        bail!("there is no starter kit `{unknown}`; there are: {}", ids.join(", "));
    }
    kits.retain(|kit| languages.is_empty() || languages.contains(&kit.id.as_str()));
    setup::toolchains(&kits)?;
    let host = if kits.iter().any(Kit::is_wasm) { ["-p", "agon-wasm"].as_slice() } else { &[] };
    step(&mut cargo(&[["build", "-p", "agon"].as_slice(), host].concat()))?;
    step(&mut cargo(&["build", "--quiet", "-p", "agon-games", "--example", "replies"]))?;

    let games = games()?;
    let mut report = Report::default();
    let heading: String = games.iter().map(|game| format!("{game:12}")).collect();
    let mut table = format!("\n{:12}{}\n", "", heading.trim_end());
    let pairs: Vec<(&Kit, &String)> =
        kits.iter().flat_map(|kit| games.iter().map(move |game| (kit, game))).collect();
    let width = thread::available_parallelism()?.get();
    let outcomes = in_parallel(width, pairs, |(kit, game)| {
        eprintln!("==> {game} in {}", kit.id);
        attempt(kit, game)
    });
    let mut outcomes = outcomes.into_iter();
    for kit in &kits {
        let mut row = format!("{:12}", kit.id);
        for (game, outcome) in games.iter().zip(&mut outcomes) {
            row += &format!("{:12}", report.cell(kit, game, outcome));
        }
        table += row.trim_end();
        table.push('\n');
    }
    eprintln!("{table}");
    report.skipped.iter().for_each(|line| eprintln!("skipped: {line}"));
    match report.failed {
        0 => Ok(()),
        count => bail!(
            "{count} bots of starter kits failed; their folders are in {}",
            kits_folder().display()
        ),
    }
}

/// The report at the end.
#[derive(Debug, Default)]
struct Report {
    skipped: Vec<String>,
    failed: usize,
}

impl Report {
    /// Returns the cell of the table for a kit in a game.
    fn cell(&mut self, kit: &Kit, game: &str, outcome: Result<Outcome>) -> String {
        let error = match outcome {
            Ok(Outcome::Passed(time)) => return format!("{:.1} s", time.as_secs_f64()),
            // If packages can be installed, they have just been.
            Ok(Outcome::Lacks(missing)) if setup::can_install() => {
                anyhow!(
                    "{missing} is not there, though the packages of {}/kit.toml are installed",
                    kit.id
                )
            }
            Ok(Outcome::Lacks(missing)) => {
                let line = format!("{}: not on this machine: {missing}", kit.id);
                if self.skipped.last() != Some(&line) {
                    self.skipped.push(line);
                }
                return "skipped".to_owned();
            }
            Err(error) => error,
        };
        eprintln!("error: {game} in {}: {error:#}", kit.id);
        self.failed += 1;
        "FAILED".to_owned()
    }
}

/// Returns all games with a recorded conversation.
pub(crate) fn games() -> Result<Vec<String>> {
    let paths = entries(&root().join("starter-kits/golden"))?;
    let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
    Ok(names.filter_map(|name| name.strip_suffix(".arena.jsonl")).map(str::to_owned).collect())
}

/// Writes a bot from a kit into a new folder, builds it, tests it and examines it.
fn attempt(kit: &Kit, game: &str) -> Result<Outcome> {
    let start = Instant::now();
    let folder = fresh(kits_folder().join(format!("{game}-{}", kit.id)))?;
    let own = env::current_exe()?;
    let programs = own.parent().context("a program is in a folder")?;
    let mut new = Command::new(programs.join("agon"));
    let written = text_of(new.args(["new", game, &kit.id, "--json"]).arg(&folder))?;
    let mut written: serde_json::Value = serde_json::from_str(&written)?;
    let New { build, test, bot, missing } = serde_json::from_value(written["data"].take())?;
    if !missing.is_empty() {
        return Ok(Outcome::Lacks(missing.join(", ")));
    }
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(&folder);
        // Kits decide where their bots are built.
        command.env_remove("CARGO_TARGET_DIR").env_remove("CARGO_BUILD_TARGET");
        command
    };
    for line in build.iter().chain(&test) {
        text_of(&mut shell(line))?;
    }
    if let Some((_, command)) = bot.split_once("jsonl:") {
        // It answers a recorded conversation, and each of its lines is checked.
        let arena = root().join(format!("starter-kits/golden/{game}.arena.jsonl"));
        let asked = File::open(&arena).with_context(|| arena.display().to_string())?;
        let said = text_of(shell(&format!("exec timeout {TALK} {command}")).stdin(asked))?;
        let answers = folder.join("answers.jsonl");
        write(&answers, said)?;
        let mut check = Command::new(programs.join("examples").join("replies"));
        text_of(check.arg(game).arg(&arena).stdin(File::open(&answers)?))?;
    }
    // Checks legal answers without faults, repeated answers, an end with its input, and more.
    let check = |bot: &OsStr, from: &Path| {
        let mut check = Command::new(programs.join("agon"));
        check.args(["check", game]).arg(bot).args(["--games", "1", "--turns", TURNS]);
        text_of(check.current_dir(from))
    };
    check(bot.as_ref(), &folder)?;
    // The folder as a bot is built once more, from somewhere else; one game shows that it works.
    if games()?.first().is_some_and(|first| first == game) {
        check(folder.as_os_str(), programs)?;
    }
    Ok(Outcome::Passed(start.elapsed()))
}

/// Returns the folder for kits. It stays there, so that people can look at it.
fn kits_folder() -> PathBuf {
    root().join("target").join("kits")
}

/// A starter kit, with the keys of `kit.toml` that matter before it is written.
#[derive(Debug, Deserialize)]
pub(crate) struct Kit {
    /// Its folder.
    #[serde(skip)]
    pub(crate) id: String,
    #[serde(flatten)]
    usual: Toolchain,
    /// Differences in single games.
    #[serde(default)]
    games: BTreeMap<String, Toolchain>,
}

/// The needs of a bot.
#[derive(Debug, Deserialize)]
struct Toolchain {
    /// Required programs; with `|` between several, one is enough.
    #[serde(default)]
    needs: Vec<String>,
    /// The Debian packages with them.
    #[serde(default)]
    debian: Vec<String>,
}

impl Kit {
    /// Returns all kits, in order of their names.
    pub(crate) fn all() -> Result<Vec<Kit>> {
        let mut kits = Vec::new();
        for folder in entries(&root().join("starter-kits"))? {
            let file = folder.join("kit.toml");
            if file.is_file() {
                let kit = toml::from_str(&read(&file)?);
                let kit: Kit = kit.with_context(|| file.display().to_string())?;
                let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                kits.push(Kit { id, ..kit });
            }
        }
        Ok(kits)
    }

    /// Returns the packages with those programs that are missing on this machine.
    pub(crate) fn packages(&self) -> Vec<&str> {
        // The project's own programs are built, not installed.
        let foreign = |needs: &&String| !needs.starts_with("agon-");
        let lacks = |toolchain: &&Toolchain| {
            toolchain.needs.iter().filter(foreign).any(|need| !need.split('|').any(has))
        };
        let lacking = [&self.usual].into_iter().chain(self.games.values()).filter(lacks);
        lacking.flat_map(|toolchain| &toolchain.debian).map(String::as_str).collect()
    }

    /// Returns whether its bots are WebAssembly.
    pub(crate) fn is_wasm(&self) -> bool {
        self.usual.needs.iter().any(|need| need == "agon-wasm-host")
    }
}

/// The end of a trial without an error.
enum Outcome {
    /// Everything works; the time it took.
    Passed(Duration),
    /// Programs are missing.
    Lacks(String),
}

/// The data in the output of `agon new --json`.
#[derive(Deserialize)]
struct New {
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
