//! The volunteers that a run has excluded: a file keeps them, so that they stay out when the run
//! continues.

use std::{collections::BTreeMap, fs, io, path::PathBuf};

use agon_arena::ArenaError;
use agon_text::escape;

/// A file with the names of volunteers. Each has a line: name, tab, reason.
#[derive(Debug)]
pub(super) struct Excluded(Option<PathBuf>);

impl Excluded {
    /// Without a path, nothing is kept.
    pub(super) fn new(path: Option<PathBuf>) -> Excluded {
        Excluded(path)
    }

    /// Reads the names, with the reasons.
    ///
    /// # Errors
    /// If there is a file that cannot be read: nobody may come back because of that.
    pub(super) fn read(&self) -> Result<BTreeMap<String, String>, ArenaError> {
        let Some(path) = &self.0 else { return Ok(BTreeMap::new()) };
        let text = match fs::read_to_string(path) {
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
        Ok(text.lines().filter(|line| !line.trim().is_empty()).map(line).collect())
    }

    /// Returns what people should know of these names; `None` if there is none.
    pub(super) fn sentence<'a>(&self, names: impl Iterator<Item = &'a String>) -> Option<String> {
        let path = self.0.as_ref()?;
        let names: Vec<&str> = names.map(String::as_str).collect();
        (!names.is_empty()).then(|| {
            format!(
                "excluded earlier: {}; delete a line of {} to let a volunteer play again",
                escape(&names.join(", ")),
                path.display()
            )
        })
    }

    /// Adds a volunteer. What somebody else has changed meanwhile stays.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub(super) fn add(&self, name: &str, why: &str) -> Result<(), ArenaError> {
        let Some(path) = &self.0 else { return Ok(()) };
        let mut all = self.read()?;
        all.insert(escape(name).into_owned(), escape(why).into_owned());
        let line = |(name, why): (&String, &String)| format!("{name}\t{why}\n");
        let text: String = all.iter().map(line).collect();
        let written = agon_files::write_whole(path, text.as_bytes());
        written.map_err(|error| ArenaError::Remote(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_excluded_stays_excluded_until_its_line_is_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("excluded-volunteers");
        let excluded = Excluded::new(Some(path.clone()));
        let names = || excluded.read().unwrap().into_keys().collect::<Vec<_>>();
        assert_eq!(names(), [""; 0]);
        assert_eq!(excluded.sentence(names().iter()), None);
        excluded.add("eve", "a result was wrong").unwrap();
        excluded.add("mallory", "dropped 9 of 10\nbatches").unwrap();
        let sentence = excluded.sentence(names().iter()).unwrap();
        assert!(
            sentence.starts_with("excluded earlier: eve, mallory; delete a line"),
            "{sentence}"
        );
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "eve\ta result was wrong\nmallory\tdropped 9 of 10\\nbatches\n");
        // Somebody pardons one while another one is excluded.
        fs::write(&path, "\nmallory\n").unwrap();
        excluded.add("trudy", "").unwrap();
        assert_eq!(names(), ["mallory", "trudy"]);
        // Something else is there: that is no empty list.
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let error = excluded.read().unwrap_err().to_string();
        assert!(error.contains("the list of excluded volunteers"), "{error}");
        assert!(excluded.add("eve", "").is_err());
        let nowhere = Excluded::new(None);
        nowhere.add("eve", "").unwrap();
        assert!(nowhere.read().unwrap().is_empty());
    }
}
