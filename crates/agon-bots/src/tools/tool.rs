//! A compiler or runtime of this machine, found or missing, as `agon doctor` shows it.

use std::path::PathBuf;

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
