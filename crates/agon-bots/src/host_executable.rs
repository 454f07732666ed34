//! A program that runs bots for the arena, such as the one that loads native libraries.

use std::{ffi::OsString, path::PathBuf};

/// A program that runs bots for the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostExecutable {
    /// The executable.
    pub path: PathBuf,
    /// Its first arguments; the arena adds its own after these.
    pub args: Vec<OsString>,
}

impl HostExecutable {
    /// The hidden subcommand of `agon` that loads native libraries.
    ///
    /// It calls [`crate::native::child_main`].
    pub const SUBCOMMAND: &str = "__native-host";
}

impl Default for HostExecutable {
    /// Returns this program itself with the argument [`HostExecutable::SUBCOMMAND`].
    ///
    /// The path is right even if the executable has been replaced since its start.
    fn default() -> HostExecutable {
        HostExecutable {
            path: "/proc/self/exe".into(),
            args: vec![HostExecutable::SUBCOMMAND.into()],
        }
    }
}
