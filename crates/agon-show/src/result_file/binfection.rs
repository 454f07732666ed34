//! Writes the binfection result file from a replay, for `agon replay export --res`.

use std::io::Write;

use agon_core::Game;
use agon_games::binfection::{Binfection, ResultFile};
use agon_replay::Cursor;
use anyhow::Result;

/// Writes the result file of a replay, from the cursor's state on.
///
/// # Errors
/// If the replay cannot be read further, or the file cannot be written.
pub fn write_binfection(
    mut cursor: Cursor<Binfection>,
    names: &[String],
    out: &mut dyn Write,
) -> Result<()> {
    let mut file = ResultFile::new();
    file.push(cursor.game().cells(), names);
    loop {
        let frame = cursor.frame()?;
        if !frame.game.decisions().is_empty() && !frame.given.is_empty() {
            let phases = frame.game.phases(frame.given);
            file.push(phases.moved, names);
            file.push(phases.grown, names);
        }
        if !cursor.advance()? {
            break;
        }
    }
    Ok(out.write_all(file.to_json().as_bytes())?)
}
