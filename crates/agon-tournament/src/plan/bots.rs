//! Reads the bots of a plan: patterns become files, and each bot gets a name of its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use agon_spec::MANIFEST;
use agon_text::{MAX_NAME, check_name, name::cut, shown_name};

use super::{
    MAX_BOTS,
    toml_table::{Problems, Section},
};

/// A bot of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanBot {
    /// Its name, which no other bot of the plan has.
    pub name: String,
    /// As it stands in the plan, with its pattern filled in: paths are relative to the plan.
    pub text: String,
    /// The same with the plan's folder in front of paths: what `agon play` would take.
    #[serde(skip)]
    pub spec: String,
}

/// A bot before all names are known.
struct Entry {
    name: Option<String>,
    /// As it stands in the plan, with patterns filled in: relative to the plan.
    text: String,
    spec: String,
    span: Range<usize>,
}

/// Reads `bots` and `[[bot]]`.
pub(super) fn read(top: &mut Section<'_>, folder: &Path, problems: &Problems<'_>) -> Vec<PlanBot> {
    let mut entries = Vec::new();
    if let Some(list) = top.get("bots") {
        for item in list.list() {
            if let Some(text) = item.string() {
                let (name, text) = split_name(&text);
                expand(&mut entries, name, text, item.span(), folder, problems);
            }
            if is_full(&entries, item.span(), problems) {
                return name_all(&entries, problems);
            }
        }
    }
    if let Some(list) = top.get("bot") {
        for item in list.list() {
            let Some(mut table) = item.table("[[bot]]") else { continue };
            let name = table.string("name");
            let given = ["command", "builtin", "glob"].map(|key| Some((key, table.string(key)?)));
            match given.into_iter().flatten().collect::<Vec<_>>().as_slice() {
                [(key, text)] => {
                    let text =
                        if *key == "builtin" { format!("builtin:{text}") } else { text.clone() };
                    if *key == "glob" && name.is_some() {
                        table.problem(
                            "a `glob` may find several bots, which get names of their own: leave \
                             out `name`",
                        );
                    }
                    if *key == "glob" && pattern_word(&text).is_none() {
                        table.problem(format!(
                            "the glob `{text}` has no `*`; one file is a `command`"
                        ));
                    }
                    expand(&mut entries, name, &text, item.span(), folder, problems);
                }
                [] => table.problem("a [[bot]] needs one of `command`, `builtin`, `glob`"),
                _ => table.problem("a [[bot]] has only one of `command`, `builtin`, `glob`"),
            }
            table.finish();
            if is_full(&entries, item.span(), problems) {
                return name_all(&entries, problems);
            }
        }
    }
    name_all(&entries, problems)
}

/// Returns whether there are too many bots, and notes that as a problem.
fn is_full(entries: &[Entry], span: Range<usize>, problems: &Problems<'_>) -> bool {
    let is_full = entries.len() > MAX_BOTS;
    if is_full {
        problems.add(
            span,
            format!("here the plan has more than {MAX_BOTS} bots, the most of a tournament"),
        );
    }
    is_full
}

/// `rosa=python3 bot.py`: the name and the rest.
fn split_name(text: &str) -> (Option<String>, &str) {
    match text.split_once('=') {
        Some((name, rest)) if is_name(name) && !rest.is_empty() => (Some(name.to_owned()), rest),
        _ => (None, text),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
}

/// Splits a command line at its word with a `*`: the text before it, the word, the text after it.
/// Built-in bots have no such word.
fn pattern_word(text: &str) -> Option<(&str, &str, &str)> {
    if text.starts_with("builtin:") {
        return None;
    }
    let star = text.find('*')?;
    let start = text[..star].rfind([' ', ':']).map_or(0, |at| at + 1);
    let end = text[star..].find(' ').map_or(text.len(), |at| star + at);
    Some((&text[..start], &text[start..end], &text[end..]))
}

fn expand(
    entries: &mut Vec<Entry>,
    name: Option<String>,
    text: &str,
    span: Range<usize>,
    folder: &Path,
    problems: &Problems<'_>,
) {
    let Some((before, pattern, behind)) = pattern_word(text) else {
        let spec = with_folder(text, folder);
        entries.push(Entry { name, text: text.to_owned(), spec, span });
        return;
    };
    let full = if folder.as_os_str().is_empty() || pattern.starts_with('/') {
        pattern.to_owned()
    } else {
        format!("{}/{pattern}", glob::Pattern::escape(&folder.display().to_string()))
    };
    let found = match glob::glob(&full) {
        Ok(found) => found,
        Err(error) => return problems.add(span, format!("`{pattern}` is no pattern: {error}")),
    };
    let mut files: Vec<PathBuf> = Vec::new();
    // One more than allowed is enough to know that there are too many.
    for path in found {
        if files.len() > MAX_BOTS {
            break;
        }
        match path {
            Ok(path) if path.is_file() || is_bot_folder(&path, pattern) => files.push(path),
            Ok(_) => {}
            Err(error) => problems.add(span.clone(), format!("`{pattern}`: {error}")),
        }
    }
    files.sort();
    if files.is_empty() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let start = folder.display();
        problems.add(
            span.clone(),
            format!("`{pattern}` finds no file; patterns start in the plan's folder, {start}"),
        );
    }
    if name.is_some() && files.len() > 1 {
        problems.add(
            span.clone(),
            "one name for several files: leave it out, they get names of their own",
        );
    }
    for file in files {
        let relative = file.strip_prefix(folder).unwrap_or(&file).display();
        let text = format!("{before}{relative}{behind}");
        let spec =
            format!("{before}{}{behind}", word(&file, before.is_empty() && behind.is_empty()));
        entries.push(Entry { name: name.clone(), text, spec, span: span.clone() });
    }
}

/// Returns whether a folder that a pattern finds is a bot: it has a manifest, or the pattern is for
/// folders only, as in `submissions/*/`.
fn is_bot_folder(path: &Path, pattern: &str) -> bool {
    path.join(MANIFEST).is_file() || pattern.ends_with('/') && path.is_dir()
}

/// Returns the text with the paths of files in the plan's folder in place of their names.
fn with_folder(text: &str, folder: &Path) -> String {
    if text.starts_with("builtin:") || folder.as_os_str().is_empty() || text.contains(['"', '\'']) {
        return text.to_owned();
    }
    if folder.join(text).exists() {
        return word(&folder.join(text), true);
    }
    let one = |part: &str| {
        let (kind, path) = match part.split_once(':') {
            Some((kind, path)) if kind.bytes().all(|b| b.is_ascii_lowercase()) => {
                (&part[..=kind.len()], path)
            }
            _ => ("", part),
        };
        let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
        if path.is_empty() || !folder.join(path).is_file() {
            return part.to_owned();
        }
        format!("{kind}{}{query}", word(&folder.join(path), false))
    };
    text.split(' ').map(one).collect::<Vec<_>>().join(" ")
}

/// Returns a path as a word of a command line.
fn word(path: &Path, alone: bool) -> String {
    let text = path.display().to_string();
    if alone || !text.contains([' ', '\'', '"', '\\']) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Gives each bot a name of its own, and notes bots that are there twice as problems.
fn name_all(entries: &[Entry], problems: &Problems<'_>) -> Vec<PlanBot> {
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
        .map(|entry| entry.name.clone().unwrap_or_else(|| short_name(&entry.text, 1)))
        .collect();
    // Names that clash take in more of the path, then all of the text, then a number.
    for depth in 2..8 {
        for at in clashing(&names, entries) {
            names[at] = short_name(&entries[at].text, depth);
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
        .map(|(entry, name)| PlanBot { name, text: entry.text.clone(), spec: entry.spec.clone() })
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
fn short_name(text: &str, depth: usize) -> String {
    shown_name(&short(text, depth)).into_owned()
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
    // In `python3 bots/a.py --fast`, the word that is a path, or else the program.
    let words: Vec<&str> = text.split(' ').collect();
    let file = words.iter().find(|word| word.contains('/') && !word.starts_with('/'));
    let file = file
        .or_else(|| words.iter().rev().find(|word| word.contains('.') && !word.starts_with('-')));
    let file = file.unwrap_or(&words[0]);
    let path = Path::new(file.rsplit_once(':').map_or(*file, |(_, path)| path));
    let mut parts: Vec<String> = path
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
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
        assert_eq!(short("wasm:bots/a.c", 1), "a");
        assert_eq!(short("builtin:swarm?rich=50", 1), "swarm");
        assert_eq!(short("builtin:swarm?rich=50", 2), "swarm?rich=50");
    }

    #[test]
    fn names_in_front_are_names_only() {
        assert_eq!(split_name("rosa=python3 bot.py"), (Some("rosa".to_owned()), "python3 bot.py"));
        assert_eq!(split_name("builtin:swarm?rich=50"), (None, "builtin:swarm?rich=50"));
    }

    #[test]
    fn patterns_are_single_words() {
        assert_eq!(
            pattern_word("python3 bots/*.py --fast"),
            Some(("python3 ", "bots/*.py", " --fast"))
        );
        assert_eq!(pattern_word("wasm:bots/*.c"), Some(("wasm:", "bots/*.c", "")));
        assert_eq!(pattern_word("builtin:a?b=*"), None);
        assert_eq!(pattern_word("bots/a.c"), None);
    }
}
