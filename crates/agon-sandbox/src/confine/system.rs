//! The parts of the system that every program sees: system folders, settings and harmless devices.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Folders of the system, with installed files and no user's data.
const FOLDERS: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Files below `/etc` that runtimes read: for the loader, the time zone, languages.
///
/// A star stands for any text.
const SETTINGS: [&str; 27] = [
    "alternatives",
    "crypto-policies",
    "dotnet",
    "erlang",
    "gemrc",
    "guile*",
    "java*",
    "julia",
    "ld-musl*",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "localtime",
    "lua",
    "mono",
    "os-release",
    "perl",
    "php*",
    "pki/tls/openssl.cnf",
    "python*",
    "R",
    "racket",
    "ruby*",
    "sbclrc",
    "ssl/openssl.cnf",
    "timezone",
];

/// Harmless device files, each with the machine's own that is shown.
///
/// Memory that processes share through `zero` counts for nobody. `full` gives zeros as well, and
/// no memory.
pub(super) const DEVICES: [(&str, &str); 5] = [
    ("null", "null"),
    ("zero", "full"),
    ("full", "full"),
    ("random", "random"),
    ("urandom", "urandom"),
];

/// Returns the existing folders and files of the system, by their common names.
pub(super) fn paths() -> Vec<PathBuf> {
    let folders = FOLDERS.iter().map(PathBuf::from).filter(|path| path.exists());
    folders.chain(settings()).collect()
}

fn settings() -> Vec<PathBuf> {
    let etc = Path::new("/etc");
    let names: Vec<_> =
        fs::read_dir(etc).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    let mut found = Vec::new();
    for setting in SETTINGS {
        match setting.strip_suffix('*') {
            Some(start) => found.extend(
                names
                    .iter()
                    .filter(|name| name.as_encoded_bytes().starts_with(start.as_bytes()))
                    .map(|name| etc.join(name)),
            ),
            None => found.push(etc.join(setting)),
        }
    }
    found.retain(|path| path.exists());
    found
}
