//! The programs `agon` and `agon-nats` of a release build, and what they say.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use agon_testkit::nats::NatsServer;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::cpu::{children_of, cpu_of};

/// The bot in C that plays.
const BOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/bots/cluster/blocker.c");

/// A folder in which they run.
pub(crate) struct Programs {
    folder: TempDir,
    bin: PathBuf,
}

/// A server, and what its users need to reach it.
pub(crate) struct Server {
    /// Stops it when dropped.
    _running: NatsServer,
    pub(crate) address: String,
    /// The folder with its credentials; a plain one has none.
    credentials: Option<PathBuf>,
}

/// A tournament that is over.
pub(crate) struct Run {
    /// Matches a second.
    pub(crate) rate: f64,
    /// CPU time of the coordinator, with the program that speaks to the server, for each match.
    pub(crate) cpu_each: Duration,
}

/// A tournament that runs.
pub(crate) struct Running(Child);

impl Programs {
    pub(crate) fn new() -> Programs {
        let folder = tempfile::tempdir().unwrap();
        // Benchmarks are one folder further down.
        let own = std::env::current_exe().unwrap();
        let bin = own.ancestors().nth(2).unwrap().to_owned();
        for program in ["agon", "agon-nats"] {
            assert!(bin.join(program).is_file(), "{program} is not built: see the first lines");
        }
        let mut compiler = Command::new("cc");
        // In a folder of its own: a program travels with all files of its folder.
        fs::create_dir(folder.path().join("bot")).unwrap();
        compiler.args(["-O2", "-o"]).arg(folder.path().join("bot/blocker")).arg(BOT);
        assert!(compiler.status().unwrap().success());
        Programs { folder, bin }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn agon(&self) -> Command {
        let mut command = Command::new(self.bin.join("agon"));
        command.current_dir(self.folder.path()).env("AGON_NATS", self.bin.join("agon-nats"));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a tournament; the arguments are its folder, and more flags.
    pub(crate) fn start(&self, args: &[String]) -> Running {
        let log = File::create(self.path("log")).unwrap();
        let mut command = self.agon();
        command.args(["tournament", "plan.toml", "--out"]).args(args).stderr(log);
        Running(command.spawn().unwrap())
    }

    /// Plays a tournament.
    pub(crate) fn tournament(&self, args: &[String]) -> Run {
        let Running(mut child) = self.start(args);
        let mut cpu = Duration::ZERO;
        // The time of a process is gone with it: so it is read again and again.
        while child.try_wait().unwrap().is_none() {
            let mut all = children_of(child.id());
            all.push(child.id());
            cpu = cpu.max(cpu_of(&all));
            thread::sleep(Duration::from_millis(10));
        }
        let said = fs::read_to_string(self.path("log")).unwrap();
        let line = said.lines().find(|line| line.contains(" matches played in "));
        let line = line.unwrap_or_else(|| panic!("{said}"));
        // "1 200 matches played in 4.1 seconds, 32.5 a second"
        let count = number(line.split(" matches played").next().unwrap());
        let rate = line.rsplit(", ").next().unwrap().split(" a second").next().unwrap();
        Run { rate: number(rate), cpu_each: cpu.div_f64(count) }
    }

    /// Plays a tournament that says what happens inside.
    pub(crate) fn verbose_tournament(&self, args: &[String]) -> String {
        let mut command = self.agon();
        command.args(["tournament", "plan.toml", "--out"]).args(args);
        let output = command.env("AGON_LOG", "agon_remote=debug").stderr(Stdio::piped()).output();
        String::from_utf8(output.unwrap().stderr).unwrap()
    }
}

impl Server {
    pub(crate) fn plain() -> Server {
        let running = NatsServer::start();
        let address = running.address();
        Server { _running: running, address, credentials: None }
    }

    /// Starts one with TLS and signed messages.
    pub(crate) fn secured(programs: &Programs) -> Server {
        let mut command = programs.agon();
        command.args(["worker", "secure", "queue", "--host", "127.0.0.1"]);
        assert!(command.stderr(Stdio::null()).status().unwrap().success());
        let folder = programs.path("queue");
        let config = folder.join("nats-server.conf");
        let running = NatsServer::start_with(&["--config", config.to_str().unwrap()]);
        let address = running.address().replace("nats://", "tls://");
        Server { _running: running, address, credentials: Some(folder) }
    }

    /// The flags of a user.
    fn user(&self, name: &str) -> Vec<String> {
        let Some(folder) = &self.credentials else { return Vec::new() };
        let file = |name: &str| folder.join(name).display().to_string();
        let credentials = file(&format!("{name}.creds"));
        vec!["--authority".into(), file("authority.pem"), "--credentials".into(), credentials]
    }

    /// The arguments of a tournament in the folder `out` that is played on it.
    pub(crate) fn run(&self, out: &str) -> Vec<String> {
        let flags = [out, "--replays", "none", "--on", &self.address].map(str::to_owned);
        [flags.to_vec(), self.user("coordinator")].concat()
    }
}

impl Running {
    /// The processes of the coordinator.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let mut all = children_of(self.0.id());
        all.push(self.0.id());
        all
    }

    pub(crate) fn finish(mut self) {
        assert!(self.0.wait().unwrap().success());
    }

    pub(crate) fn interrupt(mut self) {
        kill_process(Pid::from_child(&self.0), Signal::INT).unwrap();
        self.0.wait().unwrap();
    }
}

/// Reads a number that may have thin blanks.
fn number(text: &str) -> f64 {
    let plain: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    plain.parse().unwrap_or_else(|_| panic!("`{text}` is no number"))
}

/// Returns the time that a line of a log begins with, such as `2026-11-26T20:11:05.123456Z`.
pub(crate) fn seconds_of_day(line: &str) -> f64 {
    let time = line.split('T').nth(1).and_then(|rest| rest.split('Z').next());
    let parts = time.unwrap_or_else(|| panic!("no time in {line}")).split(':');
    parts.fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().unwrap())
}

/// A worker that runs. Dropping it ends it.
pub(crate) struct Worker {
    child: Child,
    log: PathBuf,
}

impl Worker {
    /// Starts one; with `-vv` it says when it plays a match, which costs it time.
    pub(crate) fn start(programs: &Programs, server: &Server, more: &[&str]) -> Worker {
        let log = programs.path("worker.log");
        let mut command = Command::new(programs.bin.join("agon-nats"));
        command.arg(&server.address).args(server.user("worker")).args(more).env("NO_COLOR", "1");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log).unwrap());
        Worker { child: command.spawn().unwrap(), log }
    }

    pub(crate) fn wait_until_ready(&self) {
        let began = Instant::now();
        while !self.said().contains("matches at a time") {
            assert!(began.elapsed() < Duration::from_secs(30), "{}", self.said());
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn said(&self) -> String {
        fs::read_to_string(Path::new(&self.log)).unwrap()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}
