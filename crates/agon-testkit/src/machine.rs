//! What the machine offers to tests.

use std::{
    env,
    io::{self, Write},
    path::Path,
    thread,
};

/// Set where nothing may be skipped.
const COMPLETE: &str = "AGON_TESTS_COMPLETE";

/// Ends a test here if one of these programs is missing, and says so in a line. Where nothing may be skipped
/// (`AGON_TESTS_COMPLETE`, as in `cargo xtask test`) the test fails.
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

/// What [`needs!`](crate::needs) asks.
///
/// # Panics
/// If one is missing and nothing may be skipped.
pub fn has_programs(programs: &[&str]) -> bool {
    let missing: Vec<&str> = programs.iter().copied().filter(|program| !is_there(program)).collect();
    if missing.is_empty() {
        return true;
    }
    let text = format!("{} missing; `cargo xtask setup` installs what tests need", missing.join(", "));
    assert!(env::var_os(COMPLETE).is_none(), "{text}");
    let thread = thread::current();
    let line = format!("skipped: {}: {text}\n", thread.name().unwrap_or("a test"));
    // Not with `eprintln!`, whose lines the harness keeps to itself. Whom nobody hears has still said it.
    let _ = io::stderr().write_all(line.as_bytes());
    false
}

/// Whether a program is on `PATH`.
fn is_there(program: &str) -> bool {
    let folders = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&folders).any(|folder| Path::is_file(&folder.join(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found() {
        assert!(is_there("sh") && !is_there("no-such-program") && !is_there(""));
        assert!(has_programs(&["sh", "ls"]));
        needs!("sh");
    }
}
