//! Decides which JVM a species lives in, and starts the JVMs of a match side by side.

use std::path::{Path, PathBuf, absolute};
use std::sync::{Arc, Mutex, Weak};

use super::jvm::{Coming, Jvm, Jvms, Loaded, Shared, lock};
use super::{java::Java, places};
use crate::spec::{BotSource, ClojureFile};
use crate::{BotSpec, HostOptions, OpenError};

/// How many JVMs start side by side, at most.
const AHEAD: usize = 4;

impl Jvms {
    /// Announces the bots that will be opened, so that their JVMs start side by side.
    ///
    /// A shared JVM sees their folders from the beginning. Otherwise it would have to restart for
    /// each.
    pub fn expect<'a>(&self, bots: impl IntoIterator<Item = &'a BotSpec>) {
        let mut all = Vec::new();
        let bots = bots.into_iter().inspect(|bot| all.extend(files_of(bot)));
        let species = bots.filter_map(|bot| match &bot.playing().source {
            BotSource::Clojure(file) => Some((whole(file), bot.snapshot.iter().cloned().collect())),
            _ => None,
        });
        let (files, snapshots) = species.unzip();
        *lock(&self.coming) = Coming { files, snapshots, bots: all, ..Coming::default() };
    }

    /// Returns a JVM for a file alone, and the file's number there.
    pub(super) fn alone(
        &self,
        file: &ClojureFile,
        options: &HostOptions,
    ) -> Result<(Shared, usize), OpenError> {
        let (started, bots) = {
            let mut coming = lock(&self.coming);
            (coming.take(file, options), coming.bots.clone())
        };
        let mut jvm = started.unwrap_or_else(|| start(file, &bots, options))?;
        let number = load(&mut jvm, file)?;
        Ok((Arc::new(Mutex::new(jvm)), number))
    }

    /// Returns a JVM that others may share, and the file's number there.
    pub(super) fn shared(
        &self,
        file: &ClojureFile,
        options: &HostOptions,
    ) -> Result<(Shared, usize), OpenError> {
        let mut running = lock(&self.running);
        running.retain(|jvm| jvm.strong_count() > 0);
        for jvm in running.iter().filter_map(Weak::upgrade) {
            let loaded = {
                let mut jvm = lock(&jvm);
                if jvm.has_begun() {
                    continue;
                }
                jvm.load(file)?
            };
            if let Loaded::Number(number) = loaded {
                return Ok((jvm, number));
            }
        }
        let (files, others) = {
            let coming = lock(&self.coming);
            (coming.files.clone(), coming.snapshots.concat())
        };
        // Its own come first.
        let snapshots: Vec<_> = options.snapshots.iter().cloned().chain(others).collect();
        let level = options.sandbox.level;
        let files = files.iter().chain([file]);
        let folders = files.flat_map(|file| places::of_file(&file.path, level, &snapshots));
        let folders = folders.collect();
        let mut jvm = open(folders, &HostOptions { snapshots, ..options.clone() })?;
        jvm.ready()?;
        let number = load(&mut jvm, file)?;
        let jvm = Arc::new(Mutex::new(jvm));
        running.push(Arc::downgrade(&jvm));
        Ok((jvm, number))
    }
}

impl Coming {
    /// Takes the JVM of an expected file; it starts together with the next ones.
    fn take(
        &mut self,
        file: &ClojureFile,
        options: &HostOptions,
    ) -> Option<Result<Jvm, OpenError>> {
        let wanted = whole(file);
        let at = (self.next..self.files.len())
            .chain(0..self.next)
            .find(|&at| self.files[at] == wanted)?;
        self.next = at + 1;
        self.started.resize_with(self.files.len(), || None);
        let species = self.files.iter().zip(&self.snapshots).zip(&mut self.started);
        for ((file, snapshots), started) in species.skip(at).take(AHEAD) {
            let own = || HostOptions { snapshots: snapshots.clone(), ..options.clone() };
            started.get_or_insert_with(|| start(file, &self.bots, &own()));
        }
        self.started[at].take()
    }
}

/// Returns the files of a bot that its text names.
fn files_of(bot: &BotSpec) -> Vec<PathBuf> {
    let named: Vec<&Path> = match &bot.playing().source {
        BotSource::C(path) | BotSource::Library(path) | BotSource::Wasm(path) => vec![path],
        BotSource::Folder(folder) => vec![folder],
        BotSource::Clojure(file) => vec![&file.path],
        BotSource::Program { words, .. } => words.iter().map(Path::new).collect(),
        BotSource::Builtin { .. } | BotSource::Connect(_) | BotSource::Human => Vec::new(),
    };
    let there = named.into_iter().filter(|path| path.exists());
    there.flat_map(|path| [Some(whole_path(path)), path.canonicalize().ok()]).flatten().collect()
}

/// Starts a JVM for a file alone and begins to load the file. Does not wait.
fn start(file: &ClojureFile, bots: &[PathBuf], options: &HostOptions) -> Result<Jvm, OpenError> {
    let seen = places::of_file(&file.path, options.sandbox.level, &options.snapshots);
    let mut jvm = open(places::without_bots(seen, &file.path, bots), options)?;
    jvm.begin_to_load(file);
    Ok(jvm)
}

/// Loads the first file into a JVM.
fn load(jvm: &mut Jvm, file: &ClojureFile) -> Result<usize, OpenError> {
    match jvm.load(file)? {
        Loaded::Number(number) => Ok(number),
        Loaded::Taken => {
            let message =
                "its namespace is one of the arena's or of Clojure's own; give it another name";
            Err(OpenError::Load { path: file.path.clone(), message: message.to_owned() })
        }
    }
}

fn whole(file: &ClojureFile) -> ClojureFile {
    ClojureFile { path: whole_path(&file.path), ..file.clone() }
}

fn whole_path(path: &Path) -> PathBuf {
    absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Starts a JVM for files in these folders, and does not wait for it.
pub(super) fn open(read: Vec<PathBuf>, options: &HostOptions) -> Result<Jvm, OpenError> {
    Jvm::open(read, Java::find(options)?.launch(options), options.timing)
}
