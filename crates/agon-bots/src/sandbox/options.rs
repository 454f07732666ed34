//! Options for the confinement of bots' programs, such as strictness and memory, which a person
//! sets with flags; and the environment variables that confined programs get.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::Launcher;

/// The memory that a program may use in MiB, unless [`SandboxOptions::memory`] says otherwise.
pub const MEMORY: u32 = 1024;

/// The strictness of the confinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// No confinement: programs may do everything that the arena may.
    ///
    /// Their processes still end with them.
    Off,
    /// As much as this machine can.
    ///
    /// [`missing`](crate::sandbox::missing) returns the mechanisms that it lacks.
    #[default]
    Default,
    /// Full confinement, or the program is not started.
    ///
    /// It sees only the installed runtimes that are named.
    Strict,
}

/// Options for the confinement of bots' programs.
#[derive(Clone, Debug, Default)]
pub struct SandboxOptions {
    /// The strictness.
    pub level: Level,
    /// The most memory of a bot in MiB, all its processes together; `None` for [`MEMORY`].
    pub memory: Option<u32>,
    /// Folders and files that bots may read beside their own.
    pub read: Vec<PathBuf>,
    /// Folders that bots may write to.
    pub write: Vec<PathBuf>,
    /// Environment variables that bots get beside the usual ones.
    pub env: Vec<String>,
    /// Places of the arena with secrets: no installed runtime with one of them in it is shown as a
    /// whole.
    pub hidden: Vec<PathBuf>,
    /// The program that starts programs; `None` for `agon-sandbox` beside this one.
    pub launcher: Option<Launcher>,
}

/// Needs of a program beside the usual ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Folders and files that it reads.
    pub(crate) read: Vec<PathBuf>,
    /// Folders that it writes to.
    pub(crate) write: Vec<PathBuf>,
    /// Whether later starts of it have the same such folders.
    pub(crate) lasting: bool,
    /// Whether it serves on a loopback address of its own.
    pub(crate) loopback: bool,
    /// Bytes of memory, if they differ from the usual limit.
    pub(crate) memory: Option<u64>,
}

/// Variables that are passed on; `docs/security.md` lists them.
///
/// None of them makes a program load code or read a file that its author chooses.
const NAMES: [&str; 11] = [
    "PATH",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "JAVA_HOME",
    "DOTNET_ROOT",
    "GOROOT",
    "RUST_BACKTRACE",
];

/// How the line begins that a JVM prints about [`of_memory`].
pub(crate) const JVM_WORDS: &[u8] = b"Picked up JAVA_TOOL_OPTIONS: -XX:MaxRAM=";

/// Returns variables that tell runtimes of languages how many bytes of memory they may use, for
/// their heap and all else. Without them they look at the machine's memory.
///
/// Flags in a bot's own command come after them.
pub(super) fn of_memory(limit: u64) -> [(OsString, OsString); 5] {
    let heap = limit / 5 * 4;
    let mib = heap >> 20;
    [
        ("JAVA_TOOL_OPTIONS", format!("-XX:MaxRAM={limit} -XX:MaxRAMPercentage=80")),
        ("NODE_OPTIONS", format!("--max-old-space-size={mib}")),
        // It is hexadecimal.
        ("DOTNET_GCHeapHardLimit", format!("{heap:X}")),
        ("GOMEMLIMIT", format!("{mib}MiB")),
        ("PYPY_GC_MAX", format!("{mib}MB")),
    ]
    .map(|(name, value)| (name.into(), value.into()))
}

/// Returns the environment of a confined program; `allowed` are further names.
pub(super) fn passed_on(
    all: impl Iterator<Item = (OsString, OsString)>,
    allowed: &[String],
) -> Vec<(OsString, OsString)> {
    let mut env: Vec<_> =
        all.filter(|(name, _)| name != "TMPDIR" && is_passed_on(name, allowed)).collect();
    env.push(("TMPDIR".into(), "/tmp".into()));
    env
}

/// Returns whether a program gets a variable.
pub(super) fn is_passed_on(name: &OsStr, allowed: &[String]) -> bool {
    NAMES.iter().any(|known| name == *known) || allowed.iter().any(|known| name == known.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_named_variables_are_passed_on() {
        let all = [
            "PATH",
            "AGON_DATABASE",
            "AGON_TOKEN",
            "AGON_X",
            "JAVA_TOOL_OPTIONS",
            "LC_PAPER",
            "LD_LIBRARY_PATH",
            "LD_PRELOAD",
            "NODE_OPTIONS",
            "PGPASSWORD",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "RUBYOPT",
            "TMPDIR",
            "USER",
        ];
        let names = |allowed: &[&str]| -> Vec<String> {
            let allowed: Vec<String> = allowed.iter().map(|name| (*name).to_owned()).collect();
            let all = all.into_iter().map(|name| (name.into(), "x".into()));
            let env = passed_on(all, &allowed);
            assert_eq!(env.last(), Some(&("TMPDIR".into(), "/tmp".into())));
            env.iter().map(|(name, _)| name.to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(&[]), ["PATH", "TMPDIR"]);
        assert_eq!(names(&["PYTHONPATH", "TMPDIR"]), ["PATH", "PYTHONPATH", "TMPDIR"]);
    }

    #[test]
    fn the_page_lists_the_same_names() {
        let page = include_str!("../../../../docs/security.md");
        let start = page.find("environment variables").expect("the page has the list");
        let list = &page[start..start + page[start..].find(". ").unwrap()];
        let listed: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, NAMES);
    }
}
