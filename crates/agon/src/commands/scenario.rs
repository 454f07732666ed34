//! `agon scenario FILE`: states set up by hand, scripted answers, every state printed.

use std::{
    io::{Read, Write},
    path::Path,
};

use agon_core::Game;
use agon_games::{GameId, with_game};
use agon_match::{Scenario, scenario};
use anyhow::{Context, Result};

use crate::cli::ScenarioArgs;

/// Plays a scenario and prints its states as JSON Lines.
pub(crate) fn scenario(args: &ScenarioArgs, out: &mut impl Write) -> Result<()> {
    let text = read(&args.file)?;
    let place = || format!("in {}", args.file.display());
    let id: GameId = scenario::game_id(&text).with_context(place)?.parse().with_context(place)?;
    with_game!(id, G => states::<G>(&text, args.pretty, out)).with_context(place)
}

fn states<G: Game>(text: &str, pretty: bool, out: &mut impl Write) -> Result<()> {
    let scenario = Scenario::<G>::parse(text)?;
    if !pretty {
        return Ok(scenario.write_states(out)?);
    }
    for snapshot in scenario.play()? {
        writeln!(out, "{}", serde_json::to_string_pretty(&snapshot?)?)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    if path.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
