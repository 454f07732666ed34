//! Finds the versions of the interpreters and compilers that bots use, such as Python 3.11.2.
//!
//! The worker that plays a job puts them into the outcome if the spec asks for it
//! (`Recording::runtimes`). No command of `agon` asks for it yet; only tests do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use agon_bots::{BotSpec, HostOptions, on_path, tools};

/// Interpreters and compilers that answer `--version`. Any other program may be the bot itself:
/// starting it could do anything.
const RUNTIMES: &[&str] = &[
    "bun", "cc", "c++", "clang", "deno", "dotnet", "guile", "java", "julia", "lua", "luajit",
    "mono", "node", "nodejs", "perl", "php", "pypy3", "python", "python3", "Rscript", "racket",
    "ruby",
];

/// The versions that were found, by the program's file.
static KNOWN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// Returns the versions of the runtimes that these bots use.
pub(crate) fn of<'a>(
    bots: impl Iterator<Item = &'a BotSpec>,
    host: &HostOptions,
) -> BTreeMap<String, String> {
    let mut versions = BTreeMap::new();
    for runtime in bots.filter_map(BotSpec::runtime) {
        if is_runtime(&runtime) && !versions.contains_key(&runtime) {
            let version = version(&runtime, host);
            versions.insert(runtime, version);
        }
    }
    versions
}

fn is_runtime(name: &str) -> bool {
    // `python3.11` and `clang-16` are versions of what is listed.
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    RUNTIMES.contains(&name) || RUNTIMES.contains(&stem)
}

/// Returns the version of a program; empty if it does not report one.
fn version(name: &str, host: &HostOptions) -> String {
    let Some(path) = on_path(name) else { return String::new() };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let ask = || tools::examine(Path::new(name), host).ok()?.version;
    known.entry(path).or_insert_with(|| ask().unwrap_or_default()).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_runtimes_are_asked() {
        for name in ["python3", "python3.11", "node", "clang-16", "java"] {
            assert!(is_runtime(name), "{name}");
        }
        for name in ["my-bot", "sleep", "", "python3-bot"] {
            assert!(!is_runtime(name), "{name}");
        }
    }
}
