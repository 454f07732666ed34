//! Skips tests that this machine cannot run, or that take too long for a quick run.
//!
//! A skipped test ends and says so, in a line for each test program and reason. Where nothing may
//! be left out, as in `cargo xtask test`, it fails instead.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::{
    collections::BTreeSet, env, fs::OpenOptions, os::unix::fs::MetadataExt, path::Path, thread,
};

/// Set where nothing may be left out.
const COMPLETE: &str = "AGON_TESTS_COMPLETE";

/// A file that gets a line for each test that is left out, because the harness hides the output of
/// tests.
const SKIPPED: &str = "AGON_TESTS_SKIPPED";

/// Ends a test here if one of these programs or files is missing. Programs are looked for on
/// `PATH`.
///
/// ```no_run
/// # fn test() {
/// agon_testkit::needs!("python3", "tmux");
/// # }
/// ```
#[macro_export]
macro_rules! needs {
    ($($program:expr),+ $(,)?) => {
        if !$crate::has_programs(&[$($program),+]) {
            return;
        }
    };
}

/// Ends a test here if bots in Clojure cannot play.
#[macro_export]
macro_rules! needs_clojure {
    () => {
        $crate::needs!("java", "/usr/share/java/clojure.jar");
    };
}

/// Ends a test here unless all tests are wanted: for tests that take four seconds or more. Such a
/// test need not check for programs, since it only runs where nothing may be left out.
///
/// ```no_run
/// # fn test() {
/// agon_testkit::slow!();
/// # }
/// ```
#[macro_export]
macro_rules! slow {
    () => {
        if !$crate::has_time() {
            return;
        }
    };
}

/// Returns whether these programs are there; [`needs!`](crate::needs) asks this.
pub fn has_programs(programs: &[&str]) -> bool {
    let missing: Vec<&str> =
        programs.iter().copied().filter(|program| !is_there(program)).collect();
    if missing.is_empty() {
        return true;
    }
    leave_out(&format!(
        "need {}; `cargo xtask setup` installs what is missing",
        missing.join(", ")
    ));
    false
}

/// Returns whether slow tests are wanted; [`slow!`](crate::slow) asks this.
pub fn has_time() -> bool {
    let all = all_are_wanted();
    if !all {
        skip("take long; `cargo xtask test` runs them");
    }
    all
}

/// Reports why a test ends here. The reason continues the words "tests like this one": `need
/// clang`.
pub fn leave_out(why: &str) {
    assert!(!all_are_wanted(), "tests like this one {why}");
    skip(why);
}

/// Reports why a test ends here that only root can run. Other users may always leave it out.
pub fn leave_to_root(why: &str) {
    let is_root = Path::new("/proc/self").metadata().is_ok_and(|process| process.uid() == 0);
    assert!(!is_root || !all_are_wanted(), "tests like this one {why}");
    skip(why);
}

fn all_are_wanted() -> bool {
    env::var_os(COMPLETE).is_some()
}

/// Reports each reason to leave out tests once.
fn skip(why: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = thread::current();
    let test = thread.name().unwrap_or("a test").to_owned();
    if let Some(file) = env::var_os(SKIPPED) {
        let file = OpenOptions::new().create(true).append(true).open(file);
        let line = format!("{test}\t{why}\n");
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("what is skipped can be told");
    }
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(why.to_owned()) {
        // Not with `eprintln!`, whose lines the harness hides. If stderr is closed, that is no
        // failure.
        let _ = writeln!(io::stderr(), "skipped: tests like {test} {why}");
    }
}

/// Returns whether there is such a file, or a program of that name on `PATH`.
fn is_there(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| Path::is_file(&folder.join(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_files_are_found() {
        assert!(is_there("sh") && !is_there("no-such-program") && !is_there(""));
        assert!(is_there("/proc/self/stat") && !is_there("/proc/self/no-such-file"));
        assert!(has_programs(&["sh", "ls"]));
        needs!("sh");
    }
}
