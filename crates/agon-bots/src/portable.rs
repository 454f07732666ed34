//! What another machine needs of a bot: its files as they were read, and the text that runs it
//! there.
//!
//! Matches on other machines use it (`agon-remote`).

use std::path::{Path, PathBuf};

use crate::{BotSpec, ClojureFile, folder_bot::manifest, snapshot::OnlyCopy, spec::BotSource};

/// A bot on its way to another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portable {
    /// Its files.
    pub files: PortableFiles,
    /// The bot as `agon play` takes it in the folder of its files.
    pub run: String,
    /// The program that has to be on the machine, such as `python3`; `None` if none has.
    pub runtime: Option<String>,
}

/// Where the files of a bot are on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortableFiles {
    /// All files below this folder.
    Folder(PathBuf),
    /// One file, with this name.
    File {
        /// Where it is.
        path: PathBuf,
        /// Its name in the bot's folder.
        name: String,
    },
}

impl BotSpec {
    /// Returns the folders and files of this machine that a bot sees beside installed runtimes,
    /// once it has been read.
    ///
    /// They are empty for a bot without files, and for one whose copied files are all that it sees.
    pub fn sees(&self) -> Vec<PathBuf> {
        let Some(snapshot) = self.snapshot().filter(|_| self.home().is_none()) else {
            return Vec::new();
        };
        let own = snapshot.places().chain(self.copied().map(|bot| bot.place.as_path()));
        let mut all: Vec<PathBuf> =
            own.map(Path::to_owned).chain(snapshot.other_places().iter().cloned()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns what another machine needs of a bot that has been read.
    ///
    /// `None` if the bot has no files, or its files are in several folders.
    pub fn portable(&self) -> Option<Portable> {
        let (files, run) = match self.copied() {
            Some(bot) => {
                let run = manifest::read(&bot.folder).ok()?.spec();
                (PortableFiles::Folder(bot.folder.clone()), run)
            }
            None => {
                let copy = self.snapshot()?.only_copy()?;
                let run = self.source().moved(&|path| copy.below(path))?;
                (files(&copy)?, run)
            }
        };
        Some(Portable { files, run, runtime: self.runtime() })
    }
}

fn files(copy: &OnlyCopy<'_>) -> Option<PortableFiles> {
    let path = copy.path.clone();
    if copy.is_folder {
        return Some(PortableFiles::Folder(path));
    }
    let name = copy.place.file_name()?.to_str()?.to_owned();
    Some(PortableFiles::File { path, name })
}

impl BotSource {
    /// Returns the text of the same bot with its files elsewhere.
    fn moved(&self, below: &dyn Fn(&Path) -> Option<String>) -> Option<String> {
        let words = |words: &[String]| {
            let is_program = |at: usize, word: &str| at > 0 || word.contains('/');
            let moved = words.iter().enumerate().map(|(at, word)| {
                let file = Path::new(word);
                match is_program(at, word) && file.is_file() {
                    true => Some(below(file)?),
                    false => Some(word.clone()),
                }
            });
            let words: Vec<String> = moved.collect::<Option<_>>()?;
            shlex::try_join(words.iter().map(String::as_str)).ok()
        };
        match self {
            BotSource::C(path) | BotSource::Library(path) => below(path),
            BotSource::Wasm(path) => Some(BotSource::Wasm(below(path)?.into()).to_string()),
            BotSource::Clojure(ClojureFile { path, function }) => {
                let path = below(path)?.into();
                Some(ClojureFile { path, function: function.clone() }.to_string())
            }
            BotSource::Program { words: own, .. } => words(own),
            BotSource::Json { words: own, .. } => Some(format!("jsonl:{}", words(own)?)),
            BotSource::Builtin { .. }
            | BotSource::Folder(_)
            | BotSource::Connect(_)
            | BotSource::Human => None,
        }
    }
}
