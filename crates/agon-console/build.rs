//! Compiles the starter kits into the program: writes the list of their files.
//!
//! `src/kits/kit.rs` includes the list, which has `include_str!` for each file.

use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, fs, io};

/// Folders that builds and interpreters leave behind if somebody tries a kit in place.
const LEFT_BEHIND: [&str; 5] = ["target", "__pycache__", "node_modules", "bin", "obj"];

fn main() -> io::Result<()> {
    let variable = |name| env::var_os(name).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    let kits = variable("CARGO_MANIFEST_DIR")?.join("../../starter-kits").canonicalize()?;
    // Cargo watches all files below a folder, new ones too.
    println!("cargo::rerun-if-changed={}", kits.display());
    let mut files = Vec::new();
    list(&kits, &mut files)?;
    files.sort();
    let mut text = "&[\n".to_owned();
    for file in files {
        let path = file.strip_prefix(&kits).map_err(io::Error::other)?;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    ({path:?}, include_str!({file:?})),");
    }
    text.push_str("]\n");
    fs::write(variable("OUT_DIR")?.join("kits.rs"), text)
}

/// Appends all files below a folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            files.push(entry.path());
        } else if !LEFT_BEHIND.iter().any(|&name| entry.file_name() == name) {
            list(&entry.path(), files)?;
        }
    }
    Ok(())
}
