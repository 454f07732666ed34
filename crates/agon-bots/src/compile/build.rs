//! Runs a bot's own build command in the folder of its files. `agon-arena` calls it for a bot from
//! a store that has to be built.

use std::{ffi::OsString, path::Path, time::Duration};

use agon_sandbox::Limits;

use crate::{
    Clock, HostOptions, OpenError,
    process::{Launch, Output, run_to_end},
    sandbox::Needs,
};

/// CPU time for a build.
const BUILDING: Clock = Clock::cpu(Duration::from_secs(300));

/// Limits of each program of a build.
const LIMITS: Limits = Limits {
    cpu: Some(BUILDING.then.as_secs()),
    memory: Some(2 << 30),
    processes: None,
    files: None,
    file: Some(256 << 20),
};

/// How much of the output is kept for the error, in bytes.
const MESSAGE: usize = 16 << 10;

/// Runs a shell line in the folder of a bot's files, confined as the bot is; it may write there.
///
/// # Errors
/// If the line cannot be run, fails, or takes more than five minutes of CPU time.
pub fn build_in(folder: &Path, line: &str, options: &HostOptions) -> Result<(), OpenError> {
    let args = ["-c", line].map(OsString::from);
    let mut launch = Launch::new("/bin/sh", &args).with(options);
    launch.output = Output::Talk;
    launch.tail = MESSAGE;
    launch.limits = LIMITS;
    launch.folder = Some(folder.to_owned());
    let needed = folder.to_owned();
    launch.needs = Needs { read: vec![], write: vec![needed], memory: LIMITS.memory };
    let failed = |message: String| OpenError::Build { line: line.to_owned(), message };
    let run = run_to_end(&launch, BUILDING)
        .map_err(|source| OpenError::unprepared("the sandbox for the build", source))?;
    match (run.is_good(), run.late) {
        (true, _) => Ok(()),
        (false, true) => {
            Err(failed(format!("it was stopped after {} s of CPU time", BUILDING.then.as_secs())))
        }
        (false, false) => Err(failed(run.said)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_build_writes_to_its_folder_and_to_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let options = HostOptions::default();
        build_in(folder.path(), "echo fox > made; test $(pwd) = \"$PWD\"", &options).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("made")).unwrap(), "fox\n");
        let line = format!("echo fox > '{}/made'", other.path().display());
        // Without namespaces there is nothing that keeps it from writing there.
        if crate::sandbox::missing().is_empty() {
            let error = build_in(folder.path(), &line, &options).unwrap_err().to_string();
            assert!(error.contains("fails"), "{error}");
            assert!(!other.path().join("made").exists());
        }
        let error = build_in(folder.path(), "echo broken >&2; exit 3", &options).unwrap_err();
        assert!(error.to_string().contains("broken"), "{error}");
    }
}
