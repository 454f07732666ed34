//! `cargo xtask kits`: writes, builds, tests and examines each starter kit for each game.
//!
//! `cargo xtask test` does this, too, so that no change breaks a kit.

mod kit;
mod trial;

use std::{env, fs, path::PathBuf, thread};

use anyhow::{Context, Result, anyhow, bail};

use crate::{
    run::{cargo, in_parallel, root, step},
    setup,
};
pub(crate) use kit::Kit;
use trial::{Outcome, Trial};

/// Examines the kits of these languages, or all; `built` means that the arena is up to date.
pub(crate) fn run(languages: &[&str], built: bool) -> Result<()> {
    let mut kits = Kit::all()?;
    let ids: Vec<String> = kits.iter().map(|kit| kit.id.clone()).collect();
    if let Some(unknown) = languages.iter().find(|&&language| !ids.iter().any(|id| id == language))
    {
        bail!("there is no starter kit `{unknown}`; there are: {}", ids.join(", "));
    }
    kits.retain(|kit| languages.is_empty() || languages.contains(&kit.id.as_str()));
    setup::toolchains(&kits)?;
    if !built {
        let host = if kits.iter().any(Kit::is_wasm) { ["-p", "agon-wasm"].as_slice() } else { &[] };
        step(&mut cargo(&[["build", "-p", "agon"].as_slice(), host].concat()))?;
    }
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
            kits_folder()?.display()
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
    let folder = root().join("starter-kits").join("golden");
    let mut games = Vec::new();
    for entry in
        fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let name = entry?.file_name().to_string_lossy().into_owned();
        games.extend(name.strip_suffix(".arena.jsonl").map(str::to_owned));
    }
    games.sort();
    Ok(games)
}

/// Writes a bot from a kit into a new folder, and tries it.
fn attempt(kit: &Kit, game: &str) -> Result<Outcome> {
    let folder = kits_folder()?.join(format!("{game}-{}", kit.id));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    // The folder as a bot is built once more; one game shows that it works.
    let plays_folder = games()?.first().is_some_and(|first| first == game);
    let programs = programs()?;
    Trial { language: &kit.id, game, folder: &folder, programs: &programs, plays_folder }.run()
}

/// Returns the folder of this program and of the arena.
fn programs() -> Result<PathBuf> {
    let own = env::current_exe()?;
    Ok(own.parent().context("a program is in a folder")?.to_owned())
}

/// Returns the folder for kits. It stays there, so that people can look at it.
fn kits_folder() -> Result<PathBuf> {
    let folder = root().join("target").join("kits");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
