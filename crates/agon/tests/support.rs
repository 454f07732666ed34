//! A folder in which `agon` runs, and what it printed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::{collections::BTreeMap, fs, io::Read, os::unix::fs::PermissionsExt};

use assert_cmd::cargo::cargo_bin;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns a text in which `EXAMPLES` stands for the folder with the example bots, and `BOTS` for
/// that with the bots of these tests.
fn with_folders(text: &str) -> String {
    let bots = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots");
    text.replace("EXAMPLES", root().join("examples/bots").to_str().unwrap()).replace("BOTS", bots)
}

/// Returns the plan of a tournament of cluster in which all bots meet, on boards of this side.
pub(crate) fn round_robin(seed: u32, matches: u32, side: u32, bots: &[&str]) -> String {
    format!(
        "game = \"cluster\"\nseed = {seed}\nmatches = {matches}\nbots = {bots:?}\n\n[settings]\n\
         side = {side}\n\n[format]\nkind = \"round-robin\"\n"
    )
}

/// What matches left in the journal of a tournament, apart from what differs from run to run: how
/// long they took, how often they were void before, and who has played them.
pub(crate) type Results = BTreeMap<String, Value>;

/// A folder of its own, in which commands run.
pub(crate) struct TestDir(TempDir);

impl TestDir {
    pub(crate) fn new() -> TestDir {
        TestDir(TempDir::new().unwrap())
    }

    /// Makes a folder with `plan.toml`, in which `EXAMPLES` and `BOTS` stand for folders.
    pub(crate) fn with_plan(plan: &str) -> TestDir {
        let dir = TestDir::new();
        dir.write("plan.toml", with_folders(plan));
        dir
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

    /// Returns the command of a line, which is split as in a shell. `EXAMPLES` and `BOTS` stand
    /// for folders.
    pub(crate) fn agon(&self, line: &str) -> Command {
        let words = shlex::split(&with_folders(line)).expect("quotes come in pairs");
        self.agon_with(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Returns the command of these words, without a display and with a cache that all tests share.
    pub(crate) fn agon_with(&self, words: &[&str]) -> Command {
        let agon = cargo_bin("agon");
        let mut command = Command::new(&agon);
        let nats = agon.with_file_name("agon-nats");
        if nats.is_file() {
            // Otherwise it would be built again, with the features of fewer packages.
            command.env("AGON_NATS", nats);
        }
        command.args(words).current_dir(self.0.path()).stdin(Stdio::null());
        command.env("NO_COLOR", "1").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command.env_remove("AGON_VNC_PASSWORD");
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

    /// Runs a command that fails with an error that has all these words.
    #[track_caller]
    pub(crate) fn refuses<const N: usize>(&self, line: &str, words: [&str; N]) {
        self.ends(2, line).tells(words);
    }

    /// Starts a command whose output is read later.
    pub(crate) fn start(&self, line: &str) -> Child {
        self.agon(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Returns how many whole lines the journal of a tournament has, the first one apart.
    pub(crate) fn records(&self, folder: &str) -> usize {
        let journal = fs::read(self.path(folder).join("journal.jsonl")).unwrap_or_default();
        journal.iter().filter(|byte| **byte == b'\n').count().saturating_sub(1)
    }

    /// Waits until a journal has so many records, or the run is over.
    #[track_caller]
    pub(crate) fn wait_for(&self, folder: &str, records: usize, run: &mut Child) {
        until("a match", || self.records(folder) >= records || run.try_wait().unwrap().is_some());
    }

    /// Returns what is in a journal, each match once.
    #[track_caller]
    pub(crate) fn results(&self, folder: &str) -> Results {
        let mut results = Results::new();
        for line in self.read(&format!("{folder}/journal.jsonl")).lines().skip(1) {
            let mut record: Value = serde_json::from_str(line).unwrap();
            let fields = record.as_object_mut().unwrap();
            for differs in ["ms", "void", "sum"] {
                fields.remove(differs).unwrap();
            }
            fields.remove("machine");
            let id = fields["match"].as_str().unwrap().to_owned();
            assert!(results.insert(id.clone(), record).is_none(), "{id} is there twice");
        }
        results
    }

    /// Returns whether a process has this file on its command line.
    pub(crate) fn is_running(&self, file: &str) -> bool {
        let found = Command::new("pgrep").arg("-f").arg(self.path(file)).output().unwrap();
        !found.stdout.is_empty()
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

    /// Checks that standard error has all these words.
    #[track_caller]
    pub(crate) fn tells<const N: usize>(&self, all: [&str; N]) -> &Done {
        for words in all {
            assert!(self.err.contains(words), "no `{words}` in:\n{}", self.err);
        }
        self
    }

    /// Checks that standard error does not have these words.
    #[track_caller]
    pub(crate) fn tells_not(&self, words: &str) -> &Done {
        assert!(!self.err.contains(words), "`{words}` is in:\n{}", self.err);
        self
    }

    /// Checks that standard output has all these words.
    #[track_caller]
    pub(crate) fn prints<const N: usize>(&self, all: [&str; N]) -> &Done {
        for words in all {
            assert!(self.out.contains(words), "no `{words}` in:\n{}", self.out);
        }
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
    agon_testkit::eventually(what, || is_so().then_some(()));
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
