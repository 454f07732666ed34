//! Reads `.agonignore`: which files in a bot's folder do not belong to the bot.
//!
//! Each line is a pattern. Without `/` in the middle it goes for names at any depth, otherwise for
//! paths from the folder. `*` stands for any part of a name, `**` for any folders. A `/` at the end
//! means folders only. Lines that start with `#` are comments.

use std::path::Path;

use glob::{MatchOptions, Pattern};

use super::FolderError;
use crate::open_beneath::read_small;

/// The name of the file.
const IGNORE: &str = ".agonignore";

/// Names of folders that are never part of a bot.
const NEVER: [&str; 3] = [".git", "target", "__pycache__"];

const OPTIONS: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// The rules that leave files out.
#[derive(Debug, Default)]
pub(super) struct Ignored(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    pattern: Pattern,
    folders_only: bool,
    /// Whether it goes for names, at any depth.
    is_name: bool,
}

impl Ignored {
    /// Reads the file of a folder, if there is one.
    pub(super) fn of(folder: &Path) -> Result<Ignored, FolderError> {
        let path = folder.join(IGNORE);
        let text = match read_small(folder, Path::new(IGNORE)) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Ignored::default()),
            Err(source) => return Err(FolderError::Read { path, source }),
        };
        let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let rule = |(number, line): (usize, &str)| {
            Rule::parse(line).map_err(|why| {
                FolderError::of_settings(&path, format!("line {number}: `{line}`: {why}"))
            })
        };
        lines.map(rule).collect::<Result<_, _>>().map(Ignored)
    }

    /// Returns whether to leave out a path below the folder.
    pub(super) fn has(&self, path: &Path, is_folder: bool) -> bool {
        let name = path.file_name().unwrap_or_default();
        let never = is_folder && NEVER.iter().any(|never| name == *never);
        never || self.0.iter().any(|rule| rule.matches(path, is_folder))
    }
}

impl Rule {
    fn parse(line: &str) -> Result<Rule, String> {
        if line.starts_with('!') {
            return Err("`!` is not supported: name what to leave out".to_owned());
        }
        let folders_only = line.ends_with('/');
        let text = line.trim_end_matches('/');
        let is_name = !text.contains('/');
        let pattern = Pattern::new(text.trim_start_matches('/'));
        let pattern = pattern.map_err(|error| format!("it is no pattern: {error}"))?;
        Ok(Rule { pattern, folders_only, is_name })
    }

    fn matches(&self, path: &Path, is_folder: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        match path.file_name() {
            Some(name) if self.is_name => self.pattern.matches_path_with(Path::new(name), OPTIONS),
            _ => self.pattern.matches_path_with(path, OPTIONS),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn ignored(text: &str) -> Ignored {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(IGNORE), text).unwrap();
        Ignored::of(folder.path()).unwrap()
    }

    #[test]
    fn lines_are_patterns() {
        let ignored = ignored("# notes\n*.log\n/data\nnotes/\ndocs/**/*.pdf\n");
        let has = |path: &str| ignored.has(Path::new(path), false);
        assert!(has("a.log") && has("deep/b.log") && has("data") && has("docs/a/b/c.pdf"));
        assert!(!has("deep/data") && !has("notes") && !has("log") && !has("a.pdf"));
        assert!(ignored.has(Path::new("deep/notes"), true));
    }

    #[test]
    fn built_files_are_never_a_part() {
        for name in NEVER {
            assert!(Ignored::default().has(&Path::new("deep").join(name), true), "{name}");
            assert!(!Ignored::default().has(Path::new(name), false), "{name}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        for line in ["!a", "a**b"] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(IGNORE), format!("# x\n{line}\n")).unwrap();
            let error = Ignored::of(folder.path()).unwrap_err().to_string();
            assert!(error.contains(&format!("{IGNORE}: line 2: `{line}`: ")), "{error}");
        }
    }
}
