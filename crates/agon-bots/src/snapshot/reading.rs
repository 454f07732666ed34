//! Takes the snapshot of a bot: finds its files, digests and copies them.

use std::path::{Path, PathBuf, absolute};
use std::{collections::BTreeSet, fs, io, sync::Arc};

use agon_core::Coverage;
use agon_sandbox::{Launcher, Mechanism, Missing};

use super::folder::{self, BYTES, FILES};
use super::{Snapshot, copy::SnapshotCopy};
use crate::program::{Program, existing_file, is_within};
use crate::sandbox::{self, is_system, libraries, of_arguments, own_folder};
use crate::{
    ClojureFile, HostOptions, Level, OpenError, cache, compile::Language, shortage, spec::BotSource,
};

/// The files of a bot.
#[derive(Debug, Default)]
struct BotFiles {
    program: Option<Program>,
    /// Files that its text names.
    named: Vec<PathBuf>,
    /// Folders that it sees as its own; single files where others keep theirs as well.
    roots: Vec<PathBuf>,
    /// Other files that it reads.
    libraries: Vec<PathBuf>,
}

impl BotFiles {
    /// Collects the files of a bot.
    fn of(
        what: &BotSource,
        home: Option<&Path>,
        options: &HostOptions,
        builtins: &[&'static str],
    ) -> Result<BotFiles, OpenError> {
        let file = |path: &Path| existing_file(&path.to_string_lossy(), builtins).map(whole);
        let in_folder = |path: &Path| {
            let path = file(path)?;
            let roots = home.map_or_else(|| own_folder(&path), |home| vec![home.to_owned()]);
            Ok(BotFiles { roots, named: vec![path], ..BotFiles::default() })
        };
        match what {
            BotSource::Builtin { .. } | BotSource::Connect(_) | BotSource::Human => {
                Ok(BotFiles::default())
            }
            // `folder_bot::read` reads it.
            BotSource::Folder(_) => Ok(BotFiles::default()),
            BotSource::Wasm(path) if Language::of(path).is_none() => {
                let path = file(path)?;
                Ok(BotFiles { roots: vec![path.clone()], named: vec![path], ..BotFiles::default() })
            }
            BotSource::C(path) | BotSource::Library(path) | BotSource::Wasm(path) => {
                in_folder(path)
            }
            BotSource::Clojure(ClojureFile { path, .. }) => {
                let mut parts = in_folder(path)?;
                parts.libraries = crate::clojure::libraries();
                if home.is_none() {
                    // Files that it may require, beside its own.
                    let places = crate::clojure::places_of(path, options.sandbox.level, &[]);
                    let others = places.into_iter().filter(|place| !parts.roots.contains(place));
                    parts.libraries.extend(others);
                }
                Ok(parts)
            }
            BotSource::Program { text, words, .. } => {
                let program = Program::find(text, words, builtins, home)?;
                let folder = home.or(options.folder.as_deref()).unwrap_or(Path::new(""));
                program.check_script(folder)?;
                Ok(match home {
                    Some(home) => BotFiles::of_foreign_program(program, home, options),
                    None => BotFiles::of_program(program, options),
                })
            }
        }
    }

    /// Collects the files of a program that comes from elsewhere: those of its home.
    fn of_foreign_program(program: Program, home: &Path, options: &HostOptions) -> BotFiles {
        let mut named = program.files(home);
        named.retain(|file| is_within(file, home));
        let libraries = libraries(&options.sandbox.env);
        BotFiles { program: Some(program), named, roots: vec![home.to_owned()], libraries }
    }

    fn of_program(program: Program, options: &HostOptions) -> BotFiles {
        let folder = whole(options.folder.clone().unwrap_or_else(|| PathBuf::from(".")));
        let mut roots = if program.on_path { Vec::new() } else { own_folder(&program.path) };
        roots.extend(of_arguments(&program.args, &folder));
        let mut others = libraries(&options.sandbox.env);
        if options.sandbox.level == Level::Off {
            // An unconfined bot may write to folders that its arguments name.
            let told: Vec<PathBuf> = program.args.iter().map(|arg| folder.join(arg)).collect();
            let (folders, files) =
                roots.into_iter().partition(|root| root.is_dir() && told.contains(root));
            (roots, others) = (files, [others, folders].concat());
        }
        let files = program.files(&folder);
        if options.sees_folder {
            others.extend(options.sandbox.start_folder(options.folder.as_deref(), &files));
        }
        // A shell with a command is not the bot.
        let named = match files.as_slice() {
            [one] if *one == program.path && program.on_path && !roots.is_empty() => Vec::new(),
            _ => files,
        };
        BotFiles { program: Some(program), named, roots, libraries: others }
    }
}

impl Snapshot {
    /// Reads a bot, and copies it if `keep`. Bots without files have no snapshot. All files of a
    /// bot from elsewhere are in its `home`.
    pub(crate) fn take(
        what: &BotSource,
        home: Option<&Path>,
        options: &HostOptions,
        builtins: &[&'static str],
        keep: bool,
    ) -> Result<Option<Snapshot>, OpenError> {
        let parts = BotFiles::of(what, home, options, builtins)?;
        if parts.named.is_empty() && parts.roots.is_empty() {
            return Ok(None);
        }
        let launcher = keep.then(|| options.sandbox.launcher()).transpose();
        let prepare = |source| OpenError::unprepared("copies of bots", source);
        let mut reading = Reading::new(options, launcher.map_err(prepare)?);
        for root in &parts.roots {
            reading.root(root)?;
        }
        let named =
            parts.named.iter().map(|file| reading.file(file)).collect::<Result<Vec<_>, _>>()?;
        let snapshot = reading.finish(parts, named.into_iter().collect());
        Ok(Some(Snapshot { home: home.map(Path::to_owned), ..snapshot }))
    }

    /// Returns the same with other arguments, if the files that these name are part of it.
    pub(crate) fn with_program(&self, program: Program, options: &HostOptions) -> Option<Snapshot> {
        let own = self.program.as_ref()?;
        let folder = whole(options.folder.clone().unwrap_or_else(|| PathBuf::from(".")));
        let is_part = |path: &PathBuf| {
            let path = path.canonicalize().unwrap_or_else(|_| path.clone());
            let copied = self.copies.iter().map(|copy| &copy.place);
            is_system(&path) || copied.chain(&self.beyond).any(|place| path.starts_with(place))
        };
        let same =
            own.path == program.path && of_arguments(&program.args, &folder).iter().all(is_part);
        same.then(|| Snapshot { program: Some(program), ..self.clone() })
    }

    /// Returns the place where a program for these bots finds a file.
    pub(crate) fn seen(level: Level, snapshots: &[Arc<Snapshot>], file: &Path) -> PathBuf {
        let mounts = |missing: &Missing| missing.mechanism == Mechanism::Mounts;
        let in_place = level != Level::Off && !sandbox::missing().iter().any(mounts);
        let copy = (!in_place).then(|| Snapshot::shown(snapshots).copy_of(&whole(file))).flatten();
        copy.unwrap_or_else(|| file.to_owned())
    }

    /// Replaces the paths of copies in a text by those of the originals.
    pub(crate) fn with_places(options: &HostOptions, text: &str) -> String {
        let copies = options.snapshots.iter().flat_map(|snapshot| &snapshot.copies);
        copies.fold(text.to_owned(), |text, copy| match copy.path() {
            Some(path) => text.replace(&*path.to_string_lossy(), &copy.place.to_string_lossy()),
            None => text,
        })
    }
}

/// Returns the one digest, or the digest of several digests' bytes one after another.
fn joined(digests: &[blake3::Hash]) -> Option<String> {
    match digests {
        [] => None,
        [one] => Some(one.to_string()),
        several => {
            let all: Vec<u8> = several.iter().flat_map(|digest| *digest.as_bytes()).collect();
            Some(blake3::hash(&all).to_string())
        }
    }
}

fn whole(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A bot while it is read.
struct Reading<'a> {
    options: &'a HostOptions,
    /// The starter of programs, if copies are wanted.
    launcher: Option<Launcher>,
    /// Folders that bots may write to: they change, so the originals are shown.
    writable: Vec<PathBuf>,
    copies: Vec<Arc<SnapshotCopy>>,
    links: BTreeSet<(PathBuf, PathBuf)>,
    beyond: Vec<PathBuf>,
    /// Files of the arena that may lie in the folders of bots.
    foreign: Vec<PathBuf>,
    notices: Vec<String>,
}

impl<'a> Reading<'a> {
    fn new(options: &'a HostOptions, launcher: Option<Launcher>) -> Reading<'a> {
        let writable =
            options.sandbox.write.iter().filter_map(|path| path.canonicalize().ok()).collect();
        // A bot's compiled code is no part of it.
        let own = std::iter::once(cache::place(options));
        let foreign = options.foreign.iter().cloned().chain(own);
        let foreign = foreign.filter_map(|path| path.canonicalize().ok()).collect();
        let (copies, links, beyond, notices) = Default::default();
        Reading { options, launcher, writable, copies, links, beyond, foreign, notices }
    }

    /// Copies a folder or a file that the bot sees as its own.
    fn root(&mut self, path: &Path) -> Result<(), OpenError> {
        let Ok(place) = path.canonicalize() else { return Ok(()) };
        self.note_links(path);
        if is_system(&place) || self.is_seen(&place) {
            return Ok(());
        }
        if place.is_file() {
            return self.file(&place).map(drop);
        }
        if self.writable.iter().any(|folder| place.starts_with(folder)) {
            return Ok(());
        }
        let Some(entries) = folder::list(&place, &self.foreign, &self.writable) else {
            self.notices.push(format!(
                "{} holds more than {FILES} files or {} MiB: only the files that the bot's text \
                 names are digested, and the others are read as they are",
                place.display(),
                BYTES >> 20
            ));
            self.beyond.push(place);
            return Ok(());
        };
        let copied = SnapshotCopy::of_folder(&place, entries, self.launcher.as_ref());
        let copy = copied.map_err(|source| copy_error(&place, source))?;
        let unchanging = |path: &PathBuf| !self.writable.contains(path);
        let live: Vec<PathBuf> = copy.live().filter(unchanging).collect();
        self.beyond.extend(live);
        self.copies.push(copy);
        Ok(())
    }

    /// Returns whether a folder or file is part of a copied folder.
    fn is_seen(&self, place: &Path) -> bool {
        let live = |copy: &Arc<SnapshotCopy>| copy.live().any(|live| place.starts_with(live));
        let within = |copy: &&Arc<SnapshotCopy>| {
            place.starts_with(&copy.place) && (place.is_dir() || copy.holds(place))
        };
        self.copies.iter().filter(within).any(|copy| !live(copy))
            || self.beyond.iter().any(|path| path == place)
    }

    /// Digests a file, and copies it unless it is copied; `None` if it is too large.
    fn file(&mut self, path: &Path) -> Result<Option<blake3::Hash>, OpenError> {
        let read = |source| OpenError::Read { path: path.to_owned(), source };
        let place = path.canonicalize().map_err(read)?;
        self.note_links(path);
        if fs::metadata(&place).map_err(read)?.len() > BYTES {
            let notice = format!(
                "{} is larger than {} MiB: it is not digested, and played as it is",
                path.display(),
                BYTES >> 20
            );
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
                self.beyond.push(place);
            }
            return Ok(None);
        }
        if let Some(copy) = self.copies.iter().find(|copy| copy.place == place) {
            return Ok(Some(copy.digest));
        }
        if let Some(copied) = self.copied(&place) {
            return Ok(Some(SnapshotCopy::of_file(&copied, None).map_err(read)?.digest));
        }
        // Copies do not hide the system's own programs.
        let launcher = self.launcher.as_ref().filter(|_| !is_system(&place));
        let copy =
            SnapshotCopy::of_file(&place, launcher).map_err(|source| copy_error(path, source))?;
        let digest = copy.digest;
        self.copies.push(copy);
        Ok(Some(digest))
    }

    /// Returns the copy of a file in a copied folder, or the file itself without any copies.
    fn copied(&self, place: &Path) -> Option<PathBuf> {
        let copy = self.copies.iter().find(|copy| copy.holds(place))?;
        match copy.path() {
            Some(path) => Some(path.join(place.strip_prefix(&copy.place).ok()?)),
            None => Some(place.to_owned()),
        }
    }

    /// Notes the links on the way to a bot, so that they keep their targets.
    fn note_links(&mut self, path: &Path) {
        for folder in path.ancestors().filter(|folder| !is_system(folder)) {
            if let (true, Ok(target)) = (folder.is_symlink(), fs::read_link(folder)) {
                let place = folder.parent().and_then(|parent| parent.canonicalize().ok());
                let name = folder.file_name();
                if let (Some(parent), Some(name)) = (place, name) {
                    let next = parent.join(&target);
                    if self.links.insert((parent.join(name), target)) {
                        self.note_links(&next);
                    }
                }
            }
        }
    }

    /// Makes the snapshot.
    ///
    /// `named` are the digests of the files that the bot's text names, unless one is too large.
    fn finish(self, parts: BotFiles, named: Option<Vec<blake3::Hash>>) -> Snapshot {
        let Reading { options, mut copies, links, mut beyond, foreign, notices, .. } = self;
        let is_named = |copy: &SnapshotCopy| {
            parts.named.iter().any(|file| file.canonicalize().is_ok_and(|file| file == copy.place))
        };
        let digests = |wanted: &dyn Fn(&SnapshotCopy) -> bool| -> Vec<blake3::Hash> {
            copies.iter().filter(|copy| wanted(copy)).map(|copy| copy.digest).collect()
        };
        let others = digests(&|copy| copy.entries.is_none() && !is_named(copy));
        let folders = digests(&|copy| copy.entries.is_some());
        let covers = match &named {
            None => Coverage::None,
            Some(_) if !folders.is_empty() => Coverage::Folder,
            Some(named) => match named.len() + others.len() {
                0 => Coverage::None,
                1 => Coverage::File,
                _ => Coverage::Files,
            },
        };
        let all = named.as_ref().map(|named| [named.as_slice(), &others, &folders].concat());
        beyond.extend(parts.libraries);
        beyond.extend(options.sandbox.read.iter().map(whole));
        beyond.sort();
        beyond.dedup();
        beyond.retain(|path| !copies.iter().any(|copy| copy.place == *path));
        copies.retain(|copy| copy.path().is_some());
        Snapshot {
            program: parts.program,
            digest: all.as_deref().and_then(joined),
            covers,
            files: parts.named,
            named: named.as_deref().and_then(joined),
            copies,
            links: links.into_iter().collect(),
            beyond,
            foreign,
            notices,
            _folder: None,
            home: None,
        }
    }
}

/// Returns the error of a failed read of `path`, or of missing room for a copy.
pub(crate) fn copy_error(path: &Path, source: io::Error) -> OpenError {
    const COPY: &str = "the copy of the bot, in the folder for temporary files (TMPDIR),";
    if source.kind() == io::ErrorKind::ReadOnlyFilesystem {
        return OpenError::Machine(format!("cannot prepare {COPY}: {source}"));
    }
    match shortage::behind(&source, format_args!("{COPY} cannot be made")) {
        Some(shortage) => OpenError::Shortage(shortage),
        None => OpenError::Read { path: path.to_owned(), source },
    }
}
