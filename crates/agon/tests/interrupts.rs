//! Ctrl-C while a bot hangs: the arena says at once what it waits for, and a second one ends it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use assert_cmd::cargo::cargo_bin;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Reads up to the empty line that ends a question, tells by a file that it has been asked, and
/// hangs.
const BOT: &str = "import sys, time
while line := sys.stdin.readline():
    if not line.strip():
        break
else:
    sys.exit()
open('asked', 'w').close()
time.sleep(1000)
";

const PLAN: &str = "game = \"cluster\"
bots = [\"python3 bot.py\", \"builtin:random\"]
[format]
kind = \"round-robin\"
[time]
clock = false
[sandbox]
level = \"off\"
";

/// Commands that play with the bot.
const COMMANDS: [&[&str]; 7] = [
    &["play", "cluster", "python3 bot.py", "builtin:random", "--no-clock", "--sandbox", "off"],
    &["binfection", "python3 runner.py", "builtin:random", "--no-clock", "--sandbox", "off"],
    &["check", "cluster", "python3 bot.py", "--time", "600000", "--sandbox", "off"],
    &[
        "replay",
        "ask",
        "m.agon",
        "--step",
        "0",
        "--bot",
        "python3 bot.py",
        "--no-clock",
        "--sandbox",
        "off",
    ],
    &[
        "compare",
        "python3 bot.py",
        "builtin:random",
        "--game",
        "cluster",
        "--no-clock",
        "--sandbox",
        "off",
    ],
    &[
        "tune",
        "python3 bot.py {x}",
        "--game",
        "cluster",
        "--param",
        "x=1..9",
        "--no-clock",
        "--sandbox",
        "off",
    ],
    &["tournament", "cup.toml"],
];

/// A folder with the bot, and what else the commands need.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bot.py"), BOT).unwrap();
    let runner = "import time\nopen('asked', 'w').close()\ntime.sleep(1000)\n";
    fs::write(folder.path().join("runner.py"), runner).unwrap();
    fs::write(folder.path().join("cup.toml"), PLAN).unwrap();
    let play = "play cluster builtin:random builtin:random --set side=3 --seed 1 --replay m.agon";
    let mut command = Command::new(cargo_bin("agon"));
    let status =
        command.current_dir(folder.path()).args(play.split(' ')).stdout(Stdio::null()).status();
    assert!(status.unwrap().success());
    folder
}

/// An arena with what it says, line by line.
struct Arena {
    child: Child,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Arena {
    /// Starts a command, and waits until the bot has been asked.
    fn asking(folder: &TempDir, args: &[&str]) -> Arena {
        let mut command = Command::new(cargo_bin("agon"));
        command.args(args);
        Arena::started(folder, args, command)
    }

    fn started(folder: &TempDir, args: &[&str], mut command: Command) -> Arena {
        command.current_dir(folder.path()).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (send, lines) = mpsc::channel();
        thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(line))
        });
        let begun = Instant::now();
        while !folder.path().join("asked").exists() {
            assert!(begun.elapsed() < PATIENCE && child.try_wait().unwrap().is_none(), "{args:?}");
            thread::sleep(Duration::from_millis(10));
        }
        Arena { child, lines, said: Vec::new() }
    }

    fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for a line with this in it.
    #[track_caller]
    fn says(&mut self, words: &str) {
        while !self.said.last().is_some_and(|line| line.contains(words)) {
            let line = self.lines.recv_timeout(PATIENCE);
            self.said.push(line.unwrap_or_else(|_| panic!("{words}: {:?}", self.said)));
        }
    }

    fn exit(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_hung_bot_is_waited_for_with_words_and_not_beyond_a_second_ctrl_c() {
    agon_testkit::needs!("python3");
    for args in COMMANDS {
        let folder = folder();
        let mut arena = Arena::asking(&folder, args);
        let begun = Instant::now();
        arena.interrupt();
        arena.says("Ctrl-C again");
        arena.interrupt();
        assert_eq!(arena.exit(), Some(130), "{args:?}");
        // One Ctrl-C alone would take ten seconds, or for ever.
        assert!(begun.elapsed() < Duration::from_secs(9), "{args:?} {:?}", begun.elapsed());
    }
}

#[test]
fn a_match_that_is_given_up_says_so() {
    agon_testkit::slow!();
    let folder = folder();
    let mut arena = Arena::asking(&folder, COMMANDS[0]);
    arena.interrupt();
    arena.says("waiting up to 10 s for the bots' answers");
    arena.says("no answer within 10 s");
    assert_eq!(arena.exit(), Some(130));
}

#[test]
fn what_nohup_starts_outlives_its_terminal() {
    agon_testkit::needs!("python3", "nohup");
    let args = COMMANDS[0];
    for is_ignored in [false, true] {
        let folder = folder();
        let mut command = Command::new(if is_ignored { "nohup" } else { "env" });
        command.arg(cargo_bin("agon")).args(args);
        let mut arena = Arena::started(&folder, args, command);
        arena.signal(Signal::HUP);
        if is_ignored {
            thread::sleep(Duration::from_secs(1));
            let said: Vec<String> = arena.lines.try_iter().collect();
            assert!(!said.iter().any(|line| line.contains("waiting")), "{said:?}");
            arena.interrupt();
            arena.says("waiting up to 10 s");
            arena.interrupt();
        } else {
            arena.says("waiting up to 10 s");
            arena.signal(Signal::HUP);
        }
        assert_eq!(arena.exit(), Some(130));
    }
}
