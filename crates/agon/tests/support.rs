//! A folder in which `agon` runs, and what it printed.

use std::{
    fs,
    io::Read,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use assert_cmd::cargo::cargo_bin;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A folder of its own, in which commands run.
pub(crate) struct TestDir(TempDir);

impl TestDir {
    pub(crate) fn new() -> TestDir {
        TestDir(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Writes a file, and makes the folders that it is in.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes a program that can be executed.
    pub(crate) fn program(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Returns the command of a line, which is split as in a shell. `EXAMPLES` stands for the
    /// folder with the example bots, `BOTS` for that with the bots of these tests.
    pub(crate) fn agon(&self, line: &str) -> Command {
        let line = line.replace("EXAMPLES", root().join("examples/bots").to_str().unwrap());
        let bots = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots");
        let words = shlex::split(&line.replace("BOTS", bots)).expect("quotes come in pairs");
        self.agon_with(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns the command of these words, without a display and with a cache that all tests share.
    pub(crate) fn agon_with(&self, words: &[&str]) -> Command {
        let mut command = Command::new(cargo_bin("agon"));
        command.args(words).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("NO_COLOR", "1").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command
    }

    pub(crate) fn run(&self, line: &str) -> Done {
        Done::of(&mut self.agon(line))
    }

    /// Runs a command that ends with this code.
    #[track_caller]
    pub(crate) fn ends(&self, code: i32, line: &str) -> Done {
        let done = self.run(line);
        assert_eq!(done.code, Some(code), "{line}: {}", done.all());
        done
    }

    /// Runs a command that succeeds.
    #[track_caller]
    pub(crate) fn ok(&self, line: &str) -> Done {
        self.ends(0, line)
    }

    /// Runs a command that fails, and returns its error.
    #[track_caller]
    pub(crate) fn fails(&self, line: &str) -> String {
        self.ends(2, line).err
    }

    /// Starts a command whose output is read later.
    pub(crate) fn start(&self, line: &str) -> Child {
        self.agon(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }
}

/// How a command ended, and what it printed.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    pub(crate) fn of(command: &mut Command) -> Done {
        command.output().unwrap().into()
    }

    /// Returns both streams.
    pub(crate) fn all(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// Checks that these words are printed.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> &Done {
        assert!(self.all().contains(words), "no `{words}` in:\n{}", self.all());
        self
    }

    /// Checks that these words are not printed.
    #[track_caller]
    pub(crate) fn hides(&self, words: &str) -> &Done {
        assert!(!self.all().contains(words), "`{words}` is in:\n{}", self.all());
        self
    }

    /// Reads standard output as JSON Lines.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        let line = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{}", self.all()));
        self.out.lines().map(line).collect()
    }

    /// Returns the data of the first line of a type.
    #[track_caller]
    pub(crate) fn data(&self, kind: &str) -> Value {
        let lines = self.lines();
        let line = lines.iter().find(|line| line["type"] == kind);
        line.unwrap_or_else(|| panic!("no {kind} in {}", self.all()))["data"].clone()
    }
}

impl From<Output> for Done {
    fn from(output: Output) -> Done {
        let [out, err] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        Done { code: output.status.code(), out, err }
    }
}

/// Waits for the end of a command.
pub(crate) fn end_of(child: Child) -> Done {
    child.wait_with_output().unwrap().into()
}

pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until something is so.
#[track_caller]
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "there is not {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns whether a process runs.
pub(crate) fn runs(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z")
}

/// Returns what is in a folder, in order.
pub(crate) fn names(folder: impl AsRef<Path>) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Waits until a program has said something on standard error, and returns all that it said there
/// until then. The rest stays in its pipe.
pub(crate) fn hears(child: &mut Child, what: &str) -> String {
    let pipe = child.stderr.as_mut().expect("standard error is a pipe");
    let mut said = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&said).contains(what) {
        let read = pipe.read(&mut byte).expect("the pipe can be read");
        assert!(read == 1, "it ended without `{what}`: {}", String::from_utf8_lossy(&said));
        said.push(byte[0]);
    }
    String::from_utf8(said).expect("it says text")
}
