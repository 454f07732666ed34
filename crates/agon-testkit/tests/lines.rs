//! Checks that lines of code have at most 100 columns, also where rustfmt does not look: in
//! strings, comments and macros.

use std::fs;
use std::path::{Path, PathBuf};

use super::architecture::sources;

/// `max_width` of rustfmt.toml.
const WIDTH: usize = 100;

/// Where the code is. The files are looked for, since a source need not be a checkout of git.
const FOLDERS: [&str; 5] = ["crates", "xtask", "fuzz", "starter-kits", "examples"];

/// Files with lines that cannot be broken, and why.
const EXCEPTIONS: &[(&str, &str)] = &[];

#[test]
fn lines_are_not_too_long() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> =
        FOLDERS.iter().flat_map(|folder| sources(&root.join(folder))).collect();
    files.sort();
    assert!(files.len() > 1_000, "{} files", files.len());
    let mut long = Vec::new();
    for file in &files {
        let name = file.strip_prefix(&root).expect("it is in the root").to_string_lossy();
        let text = fs::read_to_string(file).expect("sources are readable");
        let lines = text.lines().zip(1..).filter(|(line, _)| is_too_long(line));
        let found: Vec<String> = lines
            .map(|(line, number)| format!("{name}:{number}: {} columns", line.chars().count()))
            .collect();
        match EXCEPTIONS.iter().find(|(file, _)| *file == name) {
            Some((_, why)) => {
                assert!(!found.is_empty(), "{name} is no exception any more ({why})");
            }
            None => long.extend(found),
        }
    }
    assert!(long.is_empty(), "lines of more than {WIDTH} columns:\n{}", long.join("\n"));
}

/// A row of a table cannot be broken.
fn is_too_long(line: &str) -> bool {
    let is_row = ["//! |", "/// |"].iter().any(|row| line.trim_start().starts_with(row));
    line.chars().count() > WIDTH && !is_row
}

#[test]
fn rows_of_tables_may_be_long() {
    assert!(!is_too_long(&"é".repeat(WIDTH)));
    assert!(is_too_long(&"x".repeat(WIDTH + 1)));
    assert!(is_too_long(&format!("/// {}", "x".repeat(WIDTH))));
    assert!(!is_too_long(&format!("    /// | {} |", "x".repeat(WIDTH))));
}
