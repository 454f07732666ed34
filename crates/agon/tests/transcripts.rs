//! The commands of `docs/transcripts.md` are run again, each path in a new folder, and must print
//! what the page shows.
//!
//! `AGON_TRANSCRIPTS_BIN` names another folder with `agon`, such as that of a package. Sections
//! with `cargo` in them need a checkout: a long job runs them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use snapbox::{Assert, Data, IntoData, Redactions};
use tempfile::TempDir;

const PAGE: &str = include_str!("../../../docs/transcripts.md");

/// A command and what it prints.
#[derive(Debug, PartialEq, Eq)]
struct Step<'p> {
    command: &'p str,
    prints: String,
}

/// Returns the sections of a page with their steps, in order.
fn sections(page: &str) -> Vec<(&str, Vec<Step<'_>>)> {
    let mut sections: Vec<(&str, Vec<Step<'_>>)> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((title, Vec::new()));
        } else if line.starts_with("```") {
            is_console = line == "```console";
        } else if let (true, Some((_, steps))) = (is_console, sections.last_mut()) {
            match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step { command, prints: String::new() }),
                (None, Some(step)) => step.prints += &format!("{line}\n"),
                (None, None) => panic!("`{line}` stands before a command"),
            }
        }
    }
    sections
}

/// The folder with `agon`.
fn programs() -> PathBuf {
    let named = std::env::var_os("AGON_TRANSCRIPTS_BIN").map(PathBuf::from);
    named.unwrap_or_else(|| {
        let agon: &Path = assert_cmd::cargo::cargo_bin!("agon");
        agon.parent().expect("a program is in a folder").to_owned()
    })
}

fn run(steps: &[Step<'_>]) {
    let home = TempDir::new().expect("there is room");
    // The folder that the shell is in at the end of a command is that of the next one.
    let place = home.path().join(".place");
    fs::write(&place, home.path().as_os_str().as_encoded_bytes()).expect("there is room");
    let path = std::env::var("PATH").unwrap_or_default();
    for Step { command, prints } in steps {
        let folder = fs::read_to_string(&place).expect("the shell has said where it is");
        let script = format!("{command}\nstatus=$?; pwd > '{}'; exit $status", place.display());
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1; {script}")]).current_dir(folder.trim());
        shell.env("PATH", format!("{}:{path}", programs().display()));
        shell.env("HOME", home.path()).env("NO_COLOR", "1").env("DISPLAY", "");
        shell.env("WAYLAND_DISPLAY", "").env_remove("XDG_CACHE_HOME");
        let output = shell.output().expect("there is a shell");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "`{command}`: {said}");
        let expected: Data = prints.clone().into_data();
        let (said, expected) = (said.trim_end().to_owned() + "\n", expected);
        let compare = Assert::new().redact_with(Redactions::new());
        let result = compare.try_eq(Some(command), said.into_data(), trimmed(expected));
        result.unwrap_or_else(|error| panic!("`{command}` prints something else: {error}"));
    }
}

fn trimmed(data: Data) -> Data {
    (data.to_string().trim_end().to_owned() + "\n").into_data()
}

#[test]
fn the_paths_print_what_their_page_shows() {
    agon_testkit::needs!("python3");
    agon_testkit::slow!();
    let sections = sections(PAGE);
    let with_agon: Vec<_> = sections
        .iter()
        .filter(|(_, steps)| {
            steps.iter().all(|s| s.command.starts_with("agon") || !s.command.contains("cargo"))
        })
        .collect();
    assert!(with_agon.iter().filter(|(_, steps)| steps.len() > 3).count() >= 3, "{sections:?}");
    with_agon.iter().for_each(|(_, steps)| run(steps));
}

#[test]
fn steps_are_read_from_a_page() {
    let page = "# A\n\n## One\n\n```sh\n$ no\n```\n\n```console\n$ a\nb\n$ c\n```\n\n## Two\n";
    let step = |command, prints: &str| Step { command, prints: prints.to_owned() };
    assert_eq!(sections(page), [("One", vec![step("a", "b\n"), step("c", "")]), ("Two", vec![])]);
}
