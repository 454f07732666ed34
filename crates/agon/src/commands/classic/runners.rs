//! Runners of binfection by their names alone, as the classic program takes them.

use std::{fs, path::Path};

use agon_core::did_you_mean;
use anyhow::{Result, bail};

/// Where the classic program keeps runners.
pub(super) const FOLDER: &str = "test/runners";

/// What a runner's file usually ends in.
const ENDING: &str = "sh";

/// A bot as `agon play` takes it. A name without a folder that is no file here is looked for in
/// `folder`, as it is and with `.sh` behind it.
///
/// # Errors
/// If there is no such file, but one in `folder` that was probably meant.
pub(super) fn find(text: &str, folder: &Path) -> Result<String> {
    let (name, word) = match text.split_once('=') {
        Some((name, word)) if !is_here(text) => (Some(name), word),
        _ => (None, text),
    };
    if word.is_empty() || word == "human" || word.contains(['/', ':']) || is_here(word) {
        return Ok(text.to_owned());
    }
    let files = [word.to_owned(), format!("{word}.{ENDING}")];
    if let Some(path) = files.iter().map(|file| folder.join(file)).find(|path| path.is_file()) {
        let path = path.to_string_lossy().into_owned();
        return Ok(name.map_or(path.clone(), |name| format!("{name}={path}")));
    }
    let known = names(folder);
    if let Some(meant) = did_you_mean(word, known.iter().map(String::as_str)) {
        bail!("there is no file `{word}` here or in {}; did you mean `{meant}`?", folder.display());
    }
    Ok(text.to_owned())
}

fn is_here(word: &str) -> bool {
    Path::new(word).is_file()
}

/// The names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    let mut names: Vec<String> =
        files.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_names_are_looked_for_in_the_folder_of_runners() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["alice.sh", "bob", "my fox.sh", "human.sh"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let path = |file: &str| folder.path().join(file).to_str().unwrap().to_owned();
        let found = |text: &str| find(text, folder.path()).unwrap();
        for text in ["alice", "alice.sh"] {
            assert_eq!(found(text), path("alice.sh"));
        }
        assert_eq!([found("bob"), found("my fox")], [path("bob"), path("my fox.sh")]);
        assert_eq!(found("rosa=bob"), format!("rosa={}", path("bob")));
        for text in [
            "builtin:random",
            "./bob",
            "human",
            "python3 bob",
            "Cargo.toml",
            "",
            "rosa=",
            "jsonl:bob",
            "unheard",
        ] {
            assert_eq!(found(text), text);
        }
        let error = find("alise.sh", folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("there is no file `alise.sh` here or in "), "{error}");
        assert!(error.ends_with("did you mean `alice.sh`?"), "{error}");
        assert_eq!(find("alice", &folder.path().join("missing")).unwrap(), "alice");
    }
}
