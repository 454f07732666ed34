//! The files of a bot as they were handed in, in memory.

use std::{collections::BTreeMap, fs, io, os::unix::fs::PermissionsExt, path::Path};

use agon_core::text::is_hidden;
use thiserror::Error;

/// The most bytes of all files together, unpacked.
pub const MAX_BYTES: u64 = 32 << 20;

/// The most files.
pub const MAX_FILES: usize = 2_000;

/// The longest path of a file, in bytes.
const MAX_PATH: usize = 240;

/// Folders and files that are no part of a bot, and that people pack by accident.
const LEFT_OUT: [&str; 6] =
    [".git", "__MACOSX", ".DS_Store", "__pycache__", "node_modules", "Thumbs.db"];

/// The files of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    files: BTreeMap<String, File>,
    bytes: u64,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its bytes.
    pub contents: Vec<u8>,
    /// Whether it can be executed.
    pub is_executable: bool,
}

/// Why files cannot be handed in.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each has its text")]
pub enum FilesError {
    #[error("the path `{path}` {problem}")]
    Path { path: String, problem: &'static str },
    #[error("the files have more than {} MiB together; leave out what the bot does not need",
        MAX_BYTES >> 20)]
    TooLarge,
    #[error("there are more than {MAX_FILES} files; leave out what the bot does not need")]
    TooMany,
    #[error("`{path}` is a link or a device; put in the file itself")]
    Special { path: String },
    #[error("the archive cannot be read: {0}")]
    Archive(String),
    #[error(
        "the archive cannot be read: it is damaged, or no archive at all. Pack the bot's folder \
         once more as .zip, .tar or .tar.gz"
    )]
    Damaged,
    #[error("there are no files; choose the bot's file, its folder, or an archive of it")]
    Nothing,
    #[error("{0}")]
    Manifest(String),
}

impl Files {
    /// Adds a file; its path has `/` between names. What is no part of a bot is left out.
    ///
    /// # Errors
    /// If the path is not one below the folder, is there already, or there is too much.
    pub fn add(
        &mut self,
        path: &str,
        contents: Vec<u8>,
        is_executable: bool,
    ) -> Result<(), FilesError> {
        // `./a` and `b/./c` are other words for `a` and `b/c`.
        let names: Vec<&str> = path.split('/').filter(|name| *name != ".").collect();
        let plain = names.join("/");
        let path = if plain.is_empty() { path } else { plain.as_str() };
        check_path(path)?;
        self.bytes += contents.len() as u64;
        if self.bytes > MAX_BYTES {
            return Err(FilesError::TooLarge);
        }
        if is_left_out(path) {
            return Ok(());
        }
        let file = File { contents, is_executable };
        if self.files.insert(path.to_owned(), file).is_some() {
            return Err(twice(path));
        }
        if self.files.len() > MAX_FILES {
            return Err(FilesError::TooMany);
        }
        Ok(())
    }

    /// Returns how many bytes may still be added.
    pub fn room(&self) -> u64 {
        MAX_BYTES - self.bytes
    }

    /// Returns the size of all files together.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns a file by its path.
    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// Returns all files in order of paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &File)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// Returns copies of all files, as a bundle takes them: path, contents, and whether the file
    /// can be executed.
    pub fn parts(&self) -> impl Iterator<Item = (String, Vec<u8>, bool)> {
        self.iter().map(|(path, file)| (path.to_owned(), file.contents.clone(), file.is_executable))
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Removes the folder that all files are in, as archives of a folder have one.
    #[must_use]
    pub fn without_common_folder(self) -> Files {
        let mut files = self;
        while let Some(folder) = files.common_folder() {
            let inside = files.files.into_iter();
            let strip = |(path, file): (String, File)| (path[folder.len() + 1..].to_owned(), file);
            files = Files { files: inside.map(strip).collect(), bytes: files.bytes };
        }
        files
    }

    fn common_folder(&self) -> Option<String> {
        let (first, _) = self.files.first_key_value()?;
        let (folder, _) = first.split_once('/')?;
        let is_inside =
            |path: &String| path.split_once('/').is_some_and(|(start, _)| start == folder);
        self.files.keys().all(is_inside).then(|| folder.to_owned())
    }

    /// Writes the files into an empty folder.
    ///
    /// # Errors
    /// If a file cannot be written, or a file and a folder have the same name.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        for (path, file) in &self.files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(&path, &file.contents)?;
            let mode = if file.is_executable { 0o755 } else { 0o644 };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        }
        Ok(())
    }
}

/// Returns whether a file is no part of a bot.
pub(crate) fn is_left_out(path: &str) -> bool {
    path.split('/').any(|name| LEFT_OUT.contains(&name))
}

fn check_path(path: &str) -> Result<(), FilesError> {
    if path.len() > MAX_PATH {
        return Err(path_error(path, "is too long"));
    }
    if path.contains(is_hidden) {
        return Err(path_error(path, "has control or invisible characters"));
    }
    if path.contains('\\') {
        return Err(path_error(path, "has a backslash; use `/` between names"));
    }
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    if !path.split('/').all(is_name) {
        return Err(path_error(path, "does not stay below the bot's folder"));
    }
    Ok(())
}

/// Says that two files have one path: nobody can tell which of them is meant.
pub(crate) fn twice(path: &str) -> FilesError {
    path_error(path, "is there twice; leave one of them out")
}

fn path_error(path: &str, problem: &'static str) -> FilesError {
    FilesError::Path { path: agon_core::text::shown_name(path).into_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Files {
        let mut files = Files::default();
        paths.iter().for_each(|path| files.add(path, vec![1], false).unwrap());
        files
    }

    #[test]
    fn paths_stay_below_the_folder() {
        for path in ["../a", "/a", "a/../../b", "a//b", "", ".", "a/", "a\\b", "a\nb", "a\u{202e}b"]
        {
            let error = Files::default().add(path, Vec::new(), false).unwrap_err();
            assert!(matches!(error, FilesError::Path { .. }), "{path}: {error}");
        }
        let long = "x".repeat(MAX_PATH + 1);
        assert!(Files::default().add(&long, Vec::new(), false).is_err());
    }

    #[test]
    fn there_is_a_limit() {
        let mut files = Files::default();
        let half = vec![0; (MAX_BYTES / 2) as usize];
        files.add("a", half.clone(), false).unwrap();
        files.add("b", half, false).unwrap();
        assert_eq!(files.room(), 0);
        assert!(matches!(files.add("c", vec![0], false), Err(FilesError::TooLarge)));
        let mut files = Files::default();
        for number in 0..MAX_FILES {
            files.add(&number.to_string(), Vec::new(), false).unwrap();
        }
        assert!(matches!(files.add("x", Vec::new(), false), Err(FilesError::TooMany)));
    }

    #[test]
    fn a_common_folder_and_litter_are_left_out() {
        let packed = files(&["fox/bot.py", "fox/lib/a.py", "fox/.git/config", "fox/.DS_Store"]);
        let plain = packed.without_common_folder();
        assert_eq!(plain.iter().map(|(path, _)| path).collect::<Vec<_>>(), ["bot.py", "lib/a.py"]);
        let two = files(&["a/b", "c/d"]);
        assert_eq!(two.clone().without_common_folder(), two);
    }

    #[test]
    fn a_file_and_a_folder_of_one_name_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(files(&["a", "a/b"]).write(folder.path()).is_err());
    }
}
