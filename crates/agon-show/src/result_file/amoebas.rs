//! Writes the CSV files of amoebas from a replay, for `agon replay export --csv`.

use std::{fs, path::Path};

use agon_core::Game;
use agon_games::amoebas::{Amoebas, stats};
use agon_replay::Replay;
use agon_text::escape_lines;
use anyhow::{Context, Result};

/// Writes `popsize.csv` and `energy.csv` of a replay into a folder, which is made if missing.
///
/// # Errors
/// If the replay is of another game or cannot be read, or a file cannot be written.
pub fn write_amoebas_csv(replay: &Replay, folder: &Path) -> Result<()> {
    let mut cursor = replay.cursor::<Amoebas>()?;
    let mut history = vec![cursor.game().population().clone()];
    let mut round = cursor.game().progress().turn;
    while cursor.advance()? {
        if cursor.game().progress().turn > round {
            round = cursor.game().progress().turn;
            history.push(cursor.game().population().clone());
        }
    }
    // After the death of all amoebas, the remaining rounds repeat the last one.
    if let Some(last) = history.last().filter(|last| last.is_extinct()).cloned() {
        history.resize(cursor.game().rules().rounds as usize + 1, last);
    }
    let players = &replay.header().players;
    let names: Vec<String> = players.iter().map(|bot| format!(":{}", bot.name)).collect();
    write_history(folder, &names, &history)
}

fn write_history(folder: &Path, names: &[String], history: &[stats::Population]) -> Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut sizes = String::new();
    let mut energies = String::new();
    stats::write_popsize_csv(&mut sizes, &names, history)?;
    stats::write_energy_csv(&mut energies, &names, history)?;
    for (file, text) in [("popsize.csv", sizes), ("energy.csv", energies)] {
        let path = folder.join(file);
        agon_files::write(&path, escape_lines(&text).as_bytes())?;
    }
    Ok(())
}
