//! Matches on other machines: `agon worker` and `--on`, with a real NATS server.

mod chaos;
mod refusals;
mod secured;
mod storm;
mod tables;

use std::process::{Child, Stdio};
use std::{fs::File, path::Path};

use agon_testkit::nats::NatsServer;
use rustix::process::Signal;

use crate::support::{Done, TestDir, end_of, signal, until};

/// A server with workers, and a folder in which tournaments are played.
struct Fleet {
    server: NatsServer,
    dir: TestDir,
    workers: Vec<Worker>,
}

/// A worker, which writes to a file.
struct Worker {
    child: Child,
    log: String,
}

impl Fleet {
    /// Starts a server and so many workers with two slots each.
    fn start(plan: &str, workers: usize) -> Fleet {
        let server = NatsServer::start();
        let dir = TestDir::with_plan(plan);
        let mut fleet = Fleet { server, dir, workers: Vec::new() };
        (0..workers).for_each(|_| fleet.add_worker(""));
        fleet
    }

    fn add_worker(&mut self, flags: &str) {
        self.add_worker_with(flags, &[]);
    }

    /// Starts a worker with environment variables.
    fn add_worker_with(&mut self, flags: &str, env: &[(&str, &Path)]) {
        let log = format!("worker{}.log", self.workers.len());
        let line = format!("worker {} --slots 2 {flags}", self.server.address());
        let mut command = self.dir.agon(&line);
        command.envs(env.iter().copied());
        command.stdout(Stdio::null()).stderr(File::create(self.dir.path(&log)).unwrap());
        self.workers.push(Worker { child: command.spawn().unwrap(), log });
        let said = || self.said(self.workers.len() - 1);
        until("a worker", || said().contains("plays 2 matches at a time"));
    }

    /// Returns what a worker has said.
    fn said(&self, worker: usize) -> String {
        self.dir.read(&self.workers[worker].log)
    }

    /// Returns the line of a tournament on the fleet.
    fn line(&self, line: &str) -> String {
        format!("tournament {line} --on {}", self.server.address())
    }

    /// Plays a tournament to its end.
    #[track_caller]
    fn play(&self, line: &str) -> Done {
        self.dir.ok(&self.line(line))
    }

    fn begin(&self, line: &str) -> Child {
        self.dir.start(&self.line(line))
    }

    /// Compares a tournament that was played here with the same one on this machine.
    #[track_caller]
    fn check(&self, folder: &str) {
        same_as_here(&self.dir, "plan.toml", folder);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // A stopped process takes no other signal.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Plays a plan on this machine, and compares table and results with those in a folder.
#[track_caller]
fn same_as_here(dir: &TestDir, plan: &str, folder: &str) {
    let table = dir.ok(&format!("tournament {plan} --out {folder}-local")).out;
    let again = dir.ok(&format!("tournament resume {folder}")).out;
    assert_eq!(without_void(&again), without_void(&table));
    assert_eq!(dir.results(folder), dir.results(&format!("{folder}-local")));
}

/// Returns a table without the number of matches in which the machine stood still: it is busy, and
/// such matches are played again. Warnings compare workers, which are elsewhere alone.
fn without_void(table: &str) -> String {
    let table = table.split("\n\nwarning: ").next().unwrap_or_default().trim_end();
    let (head, rest) = table.split_once('\n').unwrap();
    let kept: Vec<&str> =
        head.split(" · ").filter(|part| !part.ends_with(" played again")).collect();
    format!("{}\n{rest}", kept.join(" · "))
}

/// Waits for the end of a run, and returns what it said.
#[track_caller]
fn end(run: Child) -> Done {
    let done = end_of(run);
    assert_eq!(done.code, Some(0), "{}", done.all());
    done
}

/// Stops a run with Ctrl-C.
#[track_caller]
fn interrupt(mut run: Child) {
    signal(&run, Signal::INT);
    assert_eq!(run.wait().unwrap().code(), Some(130));
}
