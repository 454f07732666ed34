//! `cargo xtask presets`: plays matches of all presets, and writes the figures into
//! `docs/presets.md`.

use std::{
    io::{self, Write},
    process::Stdio,
};

use anyhow::{Context, Result, bail};

use crate::{
    marked,
    run::{cargo, root},
};

const PAGE: &str = "docs/presets.md";
const BEGIN: &str = "<!-- written by `cargo xtask presets` -->\n";

/// Prints the table, of one game if it is named. The table of all games goes into the page.
pub(crate) fn run(game: Option<&str>) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "agon-match"]);
    command.args(["--example", "presets", "--"]).args(game);
    let output = command.current_dir(root()).stderr(Stdio::inherit()).output();
    let output = output.context("cannot run cargo")?;
    if !output.status.success() {
        bail!("the example `presets` failed with {}", output.status);
    }
    let table = String::from_utf8(output.stdout).context("the table is text")?;
    io::stdout().write_all(table.as_bytes())?;
    match game {
        Some(_) => Ok(()),
        None => marked::write(PAGE, BEGIN, &table),
    }
}
