//! Makes a new folder with files: all of them, or none after an error.
//!
//! `agon new` writes a bot's files with it.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// Writes files into a new or empty folder. After an error nothing of them is left.
///
/// # Errors
/// If the folder is not empty, or cannot be written.
pub fn create_folder<'a>(
    folder: &Path,
    files: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Result<()> {
    // All other problems show up while writing.
    if folder.is_file() {
        bail!("{} is a file; name another folder", folder.display());
    }
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty; name another folder, or a new one in it", folder.display());
    }
    let mut made = CreatedFiles::default();
    made.folder(folder)?;
    for (path, text) in files {
        made.file(&folder.join(path), text)?;
    }
    // All files are written, so they stay.
    made.0.clear();
    Ok(())
}

/// The files and folders made so far, in order. Dropping this removes them.
#[derive(Debug, Default)]
struct CreatedFiles(Vec<PathBuf>);

impl CreatedFiles {
    fn folder(&mut self, path: &Path) -> Result<()> {
        let new: Vec<&Path> = path.ancestors().take_while(|folder| is_missing(folder)).collect();
        for folder in new.into_iter().rev() {
            fs::create_dir(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
            self.0.push(folder.to_owned());
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, text: &str) -> Result<()> {
        if let Some(folder) = path.parent() {
            self.folder(folder)?;
        }
        let context = || format!("cannot write {}", path.display());
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(path).with_context(context)?;
        self.0.push(path.to_owned());
        file.write_all(text.as_bytes()).with_context(context)
    }
}

fn is_missing(path: &Path) -> bool {
    // The empty path is the current folder.
    !path.as_os_str().is_empty() && !path.exists()
}

impl Drop for CreatedFiles {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            // The error that led here is reported instead.
            let _ = if path.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<(String, String)> {
        paths.iter().map(|&path| (path.to_owned(), format!("text of {path}"))).collect()
    }

    fn make(folder: &Path, paths: &[&str]) -> Result<()> {
        create_folder(folder, files(paths).iter().map(|(path, text)| (path, text)))
    }

    #[test]
    fn files_are_written_into_new_and_empty_folders() {
        let base = tempfile::tempdir().unwrap();
        for folder in [base.path().join("new/deep"), base.path().join("new/deeper")] {
            make(&folder, &["a", "src/b"]).unwrap();
            assert_eq!(fs::read_to_string(folder.join("src/b")).unwrap(), "text of src/b");
        }
        let empty = base.path().join("empty");
        fs::create_dir(&empty).unwrap();
        make(&empty, &["a"]).unwrap();
        let error = make(&empty, &["b"]).unwrap_err().to_string();
        assert!(error.contains("empty is not empty; name another"), "{error}");
        let error = make(&empty.join("a"), &["b"]).unwrap_err().to_string();
        assert!(error.contains("is a file; name another"), "{error}");
    }

    #[test]
    fn nothing_is_left_of_a_failure() {
        let base = tempfile::tempdir().unwrap();
        // The second file would have to be a folder for the third.
        make(&base.path().join("new/deep"), &["src/a", "b", "b/c"]).unwrap_err();
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
    }
}
