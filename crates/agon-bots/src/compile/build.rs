//! Runs a bot's own build command in the folder of its files. `agon-arena` calls it for a bot from
//! a store that has to be built.

use std::path::{Path, PathBuf};
use std::{env, ffi::OsString, time::Duration};

use agon_sandbox::Limits;

use crate::process::{Launch, Output, run_to_end};
use crate::sandbox::{Needs, open_folder};
use crate::{Clock, HostOptions, OpenError, snapshot::CopyFolder};

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

/// Runs a shell line in the folder of a bot's files, confined as the bot is; it may write there,
/// and to a home folder of its own, for the caches of tools.
pub fn build_in(folder: &Path, line: &str, options: &HostOptions) -> Result<(), OpenError> {
    let args = ["-c", line].map(OsString::from);
    let mut launch = Launch::new("/bin/sh", &args).with(options);
    launch.output = Output::Talk;
    launch.tail = MESSAGE;
    launch.limits = LIMITS;
    launch.folder = Some(folder.to_owned());
    let prepared = |source| OpenError::unprepared("the home folder for the build", source);
    let place = options.sandbox.launcher().and_then(|launcher| CopyFolder::new(&launcher));
    // Dropping it removes the home folder.
    let place = place.map_err(prepared)?;
    let home = place.path();
    open_folder(&home).map_err(prepared)?;
    launch.env.push(("HOME".into(), home.clone().into()));
    // The tools of Rust are behind a program that needs its own settings.
    let rustup = rustup();
    launch.env.extend(rustup.iter().map(|place| ("RUSTUP_HOME".into(), place.into())));
    let write = vec![folder.to_owned(), home.clone()];
    let read = rustup.into_iter().collect();
    launch.needs = Needs { read, write, memory: LIMITS.memory, ..Needs::default() };
    let failed = |message: String| OpenError::Build { line: line.to_owned(), message };
    let run = run_to_end(&launch, BUILDING, options.stop.as_ref())
        .map_err(|source| OpenError::unprepared("the sandbox for the build", source))?;
    match (run.is_good(), run.late) {
        (true, _) => Ok(()),
        (false, true) => {
            Err(failed(format!("it was stopped after {} s of CPU time", BUILDING.then.as_secs())))
        }
        (false, false) if run.said.trim().is_empty() => {
            Err(failed("it ended without a message; is it within the limits?".to_owned()))
        }
        (false, false) => Err(failed(run.said)),
    }
}

/// Returns the folder with the installation of `rustup`, if there is one.
fn rustup() -> Option<PathBuf> {
    let named = env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let usual = || Some(PathBuf::from(env::var_os("HOME")?).join(".rustup"));
    named.or_else(usual).filter(|place| place.is_dir())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{fs, sync::Arc, thread, time::Instant};

    use super::*;

    #[test]
    fn a_build_ends_soon_after_it_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let stop = Arc::<AtomicBool>::default();
        let options = HostOptions { stop: Some(Arc::clone(&stop)), ..HostOptions::default() };
        let began = Instant::now();
        let stopper = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        });
        let error = build_in(folder.path(), "sleep 60", &options).unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
        // It is not the author's fault.
        assert!(error.is_lack_of_the_machine(), "{error}");
        stopper.join().unwrap();
    }

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
