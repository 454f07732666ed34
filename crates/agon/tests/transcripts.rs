//! The commands of `docs/transcripts.md` are run again, each path in a new folder, and must print
//! what the page shows.
//!
//! `AGON_TRANSCRIPTS_BIN` names another folder with `agon`, such as that of a package.

use std::path::{Path, PathBuf};
use std::{fs, process::Command};

use snapbox::{Assert, IntoData};
use tempfile::TempDir;

const PAGE: &str = include_str!("../../../docs/transcripts.md");

/// What somebody did.
#[derive(Debug)]
enum Step {
    /// A command, how it ends, and what it prints.
    Run { command: String, status: i32, prints: String },
    /// A file and its text.
    Save { path: String, text: String },
}

/// Returns the sections of a page with their steps, in order.
fn sections(page: &str) -> Vec<(&str, Vec<Step>)> {
    let mut sections: Vec<(&str, Vec<Step>)> = Vec::new();
    let mut file = None;
    let mut status = 0;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title, Vec::new()));
        } else if let Some(number) = line.strip_prefix("<!-- exit status ") {
            status = number.trim_end_matches(" -->").parse().unwrap();
        } else if let Some((_, name)) = line.rsplit_once("Save this as `") {
            file = Some(name.trim_end_matches("`:").to_owned());
        } else if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let steps = sections.last_mut().map(|(_, steps)| steps);
            match (steps, file.take(), language) {
                (Some(steps), Some(path), _) => {
                    steps.push(Step::Save { path, text: block.join("\n") + "\n" });
                }
                (Some(steps), None, "console") => {
                    steps.extend(commands(&block, std::mem::take(&mut status)));
                }
                _ => {}
            }
        }
    }
    sections
}

/// Returns the commands of a block. The first one ends with this status, the others with 0.
fn commands(block: &[&str], status: i32) -> Vec<Step> {
    let starts = (0..block.len()).filter(|at| block[*at].starts_with("$ "));
    let mut steps: Vec<Step> = Vec::new();
    for start in starts {
        let after = block[start + 1..].iter().take_while(|line| !line.starts_with("$ "));
        let prints = after.map(|line| format!("{line}\n")).collect();
        let status = if steps.is_empty() { status } else { 0 };
        steps.push(Step::Run { command: block[start][2..].to_owned(), status, prints });
    }
    steps
}

/// The folder with `agon`.
fn programs() -> PathBuf {
    let named = std::env::var_os("AGON_TRANSCRIPTS_BIN").map(PathBuf::from);
    let built = || Path::new(assert_cmd::cargo::cargo_bin!("agon")).parent().unwrap().to_owned();
    named.unwrap_or_else(built)
}

fn follow(steps: &[Step], folder: &Path) {
    for step in steps {
        match step {
            Step::Save { path, text } => fs::write(folder.join(path), text).unwrap(),
            Step::Run { command, status, prints } => run(command, *status, prints, folder),
        }
    }
}

fn run(command: &str, status: i32, prints: &str, folder: &Path) {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(folder);
    shell.env("PATH", format!("{}:{path}", programs().display())).env("NO_COLOR", "1");
    shell.env("DISPLAY", "").env("WAYLAND_DISPLAY", "");
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(status), "`{command}`: {said}");
    let ended = |text: &str| format!("{}\n", text.trim_end()).into_data();
    let same = Assert::new().try_eq(Some(&command), ended(&said), ended(prints));
    same.unwrap_or_else(|error| panic!("`{command}` prints something else: {error}"));
}

/// The paths of those who build Agon, or of the others.
fn paths(of_builders: bool) -> Vec<(&'static str, Vec<Step>)> {
    let builds = |step: &Step| match step {
        Step::Run { command, .. } => command.contains("cargo "),
        Step::Save { .. } => false,
    };
    let paths = sections(PAGE).into_iter();
    paths.filter(|(_, steps)| steps.iter().any(builds) == of_builders).collect()
}

#[test]
fn the_paths_print_what_their_page_shows() {
    agon_testkit::needs!("python3", "cc");
    agon_testkit::slow!();
    let paths = paths(false);
    assert_eq!(paths.iter().filter(|(_, steps)| steps.len() > 2).count(), 3, "{paths:?}");
    paths.iter().for_each(|(_, steps)| follow(steps, TempDir::new().unwrap().path()));
}

/// Builds Agon, so that only `cargo xtask long contributor` runs it: with the folder for cargo's
/// results in this variable.
#[test]
fn the_path_of_a_contributor_prints_what_its_page_shows() {
    let Some(target) = std::env::var_os("AGON_CONTRIBUTORS_TARGET") else {
        eprintln!("skipped: `cargo xtask long contributor` runs it");
        return;
    };
    let folder = TempDir::new().unwrap();
    let clone = folder.path().join("agon");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cloned = Command::new("git").args(["clone", "--quiet"]).arg(&root).arg(&clone).status();
    assert!(cloned.unwrap().success());
    fs::create_dir_all(&target).unwrap();
    std::os::unix::fs::symlink(&target, clone.join("target")).unwrap();
    let paths = paths(true);
    assert_eq!(paths.len(), 1);
    follow(&paths[0].1, &clone);
}
