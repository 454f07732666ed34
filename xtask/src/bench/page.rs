//! Formats the table of figures, and writes it into `docs/performance.md`.
//!
//! `cargo xtask bench` does this after it has measured all figures.

use std::{fs, process::Command};

use anyhow::{Context, Result, ensure};

use super::row::Line;
use crate::{instructions::rustc_version, run::root};

const BEGIN: &str = "<!-- written by `cargo xtask bench` -->\n";
const END: &str = "<!-- end -->\n";

/// Returns the table as Markdown.
pub(crate) fn table(lines: &[Line]) -> String {
    let mut text =
        "| what | wanted | measured | times the simple implementation |\n| --- | ---: | ---: | \
         ---: |\n"
            .to_owned();
    for line in lines {
        text += &format!("| {} |\n", line.join(" | "));
    }
    text
}

/// Puts the table into the page, with the date and the machine.
pub(crate) fn write(lines: &[Line]) -> Result<()> {
    let path = root().join("docs/performance.md");
    let page =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = format!("{}\n{}", where_and_when()?, table(lines));
    let page = replaced(&page, &text).with_context(|| path.display().to_string())?;
    fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))
}

fn replaced(page: &str, text: &str) -> Result<String> {
    let (before, rest) =
        page.split_once(BEGIN).with_context(|| format!("the page has no line {BEGIN}"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("the page has no line {END}"))?;
    Ok(format!("{before}{BEGIN}\n{text}\n{END}{after}"))
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
        "AVX-512"
    } else if cpus.contains("avx2") {
        "AVX2"
    } else {
        "neither"
    };
    let date = String::from_utf8(date.stdout)?;
    Ok(format!(
        "Measured on {} with rustc {} on one core of: {model}, with {widest}.\n",
        date.trim(),
        rustc_version()?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let page = format!("before\n{BEGIN}old\n{END}after\n");
        assert_eq!(
            replaced(&page, "new\n").unwrap(),
            format!("before\n{BEGIN}\nnew\n\n{END}after\n")
        );
        assert!(replaced("no marks", "new").is_err());
    }
}
