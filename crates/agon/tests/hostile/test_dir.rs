//! A place for a match with a hostile bot, and all that it may want to harm; what came of the
//! match, and the traces that it could leave behind.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{os::unix::fs::PermissionsExt, thread};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{names, until};

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
    /// Whether nothing runs beside it, so that its processes can be counted.
    is_alone: bool,
    /// Held until all is over.
    _lock: File,
}

impl TestDir {
    pub(crate) fn new() -> TestDir {
        let lock = File::open(locked()).unwrap();
        lock.lock_shared().unwrap();
        TestDir::with(lock, false)
    }

    /// One beside which no other test runs: for bots that take the whole machine for a moment.
    /// Whatever ran beside them would rightly be void.
    pub(crate) fn alone() -> TestDir {
        let lock = File::open(locked()).unwrap();
        lock.lock().unwrap();
        TestDir::with(lock, true)
    }

    fn with(lock: File, is_alone: bool) -> TestDir {
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
        let dir = TestDir { folder, mark, key, victim, bait, is_alone, _lock: lock };
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

    /// The arena with the words of a line, in this folder.
    pub(crate) fn agon(&self, line: &str) -> Command {
        self.write("fox/bait.json", &self.bait.to_string());
        let program = match std::env::var_os(AGON) {
            Some(path) => path.into(),
            None => assert_cmd::cargo::cargo_bin!("agon").to_path_buf(),
        };
        let mut command = Command::new(program);
        let words = shlex::split(line).expect("quotes come in pairs");
        command.args(words).current_dir(&self.folder).stdin(Stdio::null());
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
    #[track_caller]
    pub(crate) fn play(&self, bot: &str, flags: &str) -> Outcome {
        let usual = "builtin:greedy --set side=5 --turns 4 --json";
        self.run(&format!("play cluster '{bot}' {usual} {flags}"))
    }

    /// Runs the arena and looks at what came of it and what is left.
    #[track_caller]
    pub(crate) fn run(&self, line: &str) -> Outcome {
        let (out, err) = (self.path("out"), self.path("err"));
        let mut command = self.agon(line);
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
            if self.is_alone {
                most = most.max(processes(self).len());
            }
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
        assert_no_trace(self);
    }
}

impl Drop for TestDir {
    fn drop(&mut self) {
        let _ = self.victim.kill().and_then(|()| self.victim.wait());
    }
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The exit code; `None` if a signal ended the arena.
    pub(crate) code: Option<i32>,
    /// The faults of the result, if there is one.
    pub(crate) faults: Vec<Value>,
    /// stdout and stderr.
    pub(crate) everything: String,
    /// The most processes that were seen at a time, the arena's included, if nothing ran beside it.
    pub(crate) most: usize,
}

impl Outcome {
    pub(crate) fn new(status: ExitStatus, out: &Path, err: &Path, most: usize) -> Outcome {
        let text = |path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        let (out, err) = (text(out), text(err));
        let result: Option<Value> =
            out.lines().last().and_then(|line| serde_json::from_str(line).ok());
        let faults = result.and_then(|result| result["data"]["faults"].as_array().cloned());
        let everything = format!("{out}\n{err}");
        Outcome { code: status.code(), faults: faults.unwrap_or_default(), everything, most }
    }

    /// The arena has ended in order, with a fault of the first bot alone.
    #[track_caller]
    pub(crate) fn fault(&self) -> &Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        assert!(self.faults.iter().all(|fault| fault["player"] == 0), "{self:?}");
        self.faults.first().unwrap_or_else(|| panic!("there is no fault: {self:?}"))
    }

    /// The same, and the fault is of this kind and says this.
    #[track_caller]
    pub(crate) fn expect(&self, kind: &str, detail: &str) {
        let fault = self.fault();
        let said = fault["detail"].as_str().unwrap();
        assert!(fault["kind"] == kind && said.contains(detail), "{kind} {detail}: {self:?}");
    }

    /// What worked of all that the bot tried; it came to its end.
    #[track_caller]
    pub(crate) fn harm(&self) -> Vec<String> {
        self.harm_in(self.fault())
    }

    /// The same for the bot of a fault.
    #[track_caller]
    pub(crate) fn harm_in(&self, fault: &Value) -> Vec<String> {
        let talk = fault["evidence"]["stderr_tail"].as_str().unwrap_or_default();
        assert!(
            talk.ends_with("done\n") || talk.ends_with("done"),
            "the bot broke down: {self:#?}"
        );
        let list = talk.lines().rev().find_map(|line| line.strip_prefix("harm: ")).unwrap();
        serde_json::from_str(list).unwrap()
    }

    /// Nothing worked.
    #[track_caller]
    pub(crate) fn assert_harmless(&self) {
        let harm = self.harm();
        assert!(harm.is_empty(), "this worked: {harm:#?}\n{self:?}");
    }
}

/// The processes of a test's matches: those that were started in its environment, in its folder, or
/// with its number as an argument.
pub(super) fn processes(dir: &TestDir) -> Vec<String> {
    let mark = format!("AGON_HOSTILE={}", dir.mark);
    let key = dir.key.to_string();
    let folder = dir.path("");
    let is_its = |process: &Path| {
        let holds = |name: &str, text: &str| {
            fs::read(process.join(name))
                .is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
        };
        let runs = fs::read_to_string(process.join("stat")).is_ok_and(|stat| {
            !matches!(
                stat.rsplit(')').next().unwrap_or("").split_whitespace().next(),
                Some("Z" | "X")
            )
        });
        runs && (holds("environ", &mark)
            || holds("cmdline", &key)
            || fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder)))
    };
    let entries = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let numbered = entries.filter(|path| {
        path.file_name().unwrap().to_string_lossy().chars().all(|c| c.is_ascii_digit())
    });
    numbered.filter(|path| is_its(path)).map(|path| describe(&path)).collect()
}

fn describe(process: &Path) -> String {
    let words = fs::read(process.join("cmdline")).unwrap_or_default();
    format!("{}: {}", process.display(), String::from_utf8_lossy(&words).replace('\0', " "))
}

/// Nothing is left: no process, temporary file, or shared memory.
fn assert_no_trace(dir: &TestDir) {
    assert_no_process(dir);
    assert_eq!(names(dir.path("tmp")), [] as [&str; 0], "temporary files are left");
    for folder in ["/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"] {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let left: Vec<_> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains(&dir.mark))
            .collect();
        assert_eq!(left, [] as [&str; 0], "in {folder}");
    }
    for kind in ["shm", "sem", "msg"] {
        let table = fs::read_to_string(format!("/proc/sysvipc/{kind}")).unwrap_or_default();
        let key = dir.key.to_string();
        let left =
            table.lines().filter(|line| line.split_whitespace().next() == Some(&key)).count();
        assert_eq!(left, 0, "{kind}: {table}");
    }
    let sockets = fs::read_to_string("/proc/net/unix").unwrap();
    let left: Vec<_> = sockets
        .lines()
        .filter(|line| line.contains("@agon") || line.contains(&*dir.path("tmp").to_string_lossy()))
        .collect();
    assert_eq!(left, [] as [&str; 0], "sockets are left");
}

pub(super) fn assert_no_process(dir: &TestDir) {
    until("an end of all processes", || processes(dir).is_empty());
}
