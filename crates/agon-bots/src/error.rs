//! Errors of opening a bot, with a remedy where there is one. `agon` prints them before a match.

use std::path::{Path, PathBuf};
use std::{borrow::Cow, fmt, io};

use thiserror::Error;

use crate::{FolderError, Shortage, shortage};

/// An error of opening a bot. Problems during a match are faults, never errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such file or program: what is missing, and the remedy.
    #[error("{0}")]
    Missing(String, &'static str),
    /// The bot's text names nothing that can play this game: why, and the remedy.
    #[error("{0}")]
    Unfit(String, &'static str),
    /// A folder is no bot that can play.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The compiler refused the source.
    #[error("`{}` does not compile:\n{message}", .path.display())]
    Compile {
        /// The source.
        path: PathBuf,
        /// The compiler's messages.
        message: String,
    },
    /// The bot's own way to build it fails.
    #[error("the build `{line}` fails: {message}")]
    Build {
        /// The shell line.
        line: String,
        /// What it said.
        message: String,
    },
    /// The library, module or Clojure file cannot be loaded.
    #[error("`{}` cannot be loaded: {message}", .path.display())]
    Load {
        /// The file.
        path: PathBuf,
        /// The reason.
        message: String,
    },
    /// There is no connection to a running program.
    #[error(
        "cannot connect to a bot at `{address}` ({source}); start the bot first, and have it \
         listen there before the match begins"
    )]
    Refused {
        /// The address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// The machine lacks something that bots of this kind need, such as a compiler or a folder.
    #[error("{0}")]
    Machine(String),
    /// The arena or the machine has not enough of something.
    #[error("{0}")]
    Shortage(Shortage),
}

/// The remedy for a text that names no file of a bot.
pub(crate) const NAME_IT: &str = "name the bot's file by its path, or quote the whole command line";

impl OpenError {
    /// Returns whether the machine lacks something that bots of this kind need: a compiler, a
    /// runtime, memory. It is not the bot's doing.
    pub fn is_lack_of_the_machine(&self) -> bool {
        matches!(self, OpenError::Machine(_) | OpenError::Shortage(_))
    }

    /// Returns what to do about it. `GAME` stands for the game.
    pub fn remedy(&self) -> &'static str {
        match self {
            OpenError::Missing(_, remedy) | OpenError::Unfit(_, remedy) => remedy,
            OpenError::Folder(FolderError::Run(_)) => {
                "correct the command line (`run` in agon.toml), or put the file that it names \
                 among the bot's files"
            }
            OpenError::Compile { .. } => "repair what the compiler complains about",
            OpenError::Load { .. } => {
                "see what the loader says; `agon rules GAME` tells which functions are wanted"
            }
            _ => "make the file readable",
        }
    }

    /// Returns the error of a source in the copy of a folder, with the folder that its author
    /// knows.
    pub(crate) fn of_copy(self, copy: &Path, place: &Path) -> OpenError {
        let (OpenError::Compile { path, message }, Some(copy_name), Some(place_name)) =
            (&self, copy.to_str(), place.to_str())
        else {
            return self;
        };
        let path = path.strip_prefix(copy).map_or_else(|_| path.clone(), |rest| place.join(rest));
        OpenError::Compile { path, message: message.replace(copy_name, place_name) }
    }

    /// Returns the error of something that the bot needs and cannot have.
    pub(crate) fn unprepared(what: &str, source: io::Error) -> OpenError {
        let lack = shortage::behind(&source, format_args!("{what} cannot be had"));
        OpenError::of_lack(lack, || format!("cannot prepare {what}: {source}"))
    }

    /// Returns a shortage as an error; without one, that of a machine which lacks this.
    pub(crate) fn of_lack(lack: Option<Shortage>, what: impl FnOnce() -> String) -> OpenError {
        lack.map_or_else(|| OpenError::Machine(what()), OpenError::Shortage)
    }

    /// Returns the error of a cache that cannot be used.
    pub(crate) fn of_cache(path: &Path, source: impl fmt::Display) -> OpenError {
        OpenError::Machine(format!(
            "cannot write to the folder for compiled bots, `{}`: {source}",
            path.display()
        ))
    }

    /// Names the source, which the person knows, in the error of its compiled library.
    pub(crate) fn of_source(self, source: &Path) -> OpenError {
        match self {
            OpenError::Load { message, .. } => OpenError::Load { path: source.to_owned(), message },
            other => other,
        }
    }
}

/// Proposes what was probably meant, at the end of a message.
pub(crate) fn did_you_mean(proposal: Option<impl fmt::Display>) -> String {
    proposal.map_or_else(String::new, |it| format!("; did you mean `{it}`?"))
}

/// Returns the usual interpreter of a script with this name.
pub(crate) fn interpreter_of(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()? {
        "py" => Some("python3"),
        "js" | "mjs" => Some("node"),
        "rb" => Some("ruby"),
        "sh" => Some("sh"),
        _ => None,
    }
}

/// Returns the error of a file that may not be executed.
pub(crate) fn not_executable(path: &Path) -> OpenError {
    let mut why = format!("`{}` is not executable; `chmod +x` makes it so", path.display());
    if let Some(interpreter) = interpreter_of(path) {
        let path = path.to_string_lossy();
        // Quoting fails only for NUL, and no path has one.
        let path = shlex::try_quote(&path).unwrap_or(Cow::Borrowed(&path));
        why += &format!(
            ", or name its interpreter: `{interpreter} {path}`, with `jsonl:` in front if it \
             speaks JSON Lines"
        );
    }
    OpenError::Unfit(why, "make it executable, or name the interpreter in front of it")
}

/// Returns the error of a text file, if nothing says which program runs it.
pub(crate) fn no_interpreter(path: &Path) -> OpenError {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let program = interpreter_of(path).unwrap_or("PROGRAM");
    let why = format!(
        "`{}` is text, and nothing says which program runs it: name that in front (`{program} \
         {name}`), or let the file begin with `#!/usr/bin/env {program}`",
        path.display()
    );
    OpenError::Unfit(why, "name the program that runs it in front of the file")
}
