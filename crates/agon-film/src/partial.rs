//! A file that gets its name when it is complete.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::FilmError;

/// The name of a file before it is complete. Dropped, it removes the file.
#[derive(Debug)]
pub(crate) struct Partial {
    path: PathBuf,
    part: PathBuf,
    kept: bool,
}

impl Partial {
    /// A name beside `path`; folders that are missing are made.
    pub(crate) fn new(path: &Path) -> Result<Partial, FilmError> {
        let is_folder = io::Error::from(io::ErrorKind::IsADirectory);
        let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
            return Err(FilmError::write(path)(is_folder));
        };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(FilmError::write(folder))?;
        }
        let mut part = name.to_owned();
        part.push(".part");
        Ok(Partial { path: path.to_owned(), part: path.with_file_name(part), kept: false })
    }

    /// The file, as it is called now.
    pub(crate) fn part(&self) -> &Path {
        &self.part
    }

    /// The name that it will get.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file.
    pub(crate) fn create(&self) -> Result<BufWriter<File>, FilmError> {
        let file = File::create(&self.part).map_err(FilmError::write(&self.path))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Gives the file its name, and says how large it is.
    pub(crate) fn keep(mut self) -> Result<u64, FilmError> {
        let bytes = fs::metadata(&self.part).map_err(FilmError::write(&self.path))?.len();
        fs::rename(&self.part, &self.path).map_err(FilmError::write(&self.path))?;
        self.kept = true;
        Ok(bytes)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            // It may not be there yet, or be gone already.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Writes a whole file, so that nobody ever finds half of it; folders that are missing are made.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FilmError> {
    let partial = Partial::new(path)?;
    let mut file = partial.create()?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(FilmError::write(path))?;
    partial.keep().map(drop)
}
