//! Starts the test program that is running again, for tests whose child process is to die.
//!
//! It also gives the full names of tests: the child process runs the test of that name.

use std::time::{Duration, Instant};
use std::{env, process::Command, thread};

/// The variable with the program that runs tests of another processor, and its arguments:
/// `qemu-aarch64 -L /folder`.
const RUNNER: &str = "AGON_TESTS_RUNNER";

/// Returns a command that starts the running test program again.
pub fn this_program() -> Command {
    let program = env::current_exe().expect("the system knows where a program is");
    let runner = env::var(RUNNER).unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(first) = words.next() else { return Command::new(program) };
    let mut command = Command::new(first);
    command.args(words).arg(program);
    command
}

/// Returns the name that the harness gives to a test, from the `module_path!()` of its file.
///
/// It is `cells::kept` for a test of `tests/cells.rs` that is part of one program with others.
pub fn full_name(module_path: &str, test: &str) -> String {
    match module_path.split_once("::") {
        Some((_, modules)) => format!("{modules}::{test}"),
        None => test.to_owned(),
    }
}

/// A time that only a bug takes, however busy the machine is.
const AGES: Duration = Duration::from_secs(300);

/// Waits until a condition gives a value.
#[track_caller]
pub fn eventually<T>(what: &str, mut condition: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = condition() {
            return value;
        }
        let waited = start.elapsed();
        assert!(waited < AGES, "{what}: not within {AGES:?}");
        // Whoever looks all the time takes the time of those who work.
        thread::sleep((waited / 8).clamp(Duration::from_millis(5), Duration::from_millis(100)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_harness() {
        let own = full_name(module_path!(), "names_are_those_of_the_harness");
        assert_eq!(own, "harness::tests::names_are_those_of_the_harness");
        assert_eq!(full_name("all", "one"), "one");
    }
}
