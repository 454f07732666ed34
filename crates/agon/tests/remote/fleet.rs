//! A server and workers for a test.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use agon_testkit::nats::NatsServer;

use crate::tournament::test_dir::{TestDir, signal};

/// The longest that anything here may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// A server with workers, and a folder in which tournaments are played.
pub(super) struct Fleet {
    pub(super) server: NatsServer,
    pub(super) dir: TestDir,
    pub(super) workers: Vec<Worker>,
}

/// A worker, with what it writes.
pub(super) struct Worker {
    pub(super) child: Child,
    log: PathBuf,
}

impl Fleet {
    /// Starts a server and so many workers with two slots each.
    pub(super) fn start(plan: &str, workers: usize) -> Fleet {
        let mut fleet = Fleet {
            server: NatsServer::start(),
            dir: TestDir::with_plan(plan),
            workers: Vec::new(),
        };
        (0..workers).for_each(|_| fleet.add_worker(&[]));
        fleet
    }

    pub(super) fn add_worker(&mut self, more: &[&str]) {
        self.add_worker_with(more, &[]);
    }

    /// Starts a worker with environment variables.
    pub(super) fn add_worker_with(&mut self, more: &[&str], env: &[(&str, &Path)]) {
        let log = self.dir.path(&format!("worker{}.log", self.workers.len()));
        let mut command = with_parts(&self.dir, &[]);
        command.envs(env.iter().copied());
        command.args(["worker", &self.server.address(), "--slots", "2"]).args(more);
        command.stdout(Stdio::null()).stderr(File::create(&log).unwrap());
        let worker = Worker { child: command.spawn().unwrap(), log };
        wait_for("a worker", || worker.said().contains("plays 2 matches at a time"));
        self.workers.push(worker);
    }

    /// Returns a tournament on the fleet.
    pub(super) fn tournament(&self, args: &[&str]) -> Command {
        let mut command = with_parts(&self.dir, &["tournament"]);
        command.args(args).args(["--on", &self.server.address()]);
        command
    }

    /// Plays a tournament to its end, and returns what it said.
    #[track_caller]
    pub(super) fn play(&self, args: &[&str]) -> (String, String) {
        let output = self.tournament(args).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{args:?}: {said:?}");
        let [table, talk] = said;
        (table, talk)
    }

    /// Compares a tournament that was played here with the same one on this machine.
    #[track_caller]
    pub(super) fn check(&self, folder: &str) {
        let (table, _) = self.dir.succeed(&["plan.toml", "--out", "local"]);
        let (again, _) = self.dir.succeed(&["resume", folder]);
        assert_eq!(without_void(&again), without_void(&table));
        assert_eq!(self.dir.results(folder), self.dir.results("local"));
    }
}

impl Worker {
    pub(super) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Ends it at once.
    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(super) fn signal(&self, name: &str) {
        signal(&self.child, name);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A stopped process takes no other signal.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns `agon` in the folder of a test, which finds the program of the same build.
pub(super) fn with_parts(dir: &TestDir, args: &[&str]) -> Command {
    let agon = assert_cmd::cargo::cargo_bin!("agon");
    let mut command = Command::new(agon);
    command.args(args).current_dir(dir.path("")).env("NO_COLOR", "1");
    let nats = agon.with_file_name("agon-nats");
    if nats.is_file() {
        // Otherwise it would be built again, with the features of fewer packages.
        command.env("AGON_NATS", nats);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Returns a table without the number of matches in which the machine stood still: it is busy, and
/// such matches are played again. Warnings compare workers, which are elsewhere alone.
pub(super) fn without_void(table: &str) -> String {
    let table = table.split("\n\nwarning: ").next().unwrap_or_default().trim_end();
    let (head, rest) = table.split_once('\n').unwrap();
    let kept: Vec<&str> =
        head.split(" · ").filter(|part| !part.ends_with(" played again")).collect();
    format!("{}\n{rest}", kept.join(" · "))
}

/// Waits until something is so.
#[track_caller]
pub(super) fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what} does not come");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Waits for the end of a run, and returns what it said on stderr.
#[track_caller]
pub(super) fn end(run: Child) -> String {
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let _ = std::io::stderr().write_all(said.as_bytes());
    assert!(output.status.success(), "{said}");
    said
}
