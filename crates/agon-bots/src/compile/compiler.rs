//! Runs a C or C++ compiler in a sandbox, with limits of time and memory.

use std::path::{Path, PathBuf, absolute};
use std::{env, ffi::OsString, fmt, io, time::Duration};

use agon_sandbox::Limits;

use crate::process::{Launch, Output, run_to_end};
use crate::sandbox::{Needs, folder_of};
use crate::tools::{ASKING, Found, Tool, not_on_path, version_in};
use crate::{Clock, HostOptions, OpenError, Snapshot, program::on_path, shortage};

/// CPU time for one run of the compiler. Sources can keep a compiler busy forever.
const COMPILING: Clock = Clock::cpu(Duration::from_secs(60));

/// Limits for each program of a compiler; the clock above sees only the first.
///
/// A few lines of macros can become a file of any size.
const LIMITS: Limits = Limits {
    cpu: Some(COMPILING.then.as_secs()),
    memory: Some(2 << 30),
    processes: None,
    files: None,
    file: Some(256 << 20),
};

/// How many bytes of the compiler's messages are kept, and how many lines are shown.
const MESSAGE: usize = 256 << 10;
const LINES: usize = 40;

/// A compiler and its task.
#[derive(Debug)]
pub(crate) struct Compiler<'a> {
    language: Language,
    /// Its name, and the arguments that always come first.
    words: Vec<String>,
    source: &'a Path,
    options: &'a HostOptions,
}

impl<'a> Compiler<'a> {
    /// Returns the system's compiler for a source, or the one that the environment names.
    pub(crate) fn system(source: &'a Path, options: &'a HostOptions) -> Compiler<'a> {
        // Only sources come here; a file with another name counts as C.
        let language = Language::of(source).unwrap_or(Language::C);
        let (name, variable) = language.compiler();
        let words = env::var(variable)
            .ok()
            .and_then(|text| shlex::split(&text))
            .filter(|words| !words.is_empty());
        Compiler {
            language,
            words: words.unwrap_or_else(|| vec![name.to_owned()]),
            source,
            options,
        }
    }

    /// Returns the C compiler of this path.
    pub(crate) fn at(program: String, source: &'a Path, options: &'a HostOptions) -> Compiler<'a> {
        Compiler { words: vec![program], ..Compiler::system(source, options) }
    }

    pub(super) fn version(&self) -> Result<String, OpenError> {
        self.ask(vec!["--version".into()])
    }

    /// Returns the compiler as a tool, with its version.
    pub(crate) fn tool(&self) -> Tool {
        let (name, variable) = self.language.compiler();
        let named = self.words[0] != name;
        let remedy = match named {
            true => format!("correct the environment variable {variable}, or unset it"),
            false => format!("apt install {}", self.language.packages()),
        };
        let program = &self.words[0];
        let found = match self.try_run(ASKING, vec!["--version".into()], None) {
            Ok(Ok(output)) => Ok(Found {
                path: on_path(program).unwrap_or_else(|| PathBuf::from(program)),
                version: version_in(&output),
            }),
            Ok(Err(message)) => Err(format!("`{}` fails: {message}", self.words.join(" "))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(not_on_path(program)),
            Err(error) => Err(format!("`{}`: {error}", self.words.join(" "))),
        };
        Tool::new(name, remedy, found)
    }

    /// Runs the compiler for quick information, such as its version.
    pub(crate) fn ask(&self, args: Vec<OsString>) -> Result<String, OpenError> {
        self.run_for(ASKING, args, None)
    }

    /// Runs the compiler, which may write to the folder `work`, and returns its output.
    pub(crate) fn run(
        &self,
        args: Vec<OsString>,
        work: Option<&Path>,
    ) -> Result<String, OpenError> {
        self.run_for(COMPILING, args, work)
    }

    fn run_for(
        &self,
        clock: Clock,
        args: Vec<OsString>,
        work: Option<&Path>,
    ) -> Result<String, OpenError> {
        match self.try_run(clock, args, work) {
            Ok(Ok(output)) => Ok(output),
            Ok(Err(message)) => Err(OpenError::Compile { path: self.source.to_owned(), message }),
            Err(error) => {
                let compiler = self.words.join(" ");
                let lack = shortage::behind(&error, format_args!("`{compiler}` cannot be started"));
                let (_, variable) = self.language.compiler();
                Err(OpenError::of_lack(lack, || {
                    format!(
                        "`{compiler}`, which should compile `{}`, cannot be started ({error}); \
                         install a compiler for {} (on Debian and Ubuntu: `apt install {}`) or \
                         name one in the environment variable {variable}",
                        self.source.display(),
                        self.language,
                        self.language.packages(),
                    )
                }))
            }
        }
    }

    /// Returns the compiler's output or, inside, its complaints; outside, why it cannot start.
    fn try_run(
        &self,
        clock: Clock,
        args: Vec<OsString>,
        work: Option<&Path>,
    ) -> io::Result<Result<String, String>> {
        let first = self.words[1..].iter().map(OsString::from);
        let mut launch = Launch::new(&self.words[0], &first.chain(args).collect::<Vec<_>>());
        launch.output = Output::Talk;
        launch.tail = MESSAGE;
        launch.limits = LIMITS;
        launch.sandbox = self.options.sandbox.clone();
        launch.snapshots.clone_from(&self.options.snapshots);
        // Sources include other files; the files beside a source belong to it.
        let source = absolute(self.source).unwrap_or_else(|_| self.source.to_owned());
        let write = work.map(Path::to_owned).into_iter().collect();
        let read = folder_of(&source, &self.options.snapshots);
        launch.needs = Needs { read, write, memory: LIMITS.memory, ..Needs::default() };
        let run = run_to_end(&launch, clock, self.options.stop.as_ref())?;
        if run.is_good() {
            return Ok(Ok(run.said));
        }
        if run.late {
            let seconds = clock.then.as_secs();
            return Ok(Err(format!("the compiler was stopped after {seconds} s of CPU time")));
        }
        let output = Snapshot::with_places(self.options, &run.said);
        let mut message: String = output.lines().take(LINES).collect::<Vec<_>>().join("\n");
        if output.lines().count() > LINES {
            message.push_str("\n...");
        }
        Ok(Err(message))
    }
}

/// A language of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// C: `x.c`.
    C,
    /// C++: `x.cpp`, `x.cc`.
    Cpp,
}

impl Language {
    /// Returns the language of a file with this name, if it is a source.
    pub(crate) fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "c" => Some(Language::C),
            "cpp" | "cc" => Some(Language::Cpp),
            _ => None,
        }
    }

    /// Returns the first compiler to try, and the environment variable that names another.
    ///
    /// It is the one for native libraries.
    pub(crate) fn compiler(self) -> (&'static str, &'static str) {
        match self {
            Language::C => ("cc", "CC"),
            Language::Cpp => ("c++", "CXX"),
        }
    }

    /// Returns the Debian packages with a compiler.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_compiler_is_told_with_a_way_to_get_one() {
        let options = HostOptions::default();
        for (file, packages, variable) in
            [("fox.c", "gcc libc6-dev", " CC"), ("fox.cpp", "g++", " CXX")]
        {
            let missing = Compiler::at("no-such-cc".to_owned(), Path::new(file), &options);
            let error = missing.version().unwrap_err().to_string();
            for part in ["`no-such-cc`", file, packages, variable] {
                assert!(error.contains(part), "{part} is missing in: {error}");
            }
        }
    }

    #[test]
    fn long_complaints_are_cut() {
        let options = HostOptions::default();
        let compiler = Compiler::at("sh".to_owned(), Path::new("fox.c"), &options);
        let error =
            compiler.run(vec!["-c".into(), "seq 100 >&2; exit 1".into()], None).unwrap_err();
        let OpenError::Compile { message, .. } = error else { panic!("{error}") };
        assert!(message.starts_with("1\n2\n") && message.ends_with("\n40\n..."), "{message}");
    }

    #[test]
    fn what_a_compiler_starts_is_bounded_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bot.i");
        let options = HostOptions::default();
        let compiler = Compiler::at("sh".to_owned(), Path::new("fox.c"), &options);
        let script = format!(
            "sh -c 'ulimit -t >&2; exec head -c 300m /dev/zero >{}'; exit 1",
            file.display()
        );
        let error =
            compiler.run(vec!["-c".into(), script.into()], Some(folder.path())).unwrap_err();
        let OpenError::Compile { message, .. } = error else { panic!("{error}") };
        assert!(message.starts_with("60\n"), "{message}");
        assert_eq!(Some(file.metadata().unwrap().len()), LIMITS.file, "{message}");
    }
}
