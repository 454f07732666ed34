//! Reads the bots of a plan: patterns become files, and each bot gets a name of its own.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use agon_core::did_you_mean;
use agon_text::escape;

use super::{
    BotAbout, MAX_BOTS, PlanBot,
    bot_names::{Entry, name_all},
    pattern::{BotPattern, word},
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
        let Some(pattern) = BotPattern::of(text, folder) else {
            let spec = with_folder(text, folder);
            let path = folder.join(text).exists().then(|| without_extension(text, folder));
            let about = about.clone();
            entries.push(Entry { name, text: text.to_owned(), path, spec, about, span });
            return;
        };
        // One more than allowed is enough to know that there are too many.
        let files = match pattern.files(folder, MAX_BOTS + 1) {
            Ok(files) => files,
            Err(errors) => {
                return errors
                    .iter()
                    .for_each(|error| problems.add(span.clone(), error.to_string()));
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
            entries.push(Entry {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_front_are_names_only() {
        assert_eq!(split_name("rosa=python3 bot.py"), (Some("rosa".to_owned()), "python3 bot.py"));
        assert_eq!(split_name("builtin:swarm?rich=50"), (None, "builtin:swarm?rich=50"));
    }
}
