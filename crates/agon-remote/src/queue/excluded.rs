//! The volunteers that a run has excluded: a file keeps them, so that they stay out when the run
//! continues.

use std::{collections::BTreeMap, fs, io, path::PathBuf};

use agon_arena::ArenaError;
use agon_files::WriteError;
use agon_text::escape;

/// Names of volunteers, with the reasons. In the file, each has a line: name, tab, reason.
#[derive(Debug, Default)]
pub(super) struct Excluded {
    path: Option<PathBuf>,
    all: BTreeMap<String, String>,
}

impl Excluded {
    /// Reads the file, if there is one. Without a path, nothing is kept.
    ///
    /// # Errors
    /// If it cannot be read: nobody may come back because of that.
    pub(super) fn read(path: Option<PathBuf>) -> Result<Excluded, ArenaError> {
        let Some(path) = path else { return Ok(Excluded::default()) };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                let text = format!("{}, the list of excluded volunteers: {error}", path.display());
                return Err(ArenaError::Remote(text));
            }
        };
        let line = |line: &str| {
            let (name, why) = line.split_once('\t').unwrap_or((line, ""));
            (name.trim().to_owned(), why.to_owned())
        };
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        Ok(Excluded { path: Some(path), all: lines.map(line).collect() })
    }

    /// Returns the names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.keys().map(String::as_str)
    }

    /// Returns what people should know at the beginning; `None` if nobody is excluded.
    pub(super) fn sentence(&self) -> Option<String> {
        let path = self.path.as_ref().filter(|_| !self.all.is_empty())?;
        let names: Vec<&str> = self.names().collect();
        Some(format!(
            "excluded earlier: {}; delete a line of {} to let a volunteer play again",
            names.join(", "),
            path.display()
        ))
    }

    /// Adds a volunteer, and keeps it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn add(&mut self, name: &str, why: &str) -> Result<(), WriteError> {
        self.all.insert(escape(name).into_owned(), escape(why).into_owned());
        let Some(path) = &self.path else { return Ok(()) };
        let line = |(name, why): (&String, &String)| format!("{name}\t{why}\n");
        let text: String = self.all.iter().map(line).collect();
        agon_files::write_whole(path, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_excluded_stays_excluded_until_its_line_is_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("excluded-volunteers");
        let read = || Excluded::read(Some(path.clone())).unwrap();
        assert_eq!(read().sentence(), None);
        let mut excluded = read();
        excluded.add("eve", "a result was wrong").unwrap();
        excluded.add("mallory", "dropped 9 of 10\nbatches").unwrap();
        let sentence = read().sentence().unwrap();
        assert!(
            sentence.starts_with("excluded earlier: eve, mallory; delete a line"),
            "{sentence}"
        );
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "eve\ta result was wrong\nmallory\tdropped 9 of 10\\nbatches\n");
        fs::write(&path, "\nmallory\n").unwrap();
        assert_eq!(read().names().collect::<Vec<_>>(), ["mallory"]);
        // Something else is there: that is no empty list.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let error = Excluded::read(Some(path.clone())).unwrap_err().to_string();
        assert!(error.contains("the list of excluded volunteers"), "{error}");
        let mut nowhere = Excluded::read(None).unwrap();
        nowhere.add("eve", "").unwrap();
        assert_eq!(nowhere.sentence(), None);
    }
}
