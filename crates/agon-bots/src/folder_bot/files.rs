//! Lists, digests and copies the files of a bot's folder.
//!
//! The digest covers, for each file in byte order of the paths: the path, whether the file can be
//! executed, and its content.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use agon_match::spec::{BotManifest, MANIFEST};
use glob::{MatchOptions, Pattern};

use super::error::{BUILT_BYTES, BUILT_FILES, BYTES, FILES, FolderError};
use super::ignore::Ignored;
use crate::snapshot::{read_within, write_copy};
use crate::{open_beneath::open_beneath, sandbox::is_installed};

/// A file of a bot.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BotFile {
    /// Its path below the folder.
    pub(super) path: PathBuf,
    kind: Kind,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    File {
        /// Whether it can be executed.
        executable: bool,
    },
    /// A link to another file of the folder, with its target.
    Link(PathBuf),
}

/// Packages of Node.js, which belong to a bot that plays here.
const PACKAGES: &str = "node_modules";

/// The file that marks a virtual environment of Python.
const VENV_MARK: &str = "pyvenv.cfg";

/// Lists the files of a bot, in byte order of their paths.
///
/// `installed` are the places of programs that the bot sees: links of virtual environments and of
/// packages may lead there, and files of these do not count towards the size of the bot. Without
/// `installed` the files are for other machines: no link may lead out, and packages stay here.
///
/// # Errors
/// If there are too many, something is neither file nor folder, or a link leads elsewhere.
pub(super) fn list(
    root: &Path,
    manifest: &BotManifest,
    installed: Option<&[PathBuf]>,
) -> Result<Vec<BotFile>, FolderError> {
    let ignored = Ignored::of(root)?;
    let wanted = Wanted::of(root, manifest)?;
    let mut found = Vec::new();
    let mut own = Size::default();
    let mut all = Size::default();
    let mut waiting = vec![(PathBuf::new(), false)];
    while let Some((folder, is_tools)) = waiting.pop() {
        let place = root.join(&folder);
        let is_packages = folder.file_name().is_some_and(|name| name == PACKAGES);
        let is_tools = is_tools || is_packages || place.join(VENV_MARK).is_file();
        if is_packages && installed.is_none() {
            continue;
        }
        let installed = installed.filter(|_| is_tools);
        let read = |source| FolderError::Read { path: place.clone(), source };
        for entry in fs::read_dir(&place).map_err(read)? {
            let entry = entry.map_err(read)?;
            let path = folder.join(entry.file_name());
            let facts = entry.metadata().map_err(read)?;
            if ignored.has(&path, facts.is_dir()) {
                continue;
            }
            if facts.is_dir() {
                waiting.push((path, is_tools));
            } else if wanted.has(&path) {
                let length = facts.len();
                all.add(length);
                if installed.is_none() {
                    own.add(length);
                }
                found.push(BotFile { kind: kind(root, &path, &facts, installed)?, path });
            }
            let is_over = own.is_over(FILES, BYTES) || all.is_over(BUILT_FILES, BUILT_BYTES);
            if is_over || waiting.len() > BUILT_FILES {
                return Err(FolderError::Content(format!(
                    "the folder `{}` holds more than {FILES} files or {} MiB, the most of a bot; \
                     name what is no part of it in .agonignore",
                    root.display(),
                    BYTES >> 20
                )));
            }
        }
    }
    wanted.check(root, &found)?;
    found.sort_by(|one, other| one.path.as_os_str().cmp(other.path.as_os_str()));
    Ok(found)
}

/// How much there is.
#[derive(Default)]
struct Size {
    files: usize,
    bytes: u64,
}

impl Size {
    fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
    }

    fn is_over(&self, files: usize, bytes: u64) -> bool {
        self.files > files || self.bytes > bytes
    }
}

/// A file of a bot's folder, in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderFile {
    /// Its path below the folder.
    pub path: PathBuf,
    /// Its bytes; those of the file that it leads to, if it is a link.
    pub contents: Vec<u8>,
    /// Whether it can be executed.
    pub is_executable: bool,
}

/// Reads files of a bot.
///
/// # Errors
/// If one cannot be read, or is a link to a folder.
pub(super) fn read(root: &Path, files: Vec<BotFile>) -> Result<Vec<FolderFile>, FolderError> {
    let mut room = BYTES;
    let read = |file: BotFile| {
        let whole = root.join(&file.path);
        read_file(root, file, &mut room).map_err(|source| FolderError::Read { path: whole, source })
    };
    files.into_iter().map(read).collect()
}

fn read_file(root: &Path, file: BotFile, room: &mut u64) -> io::Result<FolderFile> {
    let place = match &file.kind {
        Kind::File { .. } => file.path.clone(),
        // It stays in the folder, as `kind` has checked.
        Kind::Link(_) => {
            let target = root.join(&file.path).canonicalize()?;
            let below = target.strip_prefix(root.canonicalize()?).map_err(io::Error::other)?;
            below.to_owned()
        }
    };
    let from = open_beneath(root, &place)?;
    let is_executable = from.metadata()?.permissions().mode() & 0o111 != 0;
    let contents = read_within(&from, room)?;
    Ok(FolderFile { path: file.path, contents, is_executable })
}

/// Lists what the build of the folder `place` has left in its copy, except the caches of tools.
///
/// # Errors
/// If it is too large, or has a closed folder, a link that leads out, or something special.
pub(super) fn list_built(
    place: &Path,
    copy: &Path,
    build: &str,
    installed: &[PathBuf],
) -> Result<Vec<BotFile>, FolderError> {
    let wrong = |path: &Path, what: &str| {
        FolderError::Content(format!(
            "the build of the folder `{}` (`{build}`) leaves `{}`, {what}",
            place.display(),
            path.display()
        ))
    };
    let mut found = Vec::new();
    let mut entries = 0;
    let mut bytes = 0;
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        let read = |source| FolderError::Read { path: place.join(&folder), source };
        for entry in fs::read_dir(copy.join(&folder)).map_err(read)? {
            let entry = entry.map_err(read)?;
            let path = folder.join(entry.file_name());
            let facts = entry.metadata().map_err(read)?;
            entries += 1;
            bytes += facts.len();
            if entries > BUILT_FILES || bytes > BUILT_BYTES {
                return Err(FolderError::Content(format!(
                    "the folder `{}` holds more than {BUILT_FILES} files or {} MiB after its \
                     build (`{build}`); let the build delete what the bot does not need",
                    place.display(),
                    BUILT_BYTES >> 20
                )));
            }
            let mode = facts.permissions().mode();
            if facts.is_dir() && mode & 0o500 != 0o500 {
                return Err(wrong(&path, "a folder that cannot be read; open or remove it"));
            }
            if facts.is_dir() {
                waiting.extend(Some(path).filter(|path| !is_left_behind(path)));
                continue;
            }
            let kind = match kind(copy, &path, &facts, Some(installed)) {
                Err(FolderError::Link { .. }) => {
                    let what = "a link that leads out of the folder; put a copy in its place";
                    return Err(wrong(&path, what));
                }
                Err(_) => {
                    return Err(wrong(&path, "which is neither a file nor a folder; remove it"));
                }
                Ok(kind) => kind,
            };
            found.push(BotFile { kind, path });
        }
    }
    Ok(found)
}

/// Folders that Cargo leaves behind and no bot needs to play.
const CARGO: [&str; 4] = ["deps", "build", "incremental", ".fingerprint"];

/// Returns whether a folder, by its path below a bot's folder, is the cache of a tool, which is no
/// part of what plays.
///
/// Compiled sources of Python may hold other code than the sources.
pub fn is_left_behind(folder: &Path) -> bool {
    let mut names = folder.iter().filter_map(|name| name.to_str());
    let (target, profile, name) = (names.next(), names.next(), names.next());
    let is_cargos = target == Some("target")
        && matches!(profile, Some("release" | "debug"))
        && name.is_some_and(|name| CARGO.contains(&name));
    is_cargos || folder.file_name().is_some_and(|name| name == "__pycache__")
}

/// Copies what a build has left into a new folder.
pub(super) fn copy_built(root: &Path, files: &[BotFile], to: &Path) -> io::Result<()> {
    make_folder(to)?;
    let mut room = BUILT_BYTES;
    // The folder's digest is that of the files before the build.
    let mut hasher = blake3::Hasher::new();
    let mut copy =
        |file: &BotFile| copy_file(root, file, Some(&to.join(&file.path)), &mut hasher, &mut room);
    files.iter().try_for_each(&mut copy)
}

/// Returns the kind of a file. Its link may lead to programs in the places `installed`.
fn kind(
    root: &Path,
    path: &Path,
    facts: &Metadata,
    installed: Option<&[PathBuf]>,
) -> Result<Kind, FolderError> {
    if facts.is_file() {
        return Ok(Kind::File { executable: facts.permissions().mode() & 0o111 != 0 });
    }
    let whole = root.join(path);
    if !facts.is_symlink() {
        return Err(FolderError::Content(format!(
            "`{}` is neither a file nor a folder; remove it, or name it in .agonignore",
            whole.display()
        )));
    }
    let read = |source| FolderError::Read { path: whole.clone(), source };
    let target = fs::read_link(&whole).map_err(read)?;
    let root = root.canonicalize().map_err(read)?;
    let stays = match whole.canonicalize() {
        Ok(end) => end.starts_with(&root),
        // Such as to a folder without files. What is not there cannot lead on.
        Err(error) => error.kind() == io::ErrorKind::NotFound && goes_up_first(&target),
    } && is_within(path, &target);
    let is_fine = stays || installed.is_some_and(|places| is_installed(&whole, places));
    if is_fine { Ok(Kind::Link(target)) } else { Err(FolderError::Link { path: whole, target }) }
}

/// Returns whether a link's target has `..` only at its beginning, so that no other link decides
/// where that leads.
fn goes_up_first(target: &Path) -> bool {
    let mut rest = target.components().skip_while(|part| *part == Component::ParentDir);
    rest.all(|part| part != Component::ParentDir)
}

/// Returns whether each step of a link's target stays below the folder.
fn is_within(link: &Path, target: &Path) -> bool {
    let mut depth = link.components().count() - 1;
    target.components().all(|part| match part {
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::CurDir => true,
        Component::ParentDir => {
            let is_below = depth > 0;
            depth = depth.saturating_sub(1);
            is_below
        }
        Component::RootDir | Component::Prefix(_) => false,
    })
}

/// Digests the files of a bot, and copies them into a new folder if there is one.
pub(super) fn copy(
    root: &Path,
    files: &[BotFile],
    to: Option<&Path>,
) -> Result<blake3::Hash, FolderError> {
    let mut hasher = blake3::Hasher::new();
    if let Some(to) = to {
        make_folder(to).map_err(|source| FolderError::Read { path: to.to_owned(), source })?;
    }
    let mut room = BUILT_BYTES;
    for file in files {
        let whole = root.join(&file.path);
        let to = to.map(|to| to.join(&file.path));
        let copied = copy_file(root, file, to.as_deref(), &mut hasher, &mut room);
        copied.map_err(|source| FolderError::Read { path: whole, source })?;
    }
    Ok(hasher.finalize())
}

fn copy_file(
    root: &Path,
    file: &BotFile,
    to: Option<&Path>,
    hasher: &mut blake3::Hasher,
    room: &mut u64,
) -> io::Result<()> {
    let path = file.path.as_os_str().as_bytes();
    hasher.update(&(path.len() as u64).to_le_bytes()).update(path);
    if let Some(folder) = to.and_then(Path::parent) {
        make_folder(folder)?;
    }
    let executable = match &file.kind {
        Kind::Link(target) => {
            let text = target.as_os_str().as_bytes();
            hasher.update(b"l").update(&(text.len() as u64).to_le_bytes()).update(text);
            return to.map_or(Ok(()), |to| symlink(target, to));
        }
        Kind::File { executable } => *executable,
    };
    let from = open_beneath(root, &file.path)?;
    let bytes = read_within(&from, room)?;
    hasher.update(if executable { b"x" } else { b"-" });
    hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    if let Some(to) = to {
        write_copy(&from, &bytes, to, if executable { 0o755 } else { 0o644 })?;
    }
    Ok(())
}

/// Makes a folder that other users may enter: a confined program may run as one of them.
fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_folder(parent)?;
    }
    fs::create_dir(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// The files that the manifest names.
struct Wanted(Vec<Pattern>);

impl Wanted {
    fn of(root: &Path, manifest: &BotManifest) -> Result<Wanted, FolderError> {
        let pattern = |text: &String| {
            Pattern::new(text.trim_end_matches('/')).map_err(|error| {
                let why = format!("files: `{text}` is no pattern: {error}");
                FolderError::of_settings(&root.join(MANIFEST), why)
            })
        };
        manifest.files.iter().map(pattern).collect::<Result<_, _>>().map(Wanted)
    }

    /// Returns whether a file, or a folder that it lies in, is named.
    fn has(&self, path: &Path) -> bool {
        let is_named = || self.0.iter().any(|pattern| names(pattern, path));
        self.0.is_empty() || path == Path::new(MANIFEST) || is_named()
    }

    /// Checks that each pattern finds a file: a misspelt one would leave it out.
    fn check(&self, root: &Path, found: &[BotFile]) -> Result<(), FolderError> {
        let finds = |pattern: &&Pattern| found.iter().any(|file| names(pattern, &file.path));
        self.0.iter().find(|pattern| !finds(pattern)).map_or(Ok(()), |pattern| {
            let why = format!("files: `{pattern}` finds no file of the folder");
            Err(FolderError::of_settings(&root.join(MANIFEST), why))
        })
    }
}

/// Returns whether a pattern names a file, or a folder that it lies in.
fn names(pattern: &Pattern, path: &Path) -> bool {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    path.ancestors().any(|path| pattern.matches_path_with(path, options))
}

#[cfg(test)]
mod tests;
