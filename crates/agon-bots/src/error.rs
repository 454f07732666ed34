//! Errors of opening a bot, with a remedy where there is one. `agon` prints them before a match.

use std::{
    borrow::Cow,
    io,
    path::{Path, PathBuf},
};

use agon_core::ParamError;
use agon_match::spec::MANIFEST;
use thiserror::Error;

use crate::{BotKind, FolderError, Language, Shortage, shortage};

/// An error of opening a bot. Problems during a match are faults, never errors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such file.
    #[error("there is no file `{path}`{}", .suggestion.map(|s| format!("; did you mean \
        `builtin:{s}`?")).unwrap_or_default())]
    Missing {
        /// The file.
        path: String,
        /// The built-in bot that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// An interpreter is to run a script that is not there.
    #[error("`{interpreter}` would find no file `{script}`{}", .suggestion.as_ref().map(|s| format!(
        "; did you mean `{s}`?")).unwrap_or_default())]
    NoScript {
        /// The program that runs it.
        interpreter: String,
        /// The script.
        script: String,
        /// The file that was probably meant.
        suggestion: Option<String>,
    },
    /// There is no such file here, but a program of this name on `PATH`.
    #[error("there is no file `{word}` here; the program of this name is `{}`", .path.display())]
    OnPath {
        /// The typed word.
        word: String,
        /// The program.
        path: PathBuf,
    },
    /// The program of a command line is nowhere to be found.
    #[error("`{program}` is neither a program on PATH nor a file here (from \"{command}\")")]
    NoProgram {
        /// The first word.
        program: String,
        /// The whole command line.
        command: String,
    },
    /// The path belongs to something other than a file, such as a folder.
    #[error("`{}` is not a file", .path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The path, which should be that of a file, is the folder of a bot.
    #[error(
        "`{path}` is a folder, whose {MANIFEST} names the protocol; did you mean `{path}`, without \
         a protocol in front?",
        path = .path.display()
    )]
    FolderAsFile {
        /// The path.
        path: PathBuf,
    },
    /// A folder is no bot that can play.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The file exists but is not executable.
    #[error(
        "`{}` is not executable; `chmod +x` makes it so{}",
        .path.display(),
        interpreter_hint(.path)
    )]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The file is text, and nothing says which program runs it.
    #[error(
        "`{}` is text, and nothing says which program runs it: name that in front (`{} {}`), or \
         let the file begin with `#!/usr/bin/env {}`",
        .path.display(),
        interpreter_of(.path).unwrap_or("PROGRAM"),
        .path.file_name().unwrap_or(.path.as_os_str()).to_string_lossy(),
        interpreter_of(.path).unwrap_or("PROGRAM")
    )]
    NoInterpreter {
        /// The file.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The game has no such bot.
    #[error("{game} has no built-in bot `{name}`{}", match .suggestion {
        Some(s) => format!("; did you mean `builtin:{s}`?"),
        None => format!(" (there are: {})", .known.join(", ")),
    })]
    UnknownBuiltin {
        /// The game.
        game: &'static str,
        /// The name given.
        name: String,
        /// The game's bots.
        known: Vec<&'static str>,
        /// The one that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// A parameter of a built-in bot is wrong.
    #[error("builtin:{name}: {source}")]
    Param {
        /// The bot.
        name: String,
        /// The problem.
        source: ParamError,
    },
    /// The game takes no bots of this kind.
    #[error(
        "`{spec}`: {game} takes only {}{}",
        list(.takes),
        .proposal.as_ref().map(|proposal| format!("; {proposal}")).unwrap_or_default()
    )]
    Kind {
        /// The bot's text.
        spec: String,
        /// The game.
        game: &'static str,
        /// The kinds that it takes.
        takes: Vec<BotKind>,
        /// What was probably meant.
        proposal: Option<String>,
    },
    /// There is no compiler.
    #[error(
        "`{compiler}`, which should compile `{}`, cannot be started ({source}); install a compiler \
         for {language} (on Debian and Ubuntu: `apt install {packages}`) or name one in the \
         environment variable {variable}",
        .path.display(),
        packages = .language.packages(),
        variable = .language.compiler().1
    )]
    NoCompiler {
        /// The language.
        language: Language,
        /// The compiler that was tried.
        compiler: String,
        /// The source.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// There is no compiler for WebAssembly.
    #[error(
        "`{missing}`, which should compile `{}` to WebAssembly, is not there; install it (on \
         Debian and Ubuntu: `apt install {packages}`, and `{library}` for the C library) or name a \
         compiler in the environment variable {variable}",
        .path.display(),
        packages = crate::wasm::PACKAGES,
        library = crate::wasm::LIBRARY_PACKAGES,
        variable = crate::wasm::CLANG_VARIABLE
    )]
    NoClang {
        /// The program that is missing.
        missing: String,
        /// The source.
        path: PathBuf,
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
    /// The folder for compiled bots cannot be used.
    #[error("cannot write to the folder for compiled bots, `{}`: {source}", .path.display())]
    Cache {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The library cannot be loaded.
    #[error("`{}` cannot be loaded: {message}", .path.display())]
    Load {
        /// The library.
        path: PathBuf,
        /// The reason.
        message: String,
    },
    /// The program that loads native libraries is missing.
    #[error(
        "native libraries need the program `{}`, which is missing; {}",
        crate::native::HOST.program,
        crate::native::HOST.remedy()
    )]
    NoNative,
    /// The program that runs WebAssembly is missing.
    #[error(
        "WebAssembly bots need the program `{}`, which is neither beside this program nor on PATH; \
         {}, and {} names another place",
        crate::wasm::HOST.program,
        crate::wasm::HOST.remedy(),
        crate::wasm::HOST.variable
    )]
    NoWasm,
    /// The program that runs WebAssembly cannot be built.
    #[error(transparent)]
    WasmHost(agon_parts::PartError),
    /// There is no Java.
    #[error(
        "species in Clojure need Java, but `{}` cannot be started ({source}); install it (on \
         Debian and Ubuntu: `apt install {clojure} {packages}`; elsewhere a Java runtime of \
         version 11 or newer, from https://adoptium.net or your system's packages), or name one in \
         the environment variable {variable} or JAVA_HOME",
        .java.display(),
        clojure = crate::clojure::CLOJURE_PACKAGE,
        packages = crate::clojure::JAVA_PACKAGE,
        variable = crate::clojure::JAVA_VARIABLE
    )]
    NoJava {
        /// The program that was tried.
        java: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// There is no Clojure.
    #[error(
        "species in Clojure need Clojure, which is not in /usr/share/java; install it (on Debian \
         and Ubuntu: `apt install {package}`), or name its jars in the environment variable \
         {variable}, as in \
         {variable}=clojure-1.11.1.jar:spec.alpha-0.3.218.jar:core.specs.alpha-0.2.62.jar",
        package = crate::clojure::CLOJURE_PACKAGE,
        variable = crate::clojure::CLASSPATH_VARIABLE
    )]
    NoClojure,
    /// The Clojure that was found does not work.
    #[error(
        "Clojure does not work with the class path {class_path}; {variable} names another one. It \
         says:\n{said}",
        variable = crate::clojure::CLASSPATH_VARIABLE
    )]
    BadClojure {
        /// The class path.
        class_path: String,
        /// Its output.
        said: String,
    },
    /// The JVM does not start.
    #[error(
        "the JVM for species in Clojure does not start; {variable} adds arguments to its command \
         line. It says:\n{said}",
        variable = crate::clojure::OPTIONS_VARIABLE
    )]
    NoJvm {
        /// Its output.
        said: String,
    },
    /// An address has no meaning.
    #[error(
        "`{address}` is no address: {problem}; expected HOST:PORT, as in `connect:localhost:4000`, \
         or the path of a Unix socket, as in `connect:./bot.sock`"
    )]
    Address {
        /// The address.
        address: String,
        /// The problem.
        problem: String,
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
    /// The bot is a person, and there is no screen to ask a person here.
    #[error(
        "`{spec}`: a person needs a board on the screen; use `agon play` or a game's classic \
         command"
    )]
    Person {
        /// The bot's text.
        spec: String,
    },
    /// The arena cannot prepare what the bot needs, such as a folder for its files.
    #[error("cannot prepare {what}: {source}")]
    Prepare {
        /// The missing thing.
        what: &'static str,
        /// The reason.
        source: io::Error,
    },
    /// The arena or the machine lacks something that the bot needs.
    #[error("{0}")]
    Shortage(Shortage),
}

impl OpenError {
    /// Returns whether the machine lacks something that bots of this kind need: a compiler, a
    /// runtime, memory. It is not the bot's doing.
    pub fn is_lack_of_the_machine(&self) -> bool {
        matches!(
            self,
            OpenError::NoCompiler { .. }
                | OpenError::NoClang { .. }
                | OpenError::Cache { .. }
                | OpenError::NoNative
                | OpenError::NoWasm
                | OpenError::WasmHost(_)
                | OpenError::NoJava { .. }
                | OpenError::NoClojure
                | OpenError::BadClojure { .. }
                | OpenError::NoJvm { .. }
                | OpenError::Prepare { .. }
                | OpenError::Shortage(_)
        )
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
    pub(crate) fn unprepared(what: &'static str, source: io::Error) -> OpenError {
        match shortage::behind(&source, format_args!("{what} cannot be had")) {
            Some(shortage) => OpenError::Shortage(shortage),
            None => OpenError::Prepare { what, source },
        }
    }

    /// Names the source, which the person knows, in the error of its compiled library.
    pub(crate) fn of_source(self, source: &Path) -> OpenError {
        match self {
            OpenError::Load { message, .. } => OpenError::Load { path: source.to_owned(), message },
            other => other,
        }
    }
}

fn list(kinds: &[BotKind]) -> String {
    let kinds: Vec<String> = kinds.iter().map(BotKind::to_string).collect();
    match kinds.split_last() {
        Some((last, rest @ [_, ..])) => format!("{} and {last}", rest.join(", ")),
        _ => kinds.join(", "),
    }
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

fn interpreter_hint(path: &Path) -> String {
    let Some(interpreter) = interpreter_of(path) else { return String::new() };
    let path = path.to_string_lossy();
    // Quoting fails only for NUL, and no path has one.
    let path = shlex::try_quote(&path).unwrap_or(Cow::Borrowed(&path));
    format!(
        ", or name its interpreter: `{interpreter} {path}`, with `jsonl:` in front if it speaks \
         JSON Lines"
    )
}
