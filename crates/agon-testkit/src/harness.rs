//! The test harness: its program, its runner and the names of its tests.

use std::{env, process::Command};

/// What runs programs of another processor, and its arguments, separated by spaces:
/// `qemu-aarch64 -L /folder`.
const RUNNER: &str = "AGON_TESTS_RUNNER";

/// Starts the program again that runs the tests: for a test whose child is to die.
///
/// # Panics
/// If the system does not tell where the program is.
pub fn this_program() -> Command {
    let program = env::current_exe().expect("the system knows where a program is");
    let runner = env::var(RUNNER).unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(first) = words.next() else { return Command::new(program) };
    let mut command = Command::new(first);
    command.args(words).arg(program);
    command
}

/// The name that the harness gives a test, from the `module_path!()` of its file: `orphans::killed`
/// for a test of `tests/orphans.rs` that is part of one program with others.
pub fn full_name(module_path: &str, test: &str) -> String {
    match module_path.split_once("::") {
        Some((_, modules)) => format!("{modules}::{test}"),
        None => test.to_owned(),
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
