//! Starter kits: each is written, built, tested and examined for each game.

mod kit;
mod trial;

use std::{env, fs, path::PathBuf};

use anyhow::{Context, Result, bail};

use crate::{
    run::{cargo, root, step},
    setup,
};
pub(crate) use kit::Kit;
use trial::Trial;

/// Examines the kits of these languages, or all; `built` says that the arena is up to date.
pub(crate) fn run(languages: &[&str], built: bool) -> Result<()> {
    let mut kits = Kit::all()?;
    let ids: Vec<String> = kits.iter().map(|kit| kit.id.clone()).collect();
    if let Some(unknown) = languages.iter().find(|&&language| !ids.iter().any(|id| id == language)) {
        bail!("there is no starter kit `{unknown}`; there are: {}", ids.join(", "));
    }
    kits.retain(|kit| languages.is_empty() || languages.contains(&kit.id.as_str()));
    setup::toolchains(&kits)?;
    if !built {
        let modules = kits.iter().any(|kit| kit.bot.contains("wasm"));
        let host = if modules { ["-p", "agon-wasm"].as_slice() } else { &[] };
        step(&mut cargo(&[["build", "-p", "agon"].as_slice(), host].concat()))?;
    }
    step(&mut cargo(&["build", "--quiet", "-p", "agon-games", "--example", "replies"]))?;

    let mut table = Vec::new();
    let mut failures = 0;
    for kit in &kits {
        let row = match kit.missing() {
            // The packages have just been installed.
            Some(missing) if setup::can_install() => {
                failures += 1;
                format!("FAILED: {missing} is not there, though {} is installed", kit.debian.join(" "))
            }
            Some(missing) => {
                format!("skipped: {missing} is not there (apt install {})", kit.debian.join(" "))
            }
            None => examine(kit, &mut failures)?,
        };
        table.push(format!("{:12}{row}", kit.id));
    }
    println!("\n{:12}{}", "", GAMES.map(|game| format!("{game:12}")).concat().trim_end());
    table.iter().for_each(|row| println!("{row}"));
    match failures {
        0 => Ok(()),
        count => {
            bail!("{count} of the starter kits' bots failed; their folders are in {}", workshop()?.display())
        }
    }
}

/// The games that kits have bots for.
const GAMES: [&str; 5] = ["amoebas", "binfection", "cellhack", "cluster", "rezzo"];

/// A row of the table: how long each game took.
fn examine(kit: &Kit, failures: &mut usize) -> Result<String> {
    let mut row = String::new();
    for game in GAMES {
        let folder = workshop()?.join(format!("{game}-{}", kit.id));
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        eprintln!("==> {game} in {}", kit.id);
        let cell = match (Trial { kit, game, folder: &folder, programs: &programs()? }).run() {
            Ok(time) => format!("{:.1} s", time.as_secs_f64()),
            Err(error) => {
                *failures += 1;
                eprintln!("error: {game} in {}: {error:#}", kit.id);
                "FAILED".to_owned()
            }
        };
        row += &format!("{cell:12}");
    }
    Ok(row.trim_end().to_owned())
}

/// Where this program is, and with it the arena.
fn programs() -> Result<PathBuf> {
    let own = env::current_exe()?;
    Ok(own.parent().context("a program is in a folder")?.to_owned())
}

/// Where kits are written. It stays for whoever wants to look at it.
fn workshop() -> Result<PathBuf> {
    let folder = root().join("target").join("kits");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
