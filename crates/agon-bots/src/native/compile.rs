//! Compiles bots in C and C++ with the system's compilers, once for each content.
//!
//! The library's file name in the cache is the digest of everything that enters the compilation: the
//! preprocessed source (with the header and whatever else it includes), the compiler's version and the flags.

use std::{
    env,
    ffi::OsString,
    fmt, fs, io,
    path::{Path, PathBuf, absolute},
    time::Duration,
};

use agon_games::batch::{BOT_H, bot_h};
use tempfile::TempDir;

use crate::{
    Clock, HostOptions, Hosted, OpenError,
    clock::Timer,
    process::{Exit, Launch, Output, Process, Trouble},
};

/// A header that sources may include.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// Its name in `#include`.
    pub(crate) name: String,
    /// Its content.
    pub(crate) text: String,
    /// Whether sources need not include it.
    pub(crate) implied: bool,
}

impl Header {
    /// All headers for a game's bots.
    pub(crate) fn all<G: Hosted>() -> Vec<Header> {
        let explicit = |name, text| Header { name, text, implied: false };
        let own = G::C_HEADER.map(|(name, text)| Header {
            name: name.to_owned(),
            text: text.to_owned(),
            implied: true,
        });
        let game = explicit(G::HEADER.path(), G::HEADER.text());
        [explicit(BOT_H.to_owned(), bot_h()), game].into_iter().chain(own).collect()
    }
}

const FLAGS: [&str; 4] = ["-O2", "-shared", "-fPIC", "-lm"];

/// CPU time for one run of the compiler. Sources can keep a compiler busy for ever.
const COMPILING: Clock = Clock::cpu(Duration::from_secs(60));

/// How much of what the compiler says is kept, in bytes, and how many lines are shown.
const MESSAGE: usize = 256 << 10;
const LINES: usize = 40;

/// Compiles a source, unless that has been done before, and returns the library's path.
///
/// Several processes may do this at once: each compiles into a file of its own, and the last renames it.
///
/// # Errors
/// If there is no compiler, it refuses the source, or the cache cannot be written.
pub(crate) fn compile(
    source: &Path,
    headers: &[Header],
    options: &HostOptions,
) -> Result<PathBuf, OpenError> {
    let cache = options.cache.clone().unwrap_or_else(default_cache);
    let cache_error = |error| OpenError::Cache { path: cache.clone(), source: error };
    let work = prepare(&cache, headers).map_err(cache_error)?;
    let compiler = Compiler::find(source);
    let run = |flags: &[&str], output: &Path| {
        let mut args: Vec<OsString> = vec!["-I".into(), work.path().into()];
        for header in headers.iter().filter(|header| header.implied) {
            args.extend(["-include".into(), work.path().join(&header.name).into()]);
        }
        args.extend([source.into(), "-o".into(), output.into()]);
        args.extend(flags.iter().map(OsString::from));
        compiler.run(args)
    };
    let [preprocessed, library] = ["bot.i", "bot.so"].map(|name| work.path().join(name));
    run(&["-E", "-P"], &preprocessed)?;
    let key = key(&compiler.version()?, &fs::read(&preprocessed).map_err(cache_error)?);
    let cached = absolute(&cache).map_err(cache_error)?.join(format!("{key}.so"));
    if !cached.is_file() {
        run(&FLAGS, &library)?;
        fs::rename(&library, &cached).map_err(cache_error)?;
    }
    Ok(cached)
}

/// Makes a folder to work in, with the headers, in the cache, so that a library only has to be renamed.
fn prepare(cache: &Path, headers: &[Header]) -> io::Result<TempDir> {
    fs::create_dir_all(cache)?;
    let work = tempfile::tempdir_in(absolute(cache)?)?;
    for header in headers {
        let path = work.path().join(&header.name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, &header.text)?;
    }
    Ok(work)
}

fn key(version: &str, preprocessed: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for part in [version.as_bytes(), FLAGS.join(" ").as_bytes(), preprocessed] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize()
}

pub(crate) fn default_cache() -> PathBuf {
    let folder = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    base.unwrap_or_else(env::temp_dir).join("agon")
}

/// The system's compiler for the language of a source.
struct Compiler<'a> {
    language: Language,
    /// Its name and arguments that always come first, from the environment.
    words: Vec<String>,
    source: &'a Path,
}

/// A language of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C: `x.c`.
    C,
    /// C++: `x.cpp`, `x.cc`.
    Cpp,
}

impl Language {
    /// The language of a file of this name, if it is a source.
    pub(crate) fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cpp" | "cc" => Some(Language::Cpp),
            _ => None,
        }
    }

    /// The compiler that is tried first, and the environment variable that names another.
    pub(crate) fn compiler(self) -> (&'static str, &'static str) {
        match self {
            Language::C => ("cc", "CC"),
            Language::Cpp => ("c++", "CXX"),
        }
    }

    /// The Debian packages with a compiler.
    pub(crate) fn packages(self) -> &'static str {
        match self {
            Language::C => "gcc libc6-dev",
            Language::Cpp => "g++",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::C => "C",
            Language::Cpp => "C++",
        })
    }
}

impl Compiler<'_> {
    fn find(source: &Path) -> Compiler<'_> {
        // Only sources come here; one with another name would be C.
        let language = Language::of(source).unwrap_or(Language::C);
        let (name, variable) = language.compiler();
        let words =
            env::var(variable).ok().and_then(|text| shlex::split(&text)).filter(|words| !words.is_empty());
        Compiler { language, words: words.unwrap_or_else(|| vec![name.to_owned()]), source }
    }

    fn version(&self) -> Result<String, OpenError> {
        self.run(vec!["--version".into()])
    }

    /// Runs the compiler and returns what it says.
    fn run(&self, args: Vec<OsString>) -> Result<String, OpenError> {
        let first = self.words[1..].iter().map(OsString::from);
        let mut launch = Launch::new(&self.words[0], &first.chain(args).collect::<Vec<_>>());
        launch.output = Output::Talk;
        launch.tail = MESSAGE;
        let mut process = Process::spawn(launch).map_err(|error| OpenError::NoCompiler {
            language: self.language,
            compiler: self.words.join(" "),
            path: self.source.to_owned(),
            source: error,
        })?;
        let timer = Timer::start(Some(COMPILING), true, &process.meter());
        let ended = process.wait(&timer, |process| process.has_ended());
        let exit = process.exit();
        process.kill();
        let said = process.talk();
        match (ended, exit) {
            (Ok(()), Some(Exit { status: Some(0), .. })) => Ok(said),
            (Err(Trouble::Timeout), _) => {
                let seconds = COMPILING.then.as_secs();
                Err(self.refused(format!("the compiler was stopped after {seconds} s of CPU time")))
            }
            _ => Err(self.refused(said)),
        }
    }

    fn refused(&self, said: String) -> OpenError {
        let mut message: String = said.lines().take(LINES).collect::<Vec<_>>().join("\n");
        if said.lines().count() > LINES {
            message.push_str("\n...");
        }
        OpenError::Compile { path: self.source.to_owned(), message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_is_told_with_a_way_to_get_one() {
        for (file, packages, variable) in [("fox.c", "gcc libc6-dev", " CC"), ("fox.cpp", "g++", " CXX")] {
            let missing =
                Compiler { words: vec!["no-such-cc".to_owned()], ..Compiler::find(Path::new(file)) };
            let error = missing.version().unwrap_err().to_string();
            for part in ["`no-such-cc`", file, packages, variable] {
                assert!(error.contains(part), "{part} is missing in: {error}");
            }
        }
    }

    #[test]
    fn long_complaints_are_cut() {
        let compiler = Compiler { words: vec!["sh".to_owned()], ..Compiler::find(Path::new("fox.c")) };
        let error = compiler.run(vec!["-c".into(), "seq 100 >&2; exit 1".into()]).unwrap_err();
        let OpenError::Compile { message, .. } = error else { panic!("{error}") };
        assert!(message.starts_with("1\n2\n") && message.ends_with("\n40\n..."), "{message}");
    }

    #[test]
    fn whatever_enters_the_compilation_changes_the_key() {
        let key_of = key("cc 1", b"int x;");
        assert_ne!(key_of, key("cc 2", b"int x;"));
        assert_ne!(key_of, key("cc 1", b"int y;"));
        assert_ne!(key_of, key("cc 1int", b" x;"));
    }
}
