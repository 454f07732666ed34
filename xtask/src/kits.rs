//! `cargo xtask kits`: writes, builds, tests and examines each starter kit for each game.
//!
//! The long job `kits` does this, so that no change breaks a kit.

use std::path::{Path, PathBuf};
use std::{
    collections::BTreeMap, env, ffi::OsStr, fs::File, process::Command, thread, time::Instant,
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use xtask::{cargo, entries, fresh, has, in_parallel, read, root, step, text_of, write};

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

    // Python has a kit for each game.
    let games = entries(&root().join("starter-kits/python/games"))?;
    let name = |folder: PathBuf| Some(folder.file_name()?.to_string_lossy().into_owned());
    let games: Vec<String> = games.into_iter().filter_map(name).collect();
    let pairs: Vec<(&Kit, &String)> =
        kits.iter().flat_map(|kit| games.iter().map(move |game| (kit, game))).collect();
    let cells = in_parallel(thread::available_parallelism()?.get(), pairs, |(kit, game)| {
        eprintln!("==> {game} in {}", kit.id);
        let begun = Instant::now();
        match attempt(kit, game) {
            Ok(true) => format!("{:.1} s", begun.elapsed().as_secs_f64()),
            Ok(false) => "skipped".to_owned(),
            Err(error) => {
                eprintln!("error: {game} in {}: {error:#}", kit.id);
                FAILED.to_owned()
            }
        }
    });
    let row = |name: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!("{cell:12}")).collect();
        eprintln!("{name:12}{}", cells.trim_end());
    };
    eprintln!();
    row("", &games);
    kits.iter().zip(cells.chunks(games.len())).for_each(|(kit, cells)| row(&kit.id, cells));
    let failed = cells.iter().filter(|cell| *cell == FAILED).count();
    let folder = kits_folder();
    ensure!(failed == 0, "{failed} bots of starter kits failed; see {}", folder.display());
    Ok(())
}

/// The cell of a bot that failed, in the table at the end.
const FAILED: &str = "FAILED";

/// Returns all games with a recorded conversation.
pub(crate) fn games() -> Result<Vec<String>> {
    let paths = entries(&root().join("starter-kits/golden"))?;
    let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
    Ok(names.filter_map(|name| name.strip_suffix(".arena.jsonl")).map(str::to_owned).collect())
}

/// Writes a bot from a kit into a new folder, builds it, tests it and examines it. Returns `false`
/// if there is none, or this machine lacks programs and they cannot be installed.
fn attempt(kit: &Kit, game: &str) -> Result<bool> {
    let own = root().join("starter-kits").join(&kit.id).join("games").join(game);
    if !own.is_dir() && !games()?.contains(&game.to_owned()) {
        return Ok(false);
    }
    let folder = fresh(kits_folder().join(format!("{game}-{}", kit.id)))?;
    let own = env::current_exe()?;
    let programs = own.parent().context("a program is in a folder")?;
    let mut new = Command::new(programs.join("agon"));
    let written = text_of(new.args(["new", game, &kit.id, "--json"]).arg(&folder))?;
    let mut written: serde_json::Value = serde_json::from_str(&written)?;
    let New { build, test, bot, missing } = serde_json::from_value(written["data"].take())?;
    if !missing.is_empty() {
        let missing = missing.join(", ");
        // If packages can be installed, they have just been.
        ensure!(!setup::can_install(), "the packages of {}/kit.toml have no {missing}", kit.id);
        eprintln!("skipped: {game} in {}: not on this machine: {missing}", kit.id);
        return Ok(false);
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
    Ok(true)
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
