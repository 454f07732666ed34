//! Decides which folders a Clojure file may read: those with the files that it requires.
//!
//! The sandbox of its JVM shows these folders and hides the other bots of the match.

use std::path::{Path, PathBuf, absolute};
use std::{io::Read, sync::Arc};

use crate::sandbox::{Level, is_others, own_folder};
use crate::{Snapshot, open_beneath::open_file};

/// The search for a file's namespace reads at most this many bytes.
const START: u64 = 64 << 10;

/// Returns the folders that a file may read.
///
/// These are its own folder, the folder that its namespace is found from, and `src` here. A folder
/// that keeps many things is never one of them: of `~`, a file of `amoebas.fox` sees only
/// `~/amoebas`. In a strict sandbox it sees its own folder alone. A bot with a home sees no other
/// folder, whatever its namespace is.
pub(crate) fn of_file(file: &Path, level: Level, snapshots: &[Arc<Snapshot>]) -> Vec<PathBuf> {
    let file = absolute(file).unwrap_or_else(|_| file.to_owned());
    if let Some(home) = Snapshot::homes(snapshots).find(|home| file.starts_with(home)) {
        return vec![home.to_owned()];
    }
    match level {
        Level::Strict => own_folder(&file),
        Level::Default | Level::Off => places(&file, absolute("src").ok().as_deref()),
    }
}

/// Removes the places with other bots of the match; a file always sees its own folder.
pub(super) fn without_bots(places: Vec<PathBuf>, file: &Path, bots: &[PathBuf]) -> Vec<PathBuf> {
    let own = own_folder(&absolute(file).unwrap_or_else(|_| file.to_owned()));
    let is_own = |path: &Path| own.iter().any(|own| path.starts_with(own));
    let has_others = |place: &Path| bots.iter().any(|bot| bot.starts_with(place) && !is_own(bot));
    places.into_iter().filter(|place| is_own(place) || !has_others(place)).collect()
}

fn places(file: &Path, sources: Option<&Path>) -> Vec<PathBuf> {
    let mut places = own_folder(file);
    places.extend(root(&file.canonicalize().unwrap_or(file.to_owned())));
    for folder in sources.into_iter().filter(|folder| folder.is_dir()) {
        places.push(folder.to_owned());
        places.extend(folder.canonicalize());
    }
    places
}

/// Returns the folder that a file's namespace is found from, if its path fits.
fn root(file: &Path) -> Option<PathBuf> {
    let mut bytes = Vec::new();
    let opened = open_file(file, None).ok()?;
    opened.take(START).read_to_end(&mut bytes).ok()?;
    let start = String::from_utf8_lossy(&bytes);
    let namespace = namespace(&start)?;
    let path = format!("{}.clj", namespace.replace('-', "_").replace('.', "/"));
    if !file.ends_with(&path) {
        return None;
    }
    let root = file.ancestors().nth(Path::new(&path).components().count())?;
    let first = Path::new(&path).components().next()?;
    match is_others(root) {
        false => Some(root.to_owned()),
        // Without a folder for the namespace this adds nothing: the file sees only its own.
        true => Some(root.join(first)).filter(|folder| folder.is_dir()),
    }
}

/// Reads the namespace at the start of a file: `(ns NAME ...)` or `(in-ns 'NAME)`.
fn namespace(text: &str) -> Option<String> {
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text) };
    reader.skip_blank();
    reader.rest = reader.rest.strip_prefix('(')?;
    let word = reader.symbol()?;
    if !["ns", "in-ns"].contains(&word.strip_prefix("clojure.core/").unwrap_or(word)) {
        return None;
    }
    reader.skip_blank();
    reader.rest = reader.rest.strip_prefix('\'').unwrap_or(reader.rest);
    let name = reader.symbol()?;
    name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c)).then(|| name.to_owned())
}

/// A small part of Clojure's reader, enough for the beginning of a file.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Skips space, comments, forms that are commented out, and metadata.
    fn skip_blank(&mut self) {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if self.rest.starts_with(';') || self.rest.starts_with("#!") {
                self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
            } else if let Some(rest) =
                ["#_", "#^", "^"].iter().find_map(|sign| self.rest.strip_prefix(sign))
            {
                self.rest = rest;
                self.skip_form();
            } else {
                return;
            }
        }
    }

    /// Skips a form: a symbol, a string, or everything within brackets.
    fn skip_form(&mut self) {
        self.skip_blank();
        let mut depth = 0;
        while let Some(c) = self.rest.chars().next() {
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                '"' => self.skip_string(),
                '\\' => self.rest = self.rest.get(1..).unwrap_or_default(),
                ';' => self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            let ends =
                self.rest.starts_with(|c: char| c.is_whitespace() || ",()[]{}\"".contains(c));
            if depth <= 0 && (ends || matches!(c, '"' | ')' | ']' | '}')) {
                return;
            }
        }
    }

    /// Skips the rest of a string.
    fn skip_string(&mut self) {
        let mut escaped = false;
        let end = self.rest.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        self.rest = end.map_or("", |end| &self.rest[end + 1..]);
    }

    fn symbol(&mut self) -> Option<&'a str> {
        self.skip_blank();
        let end = self.rest.find(|c: char| c.is_whitespace() || ",()[]{}\";".contains(c));
        let (symbol, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        Some(symbol).filter(|symbol| !symbol.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_namespace_of_a_file_is_found() {
        for text in [
            "(ns amoebas.fox)",
            "\u{feff}; a fox\n\n(ns amoebas.fox (:use amoebas.lib))",
            "#!/bin/clj\n(ns ^{:doc \"a \\\" ) fox\" :c \\)} ^:private amoebas.fox \"of mine\")",
            "#_(ns other [1 2]) #_x\n( clojure.core/ns #^{:a 1} amoebas.fox)",
            "(in-ns 'amoebas.fox)",
            "(ns\n  ;; mine\n  amoebas.fox\n)",
        ] {
            assert_eq!(namespace(text).as_deref(), Some("amoebas.fox"), "{text}");
        }
        for text in [
            "",
            "(",
            "(ns",
            "(ns)",
            "(ns \"x\")",
            "(def a 1)",
            "ns a",
            "#_",
            "^",
            "(ns a/b)",
            "\\",
            "(ns ^\"é",
        ] {
            assert_eq!(namespace(text), None, "{text}");
        }
    }

    #[test]
    fn a_file_reads_from_the_root_of_its_namespace() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let own = top.join("code/amoebas/my_cup/fox");
        fs::create_dir_all(&own).unwrap();
        let file = own.join("core.clj");
        let places = |text: &str| {
            fs::write(&file, text).unwrap();
            places(&file, None)
        };
        assert_eq!(places("(ns amoebas.my-cup.fox.core)"), [own.clone(), top.join("code")]);
        assert_eq!(places("(ns other)"), std::slice::from_ref(&own));
        assert_eq!(places("(ns fox.core)"), [own.clone(), top.join("code/amoebas/my_cup")]);
        assert_eq!(root(Path::new("/nothing.clj")), None);
        let code = top.join("code");
        let [here, nowhere] = [&code, &file].map(|sources| super::places(&file, Some(sources)));
        assert_eq!(
            (here.contains(&code), nowhere),
            (true, [own, top.join("code/amoebas/my_cup")].to_vec())
        );
    }
}
