//! `agon scenario FILE`: states set up by hand, scripted answers, every state printed.

use std::{io::Write, path::Path};

use agon_core::Game;
use agon_games::{GameId, with_game};
use agon_match::{Scenario, scenario};
use agon_text::{read_stdin, read_text};
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
    Ok(if path.as_os_str() == "-" { read_stdin()? } else { read_text(path)? })
}
