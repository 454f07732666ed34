//! Formats the table of figures, and writes it into `docs/performance.md`.
//!
//! `cargo xtask bench` does this after it has measured all figures.

use std::{fs, process::Command};

use anyhow::{Context, Result, ensure};

use super::row::Line;
use crate::{instructions::rustc_version, marked};

const BEGIN: &str = "<!-- written by `cargo xtask bench` -->\n";

/// Returns the table as Markdown.
pub(crate) fn table(lines: &[Line]) -> String {
    let mut text =
        "| what | goal | measured | speed-up over the reference implementation | without \
                    AVX-512 |\n| --- | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    for line in lines {
        text += &format!("| {} |\n", line.join(" | "));
    }
    text
}

/// Puts the table into the page, with the date and the machine.
pub(crate) fn write(lines: &[Line]) -> Result<()> {
    let text = format!("{}\n{}", where_and_when()?, table(lines));
    marked::write("docs/performance.md", BEGIN, &text)
}

fn where_and_when() -> Result<String> {
    let date =
        Command::new("date").args(["--utc", "+%F"]).output().context("date tells the date")?;
    ensure!(date.status.success(), "date tells the date");
    let cpus = fs::read_to_string("/proc/cpuinfo").context("cannot read /proc/cpuinfo")?;
    let model = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or(": unknown processor");
    let model = model.trim_start_matches([' ', '\t', ':']);
    let widest = if cpus.contains("avx512f") {
        "with AVX-512"
    } else if cpus.contains("avx2") {
        "with AVX2"
    } else {
        "without AVX2 and AVX-512"
    };
    let date = String::from_utf8(date.stdout)?;
    Ok(format!(
        "Measured on {} with rustc {} on one core, except for the row about two cores. Processor: \
         {model}, {widest}.\n",
        date.trim(),
        rustc_version()?
    ))
}
