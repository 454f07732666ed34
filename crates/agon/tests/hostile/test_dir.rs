//! A place for a match with a hostile bot, and all that it may want to harm.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Outcome, traces};
use crate::support::names;

/// What nobody but the organiser may read.
pub(crate) const SECRET: &str = "xyzzy-8d1f-secret";

/// The longest that a match may take.
const TIMEOUT: Duration = Duration::from_secs(150);

/// Where a run of these tests by itself finds the program.
pub(crate) const AGON: &str = "AGON_HOSTILE_PROGRAM";

/// What the machine offers to a run: everything that `agon` needs, or no namespaces.
///
/// Where an ordinary user may have no namespaces, the tests fail until this says `fallback`:
/// nothing is skipped unasked.
const MODE: &str = "AGON_HOSTILE_MODE";

/// What is to be expected of the sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// All its mechanisms.
    Full,
    /// No namespaces.
    Fallback,
}

pub(crate) fn mode() -> Mode {
    let refused = std::env::var(MODE).is_ok_and(|mode| mode == "fallback");
    if refused { Mode::Fallback } else { Mode::Full }
}

pub(crate) fn set_mode(command: &mut Command, mode: Mode) {
    command.env(MODE, if mode == Mode::Full { "full" } else { "fallback" });
}

/// The folder that tests lock while they run, those of a run within another one, too.
const LOCKED: &str = "AGON_HOSTILE_LOCKED";

pub(crate) fn set_lock(command: &mut Command) {
    command.env(LOCKED, locked());
}

fn locked() -> PathBuf {
    std::env::var_os(LOCKED).map_or_else(std::env::temp_dir, PathBuf::from)
}

/// A folder for each: the hostile bot, another one, the organiser's home, temporary files.
pub(crate) struct TestDir {
    folder: TempDir,
    /// What is in the environment of all processes of a match, and in the names of files that bots
    /// make.
    pub(crate) mark: String,
    /// A number that nobody else uses.
    pub(crate) key: u32,
    /// A process of the organiser's.
    victim: Child,
    bait: Value,
    /// Held until all is over.
    _lock: File,
}

impl TestDir {
    pub(crate) fn new() -> TestDir {
        let lock = File::open(locked()).unwrap();
        lock.lock_shared().unwrap();
        TestDir::with(lock)
    }

    /// One beside which no other test runs: for bots that take the whole machine for a moment.
    /// Whatever ran beside them would rightly be void.
    pub(crate) fn alone() -> TestDir {
        let lock = File::open(locked()).unwrap();
        lock.lock().unwrap();
        TestDir::with(lock)
    }

    fn with(lock: File) -> TestDir {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let key = 1_000_000 + std::process::id() % 10_000_000 * 100 + number;
        let mark = format!("hostile-{key}");
        let folder = tempfile::Builder::new().prefix("agon-test-").tempdir().unwrap();
        // A bot of root's runs as a user of its own, who can get here.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["fox", "hen", "home/.ssh", "tmp", "cache", "lib"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let closed = ["hen/notes", "home/notes", "home/.ssh/id_rsa", "lib/key"]
            .map(|name| folder.path().join(name));
        for path in &closed {
            fs::write(path, SECRET).unwrap();
        }
        let victim = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
        let bait = json!({
            "mark": mark, "key": key, "secret": SECRET, "closed": closed, "victim": victim.id(),
            "tcp": 0, "tcp6": 0, "udp": 0, "unix": "/", "namespaces": mode() == Mode::Full,
        });
        let dir = TestDir { folder, mark, key, victim, bait, _lock: lock };
        dir.write("fox/attacker.py", include_str!("bots/attacker.py"));
        dir
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Tells the bot of something more.
    pub(crate) fn bait(&mut self, name: &str, value: impl Into<Value>) {
        self.bait[name] = value.into();
    }

    /// The command line of the hostile bot.
    pub(crate) fn attacker(&self, mode: &str) -> String {
        format!("python3 {} {mode}", self.path("fox/attacker.py").display())
    }

    /// The arena with these arguments, in this folder.
    pub(crate) fn agon(&self, args: &[&str]) -> Command {
        self.write("fox/bait.json", &self.bait.to_string());
        let program = match std::env::var_os(AGON) {
            Some(path) => path.into(),
            None => assert_cmd::cargo::cargo_bin!("agon").to_path_buf(),
        };
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.folder).stdin(Stdio::null());
        command
            .env("AGON_HOSTILE", &self.mark)
            .env("AWS_SECRET_ACCESS_KEY", SECRET)
            .env("AGON_DATABASE", format!("postgres://agon:{SECRET}@127.0.0.1/agon"))
            .env("AGON_TOKEN", format!("agon_{SECRET}"))
            .env("PYTHONPATH", self.path("lib"))
            .env("NO_COLOR", "1");
        for name in ["AGON_HOUSE", "JAVA_HOUSE", "LC_HOUSE", "PYTHONHOUSE"] {
            command.env(name, SECRET);
        }
        for (name, folder) in [("HOME", "home"), ("TMPDIR", "tmp"), ("XDG_CACHE_HOME", "cache")] {
            command.env(name, self.path(folder));
        }
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command
    }

    /// Plays a match of cluster against a well-behaved bot, and looks at what came of it and what
    /// is left.
    pub(crate) fn play(&self, bot: &str, args: &[&str]) -> Outcome {
        let usual =
            ["play", "cluster", bot, "builtin:greedy", "--set", "side=5", "--turns", "4", "--json"];
        self.run(&[&usual, args].concat())
    }

    /// Runs the arena and looks at what came of it and what is left.
    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        let (out, err) = (self.path("out"), self.path("err"));
        let mut command = self.agon(args);
        command.stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let begun = Instant::now();
        let mut arena = command.spawn().unwrap();
        let mut most = 0;
        let status = loop {
            if let Some(status) = arena.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > TIMEOUT {
                arena.kill().unwrap();
                panic!(
                    "the match has not ended after {TIMEOUT:?}: {}",
                    fs::read_to_string(&err).unwrap()
                );
            }
            most = most.max(traces::processes(self).len());
            thread::sleep(Duration::from_millis(20));
        };
        let outcome = Outcome::new(status, &out, &err, most);
        self.assert_unharmed(&outcome);
        outcome
    }

    /// The organiser's process and files are as before, and nothing is left.
    pub(crate) fn assert_unharmed(&self, outcome: &Outcome) {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.victim.id())).unwrap();
        let state = stat.rsplit(')').next().unwrap().split_whitespace().next().unwrap();
        assert_eq!(state, "S", "the victim: {outcome:?}");
        assert!(!outcome.everything.contains(SECRET), "{outcome:?}");
        for name in ["hen/notes", "home/notes", "home/.ssh/id_rsa"] {
            assert_eq!(fs::read_to_string(self.path(name)).unwrap(), SECRET, "{name}: {outcome:?}");
        }
        assert_eq!(names(self.path("home")), [".ssh", "notes"], "{outcome:?}");
        assert_eq!(names(self.path("hen")), ["notes"], "{outcome:?}");
        traces::assert_none(self);
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        let _ = self.victim.kill().and_then(|()| self.victim.wait());
    }
}
