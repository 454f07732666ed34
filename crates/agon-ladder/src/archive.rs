//! The files of a bot on their way to a ladder server: in memory, with limits and safe paths; and
//! archives of them, which may be hostile: paths that lead elsewhere, links, bombs.
//!
//! Archives are read into memory with the limits of [`Files`]; nothing is written to a disk.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read, Write};
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use agon_core::text::is_hidden;
use flate2::{Compression, write::GzEncoder};
use thiserror::Error;
use zip::result::ZipError;

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
    /// Adds a file, unless it is no part of a bot. Its path has `/` between names.
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
fn is_left_out(path: &str) -> bool {
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
fn twice(path: &str) -> FilesError {
    path_error(path, "is there twice; leave one of them out")
}

fn path_error(path: &str, problem: &'static str) -> FilesError {
    FilesError::Path { path: agon_core::text::shown_name(path).into_owned(), problem }
}

/// Bytes of an archive that are not contents of files.
const ROOM_FOR_HEADERS: u64 = 8 << 20;

/// Returns whether a file is an archive that can be unpacked, by its first bytes.
pub fn is_archive(bytes: &[u8]) -> bool {
    is_zip(bytes) || is_gzip(bytes) || is_tar(bytes)
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Unpacks an archive.
///
/// # Errors
/// If it cannot be read, an entry is no file or folder below it, a file is there twice, or it holds
/// too much.
pub fn unpack(bytes: &[u8]) -> Result<Files, FilesError> {
    let files = if is_zip(bytes) {
        unpack_zip(bytes)?
    } else if is_gzip(bytes) {
        unpack_tar(flate2::read::MultiGzDecoder::new(bytes))?
    } else {
        unpack_tar(bytes)?
    };
    Ok(files.without_common_folder())
}

fn unpack_zip(bytes: &[u8]) -> Result<Files, FilesError> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(unreadable)?;
    let mut files = Files::default();
    if archive.len() > 10 * MAX_FILES {
        return Err(FilesError::TooMany);
    }
    // Of entries with the same name, `archive` has only the last one.
    if archive.has_duplicate_names() {
        check_names(bytes, archive.central_directory_start())?;
    }
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(unreadable)?;
        let path = from_windows(&entry.name().map_err(broken)?);
        if entry.is_dir() || path.ends_with('/') || is_left_out(&path) {
            continue;
        }
        // The kind of file is in the upper bits, if the archive was made on Unix.
        let mode = entry.unix_mode();
        let is_regular = mode.is_none_or(|mode| matches!(mode & 0o170_000, 0 | 0o100_000));
        if entry.is_symlink() || !is_regular {
            return Err(special(&path));
        }
        let contents = read(&mut entry, files.room())?;
        files.add(&path, contents, mode.is_some_and(|mode| mode & 0o100 != 0))?;
    }
    Ok(files)
}

/// Returns a path with `/` between names, also that of an archive which PowerShell 5.1 has made.
fn from_windows(path: &str) -> String {
    let is_usual = path.contains(['/', ':']);
    if is_usual { path.to_owned() } else { path.replace('\\', "/") }
}

/// Checks that no file is twice in the directory of a zip archive, which begins at `start`.
fn check_names(bytes: &[u8], start: u64) -> Result<(), FilesError> {
    let again = names_again(bytes, start as usize).unwrap_or_default();
    // A folder may be there twice.
    match again.iter().find(|path| !path.ends_with('/') && !is_left_out(path)) {
        Some(path) => Err(twice(path)),
        None if again.is_empty() => Err(broken("a file in it is there twice")),
        None => Ok(()),
    }
}

/// Returns the names in the directory of a zip archive that are there a second time.
fn names_again(bytes: &[u8], start: usize) -> Option<Vec<String>> {
    let mut rest = bytes.get(start..)?;
    let mut known = BTreeSet::new();
    let mut again = Vec::new();
    while rest.starts_with(b"PK\x01\x02") {
        let length = |at: usize| {
            let two: [u8; 2] = rest.get(at..at + 2)?.try_into().ok()?;
            Some(usize::from(u16::from_le_bytes(two)))
        };
        let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
        let name = rest.get(46..46 + name)?;
        if !known.insert(name) {
            again.push(String::from_utf8_lossy(name).into_owned());
        }
        rest = rest.get(46 + name.len() + extra + comment..)?;
    }
    Some(again)
}

fn unpack_tar(input: impl Read) -> Result<Files, FilesError> {
    // Long names and other facts about entries are not files, but take memory, too.
    let mut archive = tar::Archive::new(input.take(MAX_BYTES + ROOM_FOR_HEADERS));
    let mut files = Files::default();
    let mut entries = 0;
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        entries += 1;
        if entries > 10 * MAX_FILES {
            return Err(FilesError::TooMany);
        }
        let path = String::from_utf8(entry.path_bytes().into_owned())
            .map_err(|_| broken("a path in it is not UTF-8"))?;
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() || is_left_out(&path) {
            continue;
        }
        if !kind.is_file() {
            return Err(special(&path));
        }
        let mode = entry.header().mode().unwrap_or(0);
        let contents = read(&mut entry, files.room())?;
        files.add(&path, contents, mode & 0o100 != 0)?;
    }
    Ok(files)
}

/// Reads an entry, whose size in the archive may be a lie.
fn read(entry: &mut impl Read, room: u64) -> Result<Vec<u8>, FilesError> {
    let mut contents = Vec::new();
    entry.take(room + 1).read_to_end(&mut contents).map_err(damaged)?;
    if contents.len() as u64 > room {
        return Err(FilesError::TooLarge);
    }
    Ok(contents)
}

fn special(path: &str) -> FilesError {
    FilesError::Special { path: agon_core::text::shown_name(path).into_owned() }
}

/// Says what people can do: only few of the words of libraries help them.
fn unreadable(error: ZipError) -> FilesError {
    match error {
        ZipError::Io(_) | ZipError::InvalidArchive(_) => FilesError::Damaged,
        error => broken(error),
    }
}

fn damaged(_: io::Error) -> FilesError {
    FilesError::Damaged
}

fn broken(error: impl std::fmt::Display) -> FilesError {
    FilesError::Archive(agon_core::text::escape(&error.to_string()).into_owned())
}

/// Packs files as a gzipped tar archive. Equal files make equal bytes.
pub fn pack(files: &Files) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (path, file) in files.iter() {
        let mut header = tar::Header::new_gnu();
        header.set_size(file.contents.len() as u64);
        header.set_mode(if file.is_executable { 0o755 } else { 0o644 });
        // No time and no owner: they would make other bytes of equal files.
        header.set_mtime(0);
        archive.append_data(&mut header, path, file.contents.as_slice())?;
    }
    let mut zipped = archive.into_inner()?;
    zipped.flush()?;
    zipped.finish()
}

/// Packs files as a zip archive.
pub fn zip(files: &Files) -> io::Result<Vec<u8>> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, file) in files.iter() {
        let mode = if file.is_executable { 0o755 } else { 0o644 };
        let options = zip::write::SimpleFileOptions::default().unix_permissions(mode);
        archive.start_file(path, options)?;
        archive.write_all(&file.contents)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use zip::write::SimpleFileOptions;

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

    fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, contents) in entries {
            writer.start_file(*path, SimpleFileOptions::default()).unwrap();
            writer.write_all(contents).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn tar_of(kind: tar::EntryType, path: &str, contents: &[u8]) -> Vec<u8> {
        let mut header = tar::Header::new_ustar();
        // `set_path` refuses what a hostile archive has.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_mode(0o755);
        header.set_size(contents.len() as u64);
        header.set_cksum();
        let mut builder = tar::Builder::new(Vec::new());
        builder.append(&header, contents).unwrap();
        builder.into_inner().unwrap()
    }

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn archives_of_old_windows_are_read() {
        let archive = zip(&[("bot\\", b""), ("bot\\lib\\a.py", b"x"), ("bot\\bot.py", b"y")]);
        let files = unpack(&archive).unwrap();
        assert!(files.get("lib/a.py").is_some() && files.get("bot.py").is_some(), "{files:?}");
        for path in ["..\\evil", "\\evil", "a\\..\\..\\b", "C:\\x", "a/b\\c"] {
            assert!(unpack(&zip(&[(path, b"x")])).is_err(), "{path}");
        }
        assert!(unpack(&zip(&[("a\\b", b"x"), ("a/b", b"y")])).is_err(), "twice");
    }

    #[test]
    fn archives_become_files() {
        let archives = [
            zip(&[("fox/bot.py", b"1"), ("fox/lib/x", b"2")]),
            gz(&tar_of(tar::EntryType::Regular, "fox/bot.py", b"1")),
            tar_of(tar::EntryType::Regular, "./fox/bot.py", b"1"),
        ];
        for archive in archives {
            assert!(is_archive(&archive));
            let files = unpack(&archive).unwrap();
            assert_eq!(files.get("bot.py").unwrap().contents, b"1");
        }
        assert!(!is_archive(b"print()") && !is_archive(b""));
    }

    #[test]
    fn nothing_leads_out() {
        for path in ["../evil", "/etc/passwd", "a/../../b", "C:\\x"] {
            assert!(matches!(unpack(&zip(&[(path, b"")])), Err(FilesError::Path { .. })), "{path}");
            let tar = tar_of(tar::EntryType::Regular, path, b"");
            assert!(matches!(unpack(&tar), Err(FilesError::Path { .. })), "{path}");
        }
        let kinds = [
            tar::EntryType::Symlink,
            tar::EntryType::Link,
            tar::EntryType::Char,
            tar::EntryType::Block,
            tar::EntryType::Fifo,
        ];
        for kind in kinds {
            let tar = tar_of(kind, "link", b"");
            assert!(matches!(unpack(&tar), Err(FilesError::Special { .. })), "{kind:?}");
        }
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        let zip = writer.finish().unwrap().into_inner();
        assert!(matches!(unpack(&zip), Err(FilesError::Special { .. })));
    }

    /// Returns a zip archive with two entries of one name, which its writer refuses to make.
    fn zip_with_twice(name: &str) -> Vec<u8> {
        let other = "x".repeat(name.len());
        let mut bytes = zip(&[("fox/a.py", b"1"), (name, b"2"), (&other, b"3")]);
        for at in 0..bytes.len() - other.len() {
            if bytes[at..].starts_with(other.as_bytes()) {
                bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
            }
        }
        bytes
    }

    #[test]
    fn a_file_is_there_once() {
        let twice = |archive: &[u8], path: &str| {
            let error = unpack(archive).unwrap_err().to_string();
            let words = format!("the path `{path}` is there twice; leave one of them out");
            assert_eq!(error, words);
        };
        twice(&zip_with_twice("fox/bot.py"), "fox/bot.py");
        twice(&zip(&[("fox/bot.py", b"1"), ("./fox/bot.py", b"2")]), "fox/bot.py");
        twice(&zip(&[("fox/bot.py", b"1"), ("fox/./bot.py", b"2")]), "fox/bot.py");
        for other in ["fox/bot.py", "./fox/bot.py", "fox/././bot.py"] {
            let mut tar = tar_of(tar::EntryType::Regular, "fox/bot.py", b"1");
            // Two empty blocks are the end of an archive.
            tar.truncate(tar.len() - 1_024);
            tar.extend(tar_of(tar::EntryType::Regular, other, b"2"));
            twice(&tar, "fox/bot.py");
            twice(&gz(&tar), "fox/bot.py");
        }
        // Folders, and files that are left out, may be there twice.
        for harmless in ["fox/.git/x", "fox/lib/"] {
            assert_eq!(unpack(&zip_with_twice(harmless)).unwrap().len(), 1, "{harmless}");
        }
    }

    #[test]
    fn bombs_do_not_burst() {
        let zeros = vec![0; (MAX_BYTES + 1) as usize];
        let bomb = zip(&[("zeros", &zeros)]);
        assert!(bomb.len() < 100_000, "{}", bomb.len());
        assert!(matches!(unpack(&bomb), Err(FilesError::TooLarge)));
        let tar = gz(&tar_of(tar::EntryType::Regular, "zeros", &zeros));
        assert!(matches!(unpack(&tar), Err(FilesError::TooLarge)));
        let names: Vec<String> = (0..3_000).map(|number| number.to_string()).collect();
        let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert!(matches!(unpack(&zip(&many)), Err(FilesError::TooMany)));
    }

    #[test]
    fn headers_are_no_place_for_a_bomb() {
        let name = vec![b'x'; 64 << 20];
        for kind in [tar::EntryType::GNULongName, tar::EntryType::XHeader] {
            let bomb = gz(&tar_of(kind, "././@LongLink", &name));
            assert!(bomb.len() < 100_000 && unpack(&bomb).is_err(), "{kind:?}");
        }
    }

    #[test]
    fn damaged_archives_are_an_error() {
        let whole = [zip(&[("a", b"hello")]), gz(&tar_of(tar::EntryType::Regular, "a", b"hello"))];
        for archive in &whole {
            for end in 0..archive.len() {
                // Some cuts leave a valid archive with fewer files; none panics.
                let _ = unpack(&archive[..end]);
            }
            let mut bad = archive.clone();
            for at in 0..bad.len() {
                bad[at] ^= 0x55;
                let _ = unpack(&bad);
                bad[at] ^= 0x55;
            }
        }
        for end in [4, 40] {
            let error = unpack(&whole[0][..end]).unwrap_err().to_string();
            assert!(error.contains("damaged") && !error.contains("EOCD"), "{error}");
        }
    }

    #[test]
    fn files_come_back_as_they_were() {
        let mut files = Files::default();
        files.add("agon.toml", b"game".to_vec(), false).unwrap();
        files.add("bin/run", b"#!/bin/sh\n".to_vec(), true).unwrap();
        let long = format!("{}/x", "long/".repeat(40).trim_end_matches('/'));
        files.add(&long, vec![0; 10_000], false).unwrap();
        let packed = pack(&files).unwrap();
        assert_eq!(unpack(&packed).unwrap(), files);
        assert_eq!(pack(&files).unwrap(), packed);
        assert!(packed.len() < 1_000);
    }
}
