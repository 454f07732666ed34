//! A compiler or runtime of this machine, found or missing, as `agon doctor` shows it.

use std::path::{Path, PathBuf};
use std::{ffi::OsString, time::Duration};

use crate::process::{Launch, Output, run_to_end};
use crate::{Clock, HostOptions, program::on_path};

/// A program or library that the arena uses to run or compile bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its usual name: `cc`, `wasm-ld`.
    pub name: &'static str,
    /// Its place, or the reason why it cannot be used.
    pub found: Result<Found, Absent>,
}

/// A tool that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its file.
    pub path: PathBuf,
    /// Its version, if it reports one: `12.2.0`.
    pub version: Option<String>,
}

/// The reason why a tool cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// In a few words.
    pub why: String,
    /// The remedy, for Debian and Ubuntu where systems differ.
    pub remedy: String,
}

impl Tool {
    pub(crate) fn new(name: &'static str, remedy: String, found: Result<Found, String>) -> Tool {
        Tool { name, found: found.map_err(|why| Absent { why, remedy }) }
    }
}

/// Describes a missing program.
pub fn not_on_path(program: &str) -> String {
    format!("`{program}` is not on PATH")
}

/// CPU time for quick requests, such as a version.
///
/// Some programs are slow when the machine has just started.
pub(crate) const ASKING: Clock = Clock::cpu(Duration::from_secs(5));

/// Asks a program, given by name or path, for its version.
///
/// # Errors
/// If there is none, or it does not run. The text says what was tried.
pub fn examine(program: &Path, options: &HostOptions) -> Result<Found, String> {
    let name = program.to_string_lossy();
    let named = program.components().count() > 1;
    let path = if named {
        Some(PathBuf::from(program)).filter(|path| path.is_file())
    } else {
        on_path(&name)
    };
    let path = path.ok_or_else(|| match named {
        true => format!("there is no file `{name}`"),
        false => not_on_path(&name),
    })?;
    let Some(question) = question(program) else { return Ok(Found { path, version: None }) };
    let mut launch = Launch::new(&path, &[OsString::from(question)]).with(options);
    launch.output = Output::Talk;
    let run = run_to_end(&launch, ASKING, None)
        .map_err(|error| format!("`{name}` cannot be started: {error}"))?;
    if run.is_good() {
        return Ok(Found { path, version: version_in(&run.said) });
    }
    let said = match run.late {
        true => "it does not end",
        false => run
            .said
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .unwrap_or("it says nothing"),
    };
    Err(format!("`{name} {question}` fails: {said}"))
}

/// Returns the argument that makes a program print its version.
///
/// `None` if there is none, or it is slow.
fn question(program: &Path) -> Option<&'static str> {
    match program.file_stem()?.to_str()? {
        "clojure" | "agon-wasm-host" => None,
        "java" | "javac" => Some("-version"),
        "go" => Some("version"),
        _ => Some("--version"),
    }
}

/// Returns the first number with dots in a program's output, or else the first number.
pub(crate) fn version_in(said: &str) -> Option<String> {
    // Java first prints where its options come from.
    let line =
        said.lines().find(|line| !line.trim().is_empty() && !line.starts_with("Picked up "))?;
    let numbers = || {
        let parts = line
            .split(|c: char| !c.is_ascii_digit() && c != '.')
            .map(|part| part.trim_matches('.'));
        parts.filter(|part| !part.is_empty())
    };
    let dotted = numbers().find(|number| number.contains('.'));
    dotted.or_else(|| numbers().next()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn programs_tell_their_versions() {
        let cases = [
            ("cc (Debian 12.2.0-14) 12.2.0\nCopyright (C) 2022", "12.2.0"),
            ("Picked up JAVA_TOOL_OPTIONS: -Dx=1.2\nopenjdk version \"21\" 2023-09-19", "21"),
            ("openjdk version \"1.8.0_382\"", "1.8.0"),
            ("v20.11.1\n", "20.11.1"),
            ("go version go1.19.8 linux/amd64", "1.19.8"),
            ("clojure-1.11.1", "1.11.1"),
        ];
        for (said, version) in cases {
            assert_eq!(version_in(said).as_deref(), Some(version), "{said}");
        }
        assert_eq!(version_in("no version"), None);
        assert_eq!(version_in(""), None);
    }

    #[test]
    fn a_program_that_does_not_run_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("python3");
        let error = examine(&program, &HostOptions::default()).unwrap_err();
        assert!(error.starts_with("there is no file `"), "{error}");
        fs::write(&program, "#!/bin/sh\necho 'python3: not installed' >&2; exit 127").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let error = examine(&program, &HostOptions::default()).unwrap_err();
        assert!(error.ends_with("--version` fails: python3: not installed"), "{error}");
        fs::write(&program, "#!/bin/sh\necho Fox 7.1").unwrap();
        let found = examine(&program, &HostOptions::default()).unwrap();
        assert_eq!(found, Found { path: program, version: Some("7.1".into()) });
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        agon_testkit::slow!();
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("spins");
        fs::write(&program, "#!/bin/sh\nwhile :; do :; done").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let error = examine(&program, &HostOptions::default()).unwrap_err();
        assert!(error.ends_with("it does not end"), "{error}");
    }
}
