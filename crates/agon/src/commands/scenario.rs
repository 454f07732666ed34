//! `agon scenario FILE`: states set up by hand, scripted answers, every state printed.

use std::{io::Write, path::Path};

use agon_files::input::{read_stdin, read_text};
use agon_match::scenario;
use anyhow::{Context, Result};

use crate::cli::ScenarioArgs;

/// Plays a scenario and prints its states as JSON Lines.
pub(crate) fn scenario(args: &ScenarioArgs, out: &mut impl Write) -> Result<()> {
    let text = read(&args.file)?;
    let place = || format!("in {}", args.file.display());
    scenario::write_states(&text, args.pretty, out).with_context(place)
}

fn read(path: &Path) -> Result<String> {
    Ok(if path.as_os_str() == "-" { read_stdin()? } else { read_text(path)? })
}
