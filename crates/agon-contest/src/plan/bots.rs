//! The bots of a plan, and what it tells of them and of the tournament: titles, authors, notes, and
//! which bots are out.
//!
//! Patterns become files, and each bot gets a name of its own. Nothing in [`BotAbout`] and
//! [`PlanAbout`] is in the plan's digest ([`super::Plan::digest`]): a note may be added, or a bot
//! withdrawn, while the tournament goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use agon_core::text::{MAX_NAME, check_name, escape, shown_name};
use agon_core::{did_you_mean, text::name::cut};
use serde::{Deserialize, Serialize};

use super::toml_table::{Item, Problems, Section};
use super::{BotPattern, word};

/// The most matches at a time, also for `--jobs`.
pub const MAX_JOBS: usize = 4096;

/// The most bots of a plan.
pub const MAX_BOTS: usize = 10_000;

/// The most bots in a round robin, a Swiss system or an elimination: there all pairs are planned or
/// weighed, or each loss moves others.
pub const MAX_PAIRED_BOTS: usize = 2_000;

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
    /// Author, note, and whether it is out.
    #[serde(skip)]
    pub about: BotAbout,
}

/// The most bytes of `notes`, `note` and reasons.
const MAX_TEXT: usize = 4096;

/// What a plan tells of the tournament as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanAbout {
    /// The name of the tournament.
    pub title: Option<String>,
    /// What readers of the report should know.
    pub notes: Option<String>,
    /// What happens to bots that cannot be opened.
    pub missing: Missing,
}

/// What happens to bots that cannot be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// They are not scheduled. One that has played already forfeits its open matches.
    #[default]
    Skip,
    /// They are scheduled, and forfeit all matches.
    Forfeit,
    /// The tournament does not begin.
    Stop,
}

/// What a plan tells of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BotAbout {
    /// Who wrote it.
    pub author: Option<String>,
    /// What readers should know of it.
    pub note: Option<String>,
    /// Why it takes no further part. It is not opened, and forfeits its open matches.
    pub out: Option<Out>,
    /// Whether the plan says `public`, which older versions of Agon needed for volunteers. It
    /// means nothing any more.
    #[serde(skip_serializing)]
    pub is_public: bool,
}

/// Why a bot takes no further part in a tournament. The reason is a sentence of the organiser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Out {
    /// Its results count, but it has no place in the table.
    Disqualified(String),
    /// It keeps its place in the table.
    Withdrawn(String),
}

impl Out {
    /// Returns it in words: `disqualified: copied from a friend`.
    pub fn words(&self) -> String {
        match self {
            Out::Disqualified(reason) => format!("disqualified: {reason}"),
            Out::Withdrawn(reason) => format!("withdrawn: {reason}"),
        }
    }
}

impl PlanAbout {
    pub(super) fn read(top: &mut Section<'_>) -> PlanAbout {
        let words =
            [("skip", Missing::Skip), ("forfeit", Missing::Forfeit), ("stop", Missing::Stop)];
        PlanAbout {
            title: text(top, "title", MAX_NAME),
            notes: text(top, "notes", MAX_TEXT),
            missing: top.get("missing").and_then(|item| item.word(&words)).unwrap_or_default(),
        }
    }
}

impl BotAbout {
    /// Reads `author`, `note`, `public`, `disqualified` and `withdrawn` of a `[[bot]]`.
    pub(super) fn read(table: &mut Section<'_>) -> BotAbout {
        let author = text(table, "author", MAX_NAME);
        let note = text(table, "note", MAX_TEXT);
        let disqualified = text(table, "disqualified", MAX_TEXT);
        let withdrawn = text(table, "withdrawn", MAX_TEXT);
        if disqualified.is_some() && withdrawn.is_some() {
            table.problem("a bot is either `disqualified` or `withdrawn`");
        }
        let out = disqualified.map(Out::Disqualified).or(withdrawn.map(Out::Withdrawn));
        let is_public = table.boolean("public").unwrap_or_default();
        BotAbout { author, note, out, is_public }
    }

    /// Returns whether nothing is told.
    pub(super) fn is_empty(&self) -> bool {
        *self == BotAbout::default()
    }
}

/// Reads a text that is not empty, of at most `most` bytes.
fn text(section: &mut Section<'_>, key: &'static str, most: usize) -> Option<String> {
    let item = section.get(key)?;
    let text = item.string()?;
    if text.trim().is_empty() {
        item.problem(format!("`{key}` is empty: leave it out, or write a text"));
    }
    if text.len() > most {
        item.problem(format!("`{key}` has {} bytes, and {most} are the most", text.len()));
    }
    Some(text)
}

/// A `[[bot]]` without a bot of its own: it tells of the bot of that name.
struct Remark {
    name: String,
    about: BotAbout,
    span: Range<usize>,
}

/// Reads `bots` and `[[bot]]`.
pub(super) fn read(top: &mut Section<'_>, folder: &Path, problems: &Problems<'_>) -> Vec<PlanBot> {
    let mut reader = Reader { folder, problems, entries: Vec::new(), remarks: Vec::new() };
    let list = top.get("bots");
    let tables = top.get("bot");
    let items = list.iter().flat_map(Item::list).map(|item| (item, false));
    for (item, is_table) in items.chain(tables.iter().flat_map(Item::list).map(|item| (item, true)))
    {
        if !is_table && let Some(text) = item.string() {
            let (name, text) = split_name(&text);
            reader.expand(name, text, &BotAbout::default(), item.span());
        } else if is_table && let Some(table) = item.table("[[bot]]") {
            reader.table(table, item.span());
        }
        if reader.entries.len() > MAX_BOTS {
            item.problem(format!(
                "here the plan has more than {MAX_BOTS} bots, the most of a tournament"
            ));
            break;
        }
    }
    let mut bots = name_all(&reader.entries, problems);
    for Remark { name, about, span } in reader.remarks {
        match bots.iter_mut().find(|bot| bot.name == name) {
            Some(bot) if bot.about.is_empty() => bot.about = about,
            Some(_) => {
                let name = escape(&name);
                problems.add(span, format!("another [[bot]] tells of `{name}` already"));
            }
            None => {
                let known = bots.iter().map(|bot| bot.name.as_str());
                let hint = did_you_mean(&name, known).map_or_else(
                    || "`command`, `builtin` or `glob` add one".to_owned(),
                    |known| format!("did you mean `{known}`?"),
                );
                problems.add(span, format!("no bot has the name `{}`; {hint}", escape(&name)));
            }
        }
    }
    bots
}

/// A plan's bots while they are read.
struct Reader<'a> {
    folder: &'a Path,
    problems: &'a Problems<'a>,
    entries: Vec<FoundBot>,
    remarks: Vec<Remark>,
}

impl Reader<'_> {
    /// Reads a `[[bot]]`.
    fn table(&mut self, mut table: Section<'_>, span: Range<usize>) {
        let name = table.string("name");
        let about = BotAbout::read(&mut table);
        let given = ["command", "builtin", "glob"].map(|key| Some((key, table.string(key)?)));
        match (given.into_iter().flatten().collect::<Vec<_>>().as_slice(), name) {
            ([(key, text)], name) => {
                let text = if *key == "builtin" { format!("builtin:{text}") } else { text.clone() };
                if *key == "glob" && name.is_some() {
                    table.problem(
                        "a `glob` may find several bots, which get names of their own: leave out \
                         `name`",
                    );
                }
                if *key == "glob" && BotPattern::of(&text, self.folder).is_none() {
                    table.problem(format!("the glob `{text}` has no `*`; one file is a `command`"));
                }
                self.expand(name, &text, &about, span);
            }
            ([], Some(name)) if !about.is_empty() => {
                self.remarks.push(Remark { name, about, span })
            }
            ([], _) => table.problem(
                "a [[bot]] needs one of `command`, `builtin`, `glob`; with the `name` of a bot \
                 that the plan has already, one of `author`, `note`, `disqualified`, `withdrawn`",
            ),
            _ => table.problem("a [[bot]] has only one of `command`, `builtin`, `glob`"),
        }
        table.finish();
    }

    /// Adds the bots of a text: one, or one for each file that its pattern finds.
    fn expand(&mut self, name: Option<String>, text: &str, about: &BotAbout, span: Range<usize>) {
        let Reader { folder, problems, .. } = *self;
        let entries = &mut self.entries;
        let Some(pattern) = BotPattern::of(text, folder) else {
            let spec = with_folder(text, folder);
            let path = folder.join(text).exists().then(|| without_extension(text, folder));
            let about = about.clone();
            entries.push(FoundBot { name, text: text.to_owned(), path, spec, about, span });
            return;
        };
        // One more than allowed is enough to know that there are too many.
        let files = match pattern.files(folder, MAX_BOTS + 1) {
            Ok(files) => files,
            Err(errors) => {
                return errors.into_iter().for_each(|error| problems.add(span.clone(), error));
            }
        };
        if name.is_some() && files.len() > 1 {
            problems.add(
                span.clone(),
                "one name for several files: leave it out, they get names of their own",
            );
        }
        for file in files {
            let path = file.strip_prefix(folder).unwrap_or(&file).to_owned();
            entries.push(FoundBot {
                name: name.clone(),
                text: pattern.text_of(&path),
                path: Some(without_extension(&path, folder)),
                spec: pattern.text_of(&file),
                about: about.clone(),
                span: span.clone(),
            });
        }
    }
}

/// Returns a path in a folder, without the extension of a file.
fn without_extension(path: impl AsRef<Path>, folder: &Path) -> PathBuf {
    let path = path.as_ref();
    if folder.join(path).is_file() { path.with_extension("") } else { path.to_owned() }
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

/// A bot before all names are known.
struct FoundBot {
    name: Option<String>,
    /// As it stands in the plan, with patterns filled in: relative to the plan.
    text: String,
    /// The path that names it, without a file's extension, if the text has only one.
    path: Option<PathBuf>,
    spec: String,
    about: BotAbout,
    span: Range<usize>,
}

/// Gives each bot a name of its own, and notes bots that are there twice as problems.
fn name_all(entries: &[FoundBot], problems: &Problems<'_>) -> Vec<PlanBot> {
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
fn clashing(names: &[String], entries: &[FoundBot]) -> Vec<usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    (0..names.len())
        .filter(|&at| entries[at].name.is_none() && counts[names[at].as_str()] > 1)
        .collect()
}

/// Returns such a name in a form that is safe to show.
fn short_name(entry: &FoundBot, depth: usize) -> String {
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
    fn what_older_versions_saved_of_a_public_bot_is_read_and_not_written() {
        let saved = r#"{"author":"Ada","note":null,"out":null,"is_public":true}"#;
        let about: BotAbout = serde_json::from_str(saved).unwrap();
        assert!(about.is_public && about.author.as_deref() == Some("Ada"));
        assert!(!serde_json::to_string(&about).unwrap().contains("public"));
    }

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
