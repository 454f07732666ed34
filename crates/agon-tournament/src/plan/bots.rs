//! Reads the bots of a plan: patterns become files, and each bot gets a name of its own.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use agon_core::did_you_mean;
use agon_spec::{MANIFEST, leads_out};
use agon_text::escape;

use super::{
    BotAbout, MAX_BOTS, PlanBot,
    bot_names::{Entry, name_all},
    toml_table::{Item, Problems, Section},
};

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
    let room = list.map_or(Some(()), |list| reader.list(&list));
    if room.is_some()
        && let Some(tables) = tables
    {
        // If there are too many, the problem is noted.
        let _ = reader.tables(&tables);
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
    entries: Vec<Entry>,
    remarks: Vec<Remark>,
}

impl Reader<'_> {
    /// Reads `bots = [...]`. Returns `None` if there are too many bots.
    fn list(&mut self, list: &Item<'_>) -> Option<()> {
        for item in list.list() {
            if let Some(text) = item.string() {
                let (name, text) = split_name(&text);
                self.expand(name, text, &BotAbout::default(), item.span());
            }
            self.has_room(item.span())?;
        }
        Some(())
    }

    /// Reads all `[[bot]]`. Returns `None` if there are too many bots.
    fn tables(&mut self, list: &Item<'_>) -> Option<()> {
        for item in list.list() {
            if let Some(table) = item.table("[[bot]]") {
                self.table(table, item.span());
            }
            self.has_room(item.span())?;
        }
        Some(())
    }

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
                if *key == "glob" && pattern_word(&text).is_none() {
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

    /// Returns `None` if there are too many bots, and notes that as a problem.
    fn has_room(&self, span: Range<usize>) -> Option<()> {
        if self.entries.len() <= MAX_BOTS {
            return Some(());
        }
        let reason =
            format!("here the plan has more than {MAX_BOTS} bots, the most of a tournament");
        self.problems.add(span, reason);
        None
    }

    /// Adds the bots of a text: one, or one for each file that its pattern finds.
    fn expand(&mut self, name: Option<String>, text: &str, about: &BotAbout, span: Range<usize>) {
        let Reader { folder, problems, .. } = *self;
        let entries = &mut self.entries;
        let Some((before, pattern, behind)) = pattern_word(text) else {
            let spec = with_folder(text, folder);
            let about = about.clone();
            entries.push(Entry { name, text: text.to_owned(), spec, about, span });
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
                Ok(path) if leads_out(folder, pattern, &path) => {
                    let path = path.display();
                    let why = format!(
                        "`{pattern}` finds {path}, a link that leads elsewhere; remove it, or name \
                         the bot without `*`"
                    );
                    problems.add(span.clone(), why);
                }
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
            let name = name.clone();
            entries.push(Entry { name, text, spec, about: about.clone(), span: span.clone() });
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
