//! Untrusted texts do no harm: they are shown as they are, and endless files are refused.

mod limits;
mod streams;
#[path = "../../../agon-match/tests/support/mod.rs"]
pub(crate) mod support;
mod surfaces;

use std::{ffi::OsStr, fs, path::Path};

use crate::support::{Done, TestDir};

/// Text that commands a terminal, reorders what stands beside it, is not seen, or looks like a
/// style of Agon.
const EVIL: &str = "x\u{1b}]0;pwned\u{7}\u{1b}[1;31m\u{1b}[2J\u{9b}2J\u{7f}\
    \u{202e}\u{2066}\u{200b}\u{feff}\u{2028}y";

/// Styles of Agon and of the library that reads the command line.
const STYLES: [&str; 9] = ["0", "1", "2", "4", "1;31", "1;32", "1;33", "31", "33"];

/// Runs a command with colours, in which `EVIL` stands for that text; nothing that it writes may
/// hide anything.
#[track_caller]
fn shows(dir: &TestDir, line: &str) -> Done {
    let words = shlex::split(&format!("--color always {line}")).expect("quotes come in pairs");
    let words: Vec<String> = words.iter().map(|word| word.replace("EVIL", EVIL)).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = Done::of(dir.agon_with(&words).env_remove("NO_COLOR"));
    is_shown(&done.out, line);
    is_shown(&done.err, line);
    done
}

/// Checks that nothing hides in the files for people in a folder.
#[track_caller]
fn files_show(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        match path.extension().and_then(OsStr::to_str) {
            _ if path.is_dir() => files_show(&path),
            Some("agon" | "sqlite" | "png" | "wasm" | "ico") => {}
            _ => is_shown(&fs::read_to_string(&path).unwrap(), &path.display().to_string()),
        }
    }
}

/// Fails if a reader would not see all of it.
#[track_caller]
fn is_shown(text: &str, what: &str) {
    assert!(!text.contains("\u{1b}[1;31m\\u001b[2J"), "{what}: an imitated style passes");
    let mut text = text.to_owned();
    for style in STYLES {
        text = text.replace(&format!("\u{1b}[{style}m"), "");
    }
    let hidden = text.find(|c| agon_core::text::is_hidden(c) && !"\n\t".contains(c));
    let around = hidden.map(|at| text[..at].chars().rev().take(60).collect::<String>());
    let around = around.map(|text| text.chars().rev().collect::<String>());
    assert_eq!(around, None, "{what}: something hides behind this");
}
