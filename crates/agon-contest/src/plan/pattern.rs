//! Patterns: texts of bots with a `*`, each of which stands for many bots.
//!
//! Plans and `agon compare --against` take them.

use std::path::{Path, PathBuf};

use agon_match::spec::MANIFEST;
use glob::MatchOptions;

/// A text of bots, such as `python3 bots/*.py --fast`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotPattern<'a> {
    /// What stands before the path.
    before: &'a str,
    /// The path with its `*`, without quotes.
    path: &'a str,
    /// What stands behind it.
    behind: &'a str,
}

impl<'a> BotPattern<'a> {
    /// Returns the pattern in the text of bots whose paths start in `folder`; `None` if it names
    /// one bot.
    ///
    /// A path with blanks needs quotes, unless nothing but the path's kind stands before it.
    pub fn of(text: &'a str, folder: &Path) -> Option<BotPattern<'a>> {
        let takes_none = ["builtin:", "connect:"].iter().any(|kind| text.contains(kind));
        if takes_none || folder.join(text).is_file() {
            return None;
        }
        let star = text.find('*')?;
        let mut quote = None;
        for (at, char) in text[..star].char_indices().filter(|(_, char)| "'\"".contains(*char)) {
            match quote {
                None => quote = Some((at, char)),
                Some((_, open)) if open == char => quote = None,
                Some(_) => {}
            }
        }
        if let Some((at, char)) = quote {
            let end = star + text[star..].find(char)?;
            return Some(BotPattern {
                before: &text[..at],
                path: &text[at + 1..end],
                behind: &text[end + 1..],
            });
        }
        let end = text[star..].find(' ').map_or(text.len(), |at| star + at);
        let after = |chars: &[char], text: &str| text.rfind(chars).map_or(0, |at| at + 1);
        // `my bots/*.py`: a path with blanks, if there is such a folder.
        let first = &text[..text[..star].find(' ').unwrap_or(star)];
        let alone = after(&[':', '='], first);
        let parent = text[alone..star].rfind('/').map(|end| &text[alone..alone + end]);
        let start = match parent {
            Some(parent) if parent.contains(' ') && folder.join(parent).is_dir() => alone,
            _ => after(&[' ', ':', '='], &text[..star]),
        };
        Some(BotPattern { before: &text[..start], path: &text[start..end], behind: &text[end..] })
    }

    /// Returns the files that it finds in `folder`, in order of their names, but no more than
    /// `most`. Hidden files, such as macOS writes beside others, are no bots.
    ///
    /// # Errors
    /// With everything that is wrong, a message for each problem.
    pub fn files(&self, folder: &Path, most: usize) -> Result<Vec<PathBuf>, Vec<String>> {
        let pattern = self.path;
        let full = if folder.as_os_str().is_empty() || self.path.starts_with('/') {
            self.path.to_owned()
        } else {
            format!("{}/{}", glob::Pattern::escape(&folder.display().to_string()), self.path)
        };
        let options = MatchOptions { require_literal_leading_dot: true, ..Default::default() };
        let found = glob::glob_with(&full, options)
            .map_err(|error| vec![format!("`{pattern}` is no pattern: {error}")])?;
        let mut files = Vec::new();
        let mut errors = Vec::new();
        for path in found {
            if files.len() == most {
                break;
            }
            match path {
                // People who may put a file into a folder could choose any file of the machine.
                Ok(path) if self.leads_out(folder, &path) => errors.push(format!(
                    "`{pattern}` finds {}, a link that leads elsewhere; remove it, or name the bot \
                     without `*`",
                    path.display()
                )),
                Ok(path) if path.is_file() || self.is_bot_folder(&path) => files.push(path),
                Ok(_) => {}
                Err(error) => errors.push(format!("`{pattern}`: {error}")),
            }
        }
        files.sort();
        if files.is_empty() && errors.is_empty() {
            let start = match folder.as_os_str().is_empty() {
                true => "the folder that `agon` was started in".to_owned(),
                false => format!("the plan's folder, {}", folder.display()),
            };
            errors.push(format!("`{pattern}` finds no file; patterns start in {start}"));
        }
        if errors.is_empty() { Ok(files) } else { Err(errors) }
    }

    /// Returns the text of one bot: that of the pattern with a file in its place.
    pub fn text_of(&self, file: &Path) -> String {
        let alone = !self.before.contains(' ') && self.behind.is_empty();
        format!("{}{}{}", self.before, word(file, alone), self.behind)
    }

    /// Returns whether a folder that it finds is a bot: it has a manifest, or the pattern is for
    /// folders only, as in `submissions/*/`.
    fn is_bot_folder(&self, path: &Path) -> bool {
        path.join(MANIFEST).is_file() || self.path.ends_with('/') && path.is_dir()
    }

    /// Returns whether a path that was found lies outside the folder in which the search began,
    /// after all links are resolved.
    fn leads_out(&self, folder: &Path, found: &Path) -> bool {
        let fixed = &self.path[..self.path.find('*').unwrap_or(self.path.len())];
        let start = folder.join(fixed.rfind('/').map_or("", |end| &fixed[..=end]));
        let start = if start.as_os_str().is_empty() { Path::new(".") } else { &start };
        match (start.canonicalize(), found.canonicalize()) {
            (Ok(start), Ok(found)) => !found.starts_with(start),
            _ => true,
        }
    }
}

/// Returns a path as a word of a command line.
pub(super) fn word(path: &Path, alone: bool) -> String {
    let text = path.display().to_string();
    if alone || !text.contains([' ', '\'', '"', '\\']) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The parts of the pattern in a text, whose paths start in a folder that has `my bots`.
    #[track_caller]
    fn parts(text: &str) -> Option<[String; 3]> {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("my bots")).unwrap();
        let pattern = BotPattern::of(text, folder.path())?;
        Some([pattern.before, pattern.path, pattern.behind].map(str::to_owned))
    }

    #[test]
    fn patterns_are_single_words_paths_with_blanks_or_quoted() {
        for (text, expected) in [
            ("python3 bots/*.py --fast", ["python3 ", "bots/*.py", " --fast"]),
            ("wasm:bots/*.c", ["wasm:", "bots/*.c", ""]),
            ("my bots/*/", ["", "my bots/*/", ""]),
            ("jsonl:my bots/*.py --fast", ["jsonl:", "my bots/*.py", " --fast"]),
            ("python3 'my bots/*.py' -x", ["python3 ", "my bots/*.py", " -x"]),
            ("python3 \"Bob's bots/*.py\"", ["python3 ", "Bob's bots/*.py", ""]),
            ("your bots/*.py", ["your ", "bots/*.py", ""]),
        ] {
            assert_eq!(parts(text), Some(expected.map(str::to_owned)), "{text}");
        }
        for text in ["builtin:a?b=*", "bots/a.c", "connect:there/*"] {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
