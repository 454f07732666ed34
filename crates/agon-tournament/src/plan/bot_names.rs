//! Gives each bot of a plan a name of its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
};

use agon_text::{MAX_NAME, check_name, name::cut, shown_name};

use super::{BotAbout, PlanBot, toml_table::Problems};

/// A bot before all names are known.
pub(super) struct Entry {
    pub(super) name: Option<String>,
    /// As it stands in the plan, with patterns filled in: relative to the plan.
    pub(super) text: String,
    /// The path that names it, without a file's extension, if the text has only one.
    pub(super) path: Option<PathBuf>,
    pub(super) spec: String,
    pub(super) about: BotAbout,
    pub(super) span: Range<usize>,
}

/// Gives each bot a name of its own, and notes bots that are there twice as problems.
pub(super) fn name_all(entries: &[Entry], problems: &Problems<'_>) -> Vec<PlanBot> {
    let mut explicit: BTreeMap<&str, usize> = BTreeMap::new();
    let mut specs: BTreeMap<(&str, Option<&str>), usize> = BTreeMap::new();
    for entry in entries {
        let line = problems.line(entry.span.start);
        if let Some(name) = &entry.name
            && let Err(error) = check_name(name)
        {
            problems.add(entry.span.clone(), error.to_string());
        }
        if let Some(name) = &entry.name
            && let Some(other) = explicit.insert(name, line)
        {
            problems.add(
                entry.span.clone(),
                format!("the name `{name}` is taken by the bot of line {other}"),
            );
            continue;
        }
        if let Some(other) = specs.insert((&entry.spec, entry.name.as_deref()), line) {
            let text = &entry.text;
            problems.add(
                entry.span.clone(),
                format!(
                    "`{text}` plays already, see line {other}; give it a `name` to let it play \
                    twice"
                ),
            );
        }
    }
    let mut names: Vec<String> = entries
        .iter()
        .map(|entry| entry.name.clone().unwrap_or_else(|| short_name(entry, 1)))
        .collect();
    // Names that clash take in more of the path, then all of the text, then a number.
    for depth in 2..8 {
        for at in clashing(&names, entries) {
            names[at] = short_name(&entries[at], depth);
        }
    }
    for at in clashing(&names, entries) {
        names[at] = shown_name(entries[at].text.trim_start_matches("builtin:")).into_owned();
    }
    // No other bot gets a name that the plan gives, even if it comes first.
    let mut used: BTreeSet<String> =
        entries.iter().filter_map(|entry| entry.name.clone()).collect();
    for (name, entry) in names.iter_mut().zip(entries) {
        if entry.name.is_some() {
            continue;
        }
        let base = name.clone();
        let mut number = 2;
        while !used.insert(name.clone()) {
            let end = format!("-{number}");
            *name = format!("{}{end}", cut(&base, MAX_NAME - end.len()));
            number += 1;
        }
    }
    entries
        .iter()
        .zip(names)
        .map(|(entry, name)| PlanBot {
            name,
            text: entry.text.clone(),
            spec: entry.spec.clone(),
            about: entry.about.clone(),
        })
        .collect()
}

/// Returns the entries without an explicit name that share their name with others.
fn clashing(names: &[String], entries: &[Entry]) -> Vec<usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    (0..names.len())
        .filter(|&at| entries[at].name.is_none() && counts[names[at].as_str()] > 1)
        .collect()
}

/// Returns such a name in a form that is safe to show.
fn short_name(entry: &Entry, depth: usize) -> String {
    let name = match &entry.path {
        Some(path) => end_of(path, depth),
        None => short(&entry.text, depth),
    };
    shown_name(&name).into_owned()
}

/// Returns a name from the last `depth` parts of the path in a bot's text, without the file's
/// extension.
fn short(text: &str, depth: usize) -> String {
    if let Some(rest) = text.strip_prefix("builtin:") {
        return rest
            .split_once('?')
            .filter(|_| depth < 2)
            .map_or(rest, |(name, _)| name)
            .to_owned();
    }
    // In `python3 bots/a.py --fast`, the word that is a path, or that of a file, or the program.
    let words: Vec<&str> = text.split(' ').collect();
    let file = words.iter().find(|word| word.contains('/') && !word.starts_with('/'));
    let is_file = |word: &&&str| {
        let extension = word.rsplit_once('.').map_or("", |(_, extension)| extension);
        !word.starts_with('-') && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let file = file.or_else(|| words.iter().find(is_file));
    let file = file.unwrap_or(&words[0]);
    let path = Path::new(file.rsplit_once(':').map_or(*file, |(_, path)| path));
    end_of(&path.with_extension(""), depth)
}

/// Returns the last `depth` parts of a path.
fn end_of(path: &Path, depth: usize) -> String {
    let mut parts: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.drain(..parts.len().saturating_sub(depth));
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_paths() {
        assert_eq!(short("bots/alice/bot.c", 1), "bot");
        assert_eq!(short("bots/alice/bot.c", 2), "alice/bot");
        assert_eq!(short("python3 bots/a.py --fast", 1), "a");
        assert_eq!(short("python3.11 a.py level 0.2 weights.txt", 1), "a");
        assert_eq!(short("wasm:bots/a.c", 1), "a");
        assert_eq!(short("builtin:swarm?rich=50", 1), "swarm");
        assert_eq!(short("builtin:swarm?rich=50", 2), "swarm?rich=50");
    }
}
