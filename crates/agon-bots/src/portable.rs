//! Bots on their way to another machine: their files as they were read, and the text that runs
//! them there (`agon-remote`); and bots of match specs: built-in ones, and those whose files are in
//! a folder (`agon-arena`).

use std::path::{Component, Path, PathBuf};

use crate::sandbox::{installed, is_installed};
use crate::{
    BotSpec, ClojureFile, ParseSpecError, SandboxOptions, compile::Language, folder_bot::manifest,
    snapshot::OnlyCopy, spec::BotSource,
};

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
        let Some(snapshot) = self.snapshot.as_ref().filter(|_| self.home().is_none()) else {
            return Vec::new();
        };
        let own = snapshot.places().chain(self.copied().map(|bot| bot.place.as_path()));
        let mut all: Vec<PathBuf> =
            own.map(Path::to_owned).chain(snapshot.beyond.iter().cloned()).collect();
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
                let copy = self.snapshot.as_ref()?.only_copy()?;
                let run = self.source.moved(&|path| copy.below(path))?;
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
            BotSource::Program { words: own, protocol, .. } => {
                Some(format!("{}{}", protocol.prefix(), words(own)?))
            }
            BotSource::Builtin { .. }
            | BotSource::Folder(_)
            | BotSource::Connect(_)
            | BotSource::Human => None,
        }
    }
}

impl BotSpec {
    /// Makes a built-in bot with parameters, each a name and a value.
    pub fn of_builtin(name: &str, params: Vec<(String, String)>) -> BotSpec {
        BotSpec::of(BotSource::Builtin { name: name.to_owned(), params })
    }

    /// Returns the name and the parameters of a built-in bot; `None` of other bots.
    pub fn builtin(&self) -> Option<(&str, &[(String, String)])> {
        match &self.source {
            BotSource::Builtin { name, params } => Some((name, params)),
            _ => None,
        }
    }

    /// Returns the program that has to be on `PATH` for the bot to play, such as `python3`.
    ///
    /// It may also be the bot itself.
    pub fn runtime(&self) -> Option<String> {
        match &self.source {
            BotSource::Program { words, .. } => {
                let is_named = words.len() > 1 && !words[0].contains('/');
                is_named.then(|| words[0].clone())
            }
            BotSource::C(path) => {
                Some(Language::of(path).unwrap_or(Language::C).compiler().0.to_owned())
            }
            BotSource::Clojure(_) => Some("java".to_owned()),
            BotSource::Builtin { .. } | BotSource::Library(_) | BotSource::Wasm(_) => None,
            BotSource::Connect(_) | BotSource::Human => None,
            BotSource::Folder(folder) => match self.copied() {
                Some(bot) => bot.spec.runtime(),
                None => BotSpec::unread(folder)?.runtime(),
            },
        }
    }

    /// Parses the text of a bot whose files are in `folder`, wherever Agon was started.
    ///
    /// `None` if the bot has no files, or one outside of the folder. Whatever the text says, the
    /// bot will see the folder and what the operator allows, and nothing else of this machine's
    /// files.
    pub fn of_folder(folder: &Path, text: &str) -> Result<Option<BotSpec>, ParseSpecError> {
        BotSpec::of_folder_with(folder, text, &installed(&SandboxOptions::default()))
    }

    /// The same with these places of [`installed`] programs.
    pub(crate) fn of_folder_with(
        folder: &Path,
        text: &str,
        installed: &[PathBuf],
    ) -> Result<Option<BotSpec>, ParseSpecError> {
        Ok(BotSpec::parse(text, folder)?.in_folder(folder, installed))
    }

    /// Returns the same bot with its files in `folder`, where the paths in its text start.
    ///
    /// `None` if the bot has no files, or one outside of the folder. Arguments of programs do not
    /// change, because the program starts in the folder.
    #[must_use]
    fn in_folder(&self, folder: &Path, installed: &[PathBuf]) -> Option<BotSpec> {
        let file = |path: &Path| is_below(path).then(|| folder.join(path)).filter(|p| p.is_file());
        let words = |words: &[String]| {
            let mut words = words.to_vec();
            let first = Path::new(&words[0]);
            let is_interpreter =
                words.len() > 1 && first.is_absolute() && is_installed(first, installed);
            // A program on PATH may have its files among the arguments.
            let is_own = words.len() == 1 || words[0].contains('/') || folder.join(first).is_file();
            if is_own && !is_interpreter {
                let own = file(Path::new(words[0].trim_start_matches("./")))?;
                words[0] = own.to_str()?.to_owned();
            }
            let text = shlex::try_join(words.iter().map(String::as_str)).ok()?;
            Some((text, words))
        };
        let what = match &self.source {
            BotSource::Builtin { .. } | BotSource::Connect(_) | BotSource::Human => return None,
            BotSource::Folder(_) => return None,
            BotSource::C(path) => BotSource::C(file(path)?),
            BotSource::Library(path) => BotSource::Library(file(path)?),
            BotSource::Wasm(path) => BotSource::Wasm(file(path)?),
            BotSource::Clojure(ClojureFile { path, function }) => {
                BotSource::Clojure(ClojureFile { path: file(path)?, function: function.clone() })
            }
            BotSource::Program { words: own, protocol, .. } => {
                let (text, words) = words(own)?;
                BotSource::Program { text, words, protocol: *protocol }
            }
        };
        Some(BotSpec { home: Some(folder.to_owned()), ..BotSpec::of(what) })
    }
}

/// Returns whether a path consists of names alone, without `..` and the like.
fn is_below(path: &Path) -> bool {
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    path.components().all(is_name) && path != PathBuf::new()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::BotKind;

    #[test]
    fn files_are_below_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bin")).unwrap();
        for file in ["fox.c", "bin/my fox", "fox.py"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let placed = |text: &str| BotSpec::of_folder(folder.path(), text).unwrap();
        let path = |file: &str| folder.path().join(file).display().to_string();
        assert_eq!(placed("fox.c").unwrap().to_string(), path("fox.c"));
        let program = placed("jsonl:'bin/my fox' --fast").unwrap();
        assert_eq!(program.kind(), BotKind::Json);
        assert_eq!(program.to_string(), format!("jsonl:'{}' --fast", path("bin/my fox")));
        assert_eq!(placed("jsonl:python3 fox.py").unwrap().to_string(), "jsonl:python3 fox.py");
        // Bots see the programs of the system.
        assert_eq!(placed("/bin/sh fox.py").unwrap().to_string(), "/bin/sh fox.py");
        for text in [
            "hen.c",
            "../fox.c",
            "/bin/sh",
            "/opt/nowhere/sh fox.py",
            "../x y",
            "human",
            "builtin:greedy",
            "connect:localhost:1",
            "http://127.0.0.1:1",
        ] {
            assert_eq!(placed(text), None, "{text}");
        }
    }

    #[test]
    fn runtimes_are_programs_on_path() {
        let runtime = |text: &str| text.parse::<BotSpec>().unwrap().runtime();
        assert_eq!(runtime("jsonl:python3 fox.py").as_deref(), Some("python3"));
        assert_eq!(runtime("fox.cpp").as_deref(), Some("c++"));
        assert_eq!(runtime("fox.clj").as_deref(), Some("java"));
        for text in ["./fox x", "builtin:greedy", "fox.wasm", "human"] {
            assert_eq!(runtime(text), None, "{text}");
        }
    }

    #[test]
    fn a_text_may_have_a_name_in_front() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("bot.c"), "").unwrap();
        let spec = BotSpec::of_folder(folder.path(), "fox=bot.c").unwrap();
        assert_eq!(spec.map(|spec| spec.kind()), Some(BotKind::C));
        assert!(BotSpec::of_folder(folder.path(), "fox=other.c").unwrap().is_none());
    }
}
