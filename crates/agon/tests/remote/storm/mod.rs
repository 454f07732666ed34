//! Storms: three servers, eight workers and two coordinators, and everything that can happen to
//! them. No match is lost, none counts twice, and the tables are those of this machine.

mod cluster;
mod proxy;

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{path::PathBuf, thread};

use agon_core::{Purpose, Rng, Seed};
use rustix::process::Signal;

use self::{cluster::Cluster, proxy::Proxy};
use super::same_as_here;
use crate::support::{TestDir, root, signal};

const WORKERS: usize = 8;

/// Two tournaments: one of built-in bots, and one whose bots have files.
const TOURNAMENTS: [&str; 2] = ["swift", "files"];

/// The blows of a storm.
const BLOWS: u32 = 10;

/// How long a storm may take, with the calm after it.
const PATIENCE: Duration = Duration::from_secs(400);

/// The most times that a coordinator ends with an error and is started again, as a person would.
const STARTS: u32 = 25;

/// The streams, which somebody deletes.
const STREAMS: [&str; 5] =
    ["AGON_JOBS", "AGON_RESULTS", "AGON_RETURNS", "AGON_RUNS", "OBJ_agon-blobs"];

fn plans() -> [String; 2] {
    let greedy = root().join("examples/bots/cluster/greedy.py");
    let plan = |seed: u32, matches: u32, third: &str| {
        format!(
            "game = \"cluster\"\nseed = {seed}\nmatches = {matches}\nbots = [\"builtin:searcher\", \
             \"builtin:greedy\", \"{third}\"]\n\n[format]\nkind = \"round-robin\"\n"
        )
    };
    [plan(5, 140, "builtin:random"), plan(6, 20, &format!("python3 {}", greedy.display()))]
}

/// A coordinator or a worker, with its own way to the servers.
struct Member {
    proxy: Proxy,
    child: Child,
}

impl Drop for Member {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Storm {
    rng: Rng,
    dir: TestDir,
    cluster: Cluster,
    workers: Vec<Member>,
    /// `None` once a tournament is over.
    coordinators: Vec<Option<Member>>,
    /// How often a coordinator was started.
    starts: u32,
    shim: PathBuf,
}

impl Storm {
    fn begin(seed: u64) -> Storm {
        let dir = TestDir::new();
        for (name, plan) in TOURNAMENTS.iter().zip(plans()) {
            dir.write(&format!("{name}.toml"), plan);
        }
        dir.write("clock", "0");
        let shim = dir.path("shim.so");
        let source = root().join("crates/agon/tests/remote/storm/shim.c");
        let mut compile = Command::new("cc");
        compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&shim).arg(source);
        assert!(compile.status().unwrap().success());
        let rng = Seed::plain(seed).stream(Purpose::Sample, 0);
        let (workers, coordinators) = (Vec::new(), Vec::new());
        let cluster = Cluster::start();
        let mut storm = Storm { rng, dir, cluster, workers, coordinators, starts: 0, shim };
        (0..WORKERS).for_each(|_| storm.add_worker());
        for at in 0..TOURNAMENTS.len() {
            let member = storm.coordinator(at);
            storm.coordinators.push(Some(member));
        }
        storm
    }

    /// Returns a way to the servers, of which each is the first for some.
    fn proxy(&mut self) -> Proxy {
        let mut ports = self.cluster.ports();
        self.rng.shuffle(&mut ports);
        Proxy::start(ports)
    }

    fn log(&self, name: &str) -> File {
        File::options().create(true).append(true).open(self.dir.path(name)).unwrap()
    }

    fn add_worker(&mut self) {
        let proxy = self.proxy();
        let mut command = self.dir.agon(&format!("worker {} --slots 1", proxy.address()));
        if self.rng.below(2) == 0 {
            // Its clock jumps when the file changes, and sometimes its disk is full.
            command.env("LD_PRELOAD", &self.shim).env("STORM_CLOCK", self.dir.path("clock"));
            command.env("STORM_FULL", self.dir.path("full"));
        }
        let log = self.log("workers.log");
        let child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        self.workers.push(Member { proxy, child });
    }

    /// Starts a coordinator, or has another one continue its tournament.
    fn coordinator(&mut self, at: usize) -> Member {
        self.starts += 1;
        let (name, proxy) = (TOURNAMENTS[at], self.proxy());
        let begin = match self.dir.path(name).join("journal.jsonl").exists() {
            true => format!("resume {name}"),
            false => format!("{name}.toml --out {name}"),
        };
        let on = proxy.address();
        let mut command = self.dir.agon(&format!("tournament {begin} --replays none --on {on}"));
        command.env("LD_PRELOAD", &self.shim).env("STORM_FULL", self.dir.path("full"));
        if at == 1 {
            // Its disk is slow.
            command.env("STORM_FSYNC", "30");
        }
        let log = self.log(&format!("{name}.log"));
        let child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        Member { proxy, child }
    }

    /// Starts coordinators again that have ended too early. Returns whether all tournaments are
    /// over.
    fn tend(&mut self) -> bool {
        for at in 0..self.coordinators.len() {
            let Some(member) = &mut self.coordinators[at] else { continue };
            let Some(status) = member.child.try_wait().unwrap() else { continue };
            self.coordinators[at] = match status.success() {
                true => None,
                false => {
                    assert!(self.starts < STARTS, "{}", self.said());
                    // It may have been refused: a person waits a little.
                    thread::sleep(Duration::from_secs(1));
                    Some(self.coordinator(at))
                }
            };
        }
        self.coordinators.iter().all(Option::is_none)
    }

    /// Returns all that coordinators have said.
    fn said(&self) -> String {
        let read = |name: &&str| {
            fs::read_to_string(self.dir.path(&format!("{name}.log"))).unwrap_or_default()
        };
        TOURNAMENTS.iter().map(read).collect()
    }

    fn below(&mut self, count: usize) -> usize {
        self.rng.index(count)
    }

    fn pause(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least + self.rng.below(most - least))
    }

    /// Returns one of those who live: workers and coordinators.
    fn victim(&mut self) -> &Member {
        let living = self.workers.len() + self.coordinators.iter().flatten().count();
        let at = self.below(living);
        let all = self.workers.iter().chain(self.coordinators.iter().flatten());
        all.into_iter().nth(at).unwrap()
    }

    /// Does something bad. Returns what it was.
    fn strike(&mut self) -> &'static str {
        match self.below(13) {
            0 => {
                let at = self.below(self.workers.len());
                drop(self.workers.remove(at));
                self.add_worker();
                "a worker is killed, and another one comes"
            }
            1 => {
                let at = self.below(self.workers.len());
                signal(&self.workers[at].child, Signal::TERM);
                let _ = self.workers.remove(at).child.wait();
                self.add_worker();
                "a worker drains, and another one comes"
            }
            2 => {
                let (at, pause) = (self.below(3), self.pause(0, 5_000));
                self.cluster.kill(at, pause);
                "a server is killed and starts again"
            }
            3 => {
                let (at, pause) = (self.below(3), self.pause(500, 9_000));
                self.cluster.stop(at, pause);
                "a server stands still"
            }
            4 => {
                for at in 0..3 {
                    let pause = self.pause(0, 500);
                    self.cluster.kill(at, pause);
                    thread::sleep(Duration::from_secs(1));
                }
                "all servers are restarted in turn"
            }
            5 => {
                let stream = STREAMS[self.below(STREAMS.len())];
                self.cluster.delete(stream);
                "a stream is deleted"
            }
            6 | 7 => {
                let pause = self.pause(500, 14_000);
                self.victim().proxy.cut(pause);
                "a line is cut and mended"
            }
            8 => {
                let (ms, pause) = (self.rng.below(300), self.pause(1_000, 4_000));
                let victim = self.victim().proxy.clone();
                victim.delay(ms);
                thread::sleep(pause);
                victim.delay(0);
                "a line is slow for a while"
            }
            9 => {
                let pause = self.pause(500, 13_000);
                let victim = self.victim();
                signal(&victim.child, Signal::STOP);
                thread::sleep(pause);
                signal(&victim.child, Signal::CONT);
                "somebody stands still"
            }
            10 => {
                let at = self.below(self.coordinators.len());
                if self.coordinators[at].is_some() {
                    self.coordinators[at] = None;
                    self.coordinators[at] = Some(self.coordinator(at));
                }
                "a coordinator is killed, and another one continues"
            }
            11 => {
                let pause = self.pause(500, 5_000);
                self.dir.write("full", "");
                thread::sleep(pause);
                fs::remove_file(self.dir.path("full")).unwrap();
                "disks are full for a while"
            }
            _ => {
                let seconds = ["-86400", "3600", "0", "31"][self.below(4)];
                self.dir.write("clock", seconds);
                "clocks of workers jump"
            }
        }
    }

    /// Compares with the tables of this machine.
    fn check(&self) {
        for name in TOURNAMENTS {
            same_as_here(&self.dir, &format!("{name}.toml --replays none"), name);
        }
    }
}

/// Plays two tournaments in a storm.
fn storm(seed: u64) {
    let mut storm = Storm::begin(seed);
    let began = Instant::now();
    let mut blows = Vec::new();
    while !storm.tend() {
        assert!(began.elapsed() < PATIENCE, "storm {seed}: {blows:?}; {}", storm.said());
        let pause = storm.pause(200, 1_200);
        thread::sleep(pause);
        if (blows.len() as u32) < BLOWS {
            blows.push(storm.strike());
        }
    }
    eprintln!("storm {seed}: {:?}, {} starts: {blows:?}", began.elapsed(), storm.starts);
    assert!(blows.len() > 2, "the tournaments are too short for a storm");
    storm.check();
}

/// `AGON_STORMS=50` tries so many, from `AGON_FIRST_STORM` on; `AGON_STORMS=1
/// AGON_FIRST_STORM=7` repeats the one of this number.
#[test]
fn storms_change_no_table() {
    agon_testkit::slow!();
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let first = number("AGON_FIRST_STORM").unwrap_or(0);
    (first..first + number("AGON_STORMS").unwrap_or(2)).for_each(storm);
}
