//! The window, on a display that nobody sees (Xvfb), with keys and clicks from xdotool; and the
//! program that opens it: missing, another one, killed, hung.

#![cfg(target_os = "linux")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, io::Write, thread};

use agon_testkit::display::Display;
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Done, TestDir, end_of, signal, until};

/// A folder, and a display on which `agon` runs.
struct Desk {
    dir: TestDir,
    display: Display,
}

/// A match that goes on for as long as the test lasts.
const LONG: &str = "play cellhack --seed 3 --view window --pace=2";

impl Desk {
    fn new() -> Desk {
        Desk { dir: TestDir::new(), display: Display::open() }
    }

    /// Makes one with a replay, `match.agon`.
    fn with_replay() -> Desk {
        let desk = Desk::new();
        desk.dir.ok("play cellhack --seed 3 --turns 40 --replay match.agon");
        desk
    }

    fn agon(&self, line: &str) -> Command {
        let mut agon = self.dir.agon(line);
        agon.env("DISPLAY", self.display.name());
        agon.stdout(Stdio::piped()).stderr(Stdio::piped());
        agon
    }

    /// Starts a command, and waits for the window of a game.
    fn open(&self, game: &str, line: &str) -> (Child, String) {
        let mut agon = self.agon(line).spawn().unwrap();
        let window = self.display.window(&mut agon, &format!("{game}:"));
        (agon, window)
    }

    /// Presses keys, and does not wait for another picture.
    fn type_keys(&self, keys: &str) {
        let words: Vec<&str> = ["key"].into_iter().chain(keys.split(' ')).collect();
        self.display.xdotool(&words);
    }

    /// Ends a command with a key.
    #[track_caller]
    fn quit(&self, agon: Child, code: i32) -> Done {
        self.type_keys("q");
        let done = end_of(agon);
        assert_eq!(done.code, Some(code), "{}", done.all());
        done
    }

    /// Waits until the match of a replay is over.
    #[track_caller]
    fn until_over(&self, replay: &str) {
        let line = format!("replay verify {replay}");
        until("the result", || self.dir.run(&line).code == Some(0));
    }

    /// Runs a command with another host.
    fn with_host(&self, host: &str, line: &str) -> Done {
        Done::of(self.agon(line).env("AGON_WINDOW_HOST", host))
    }
}

#[test]
fn a_replay_is_watched_in_a_window() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::with_replay();
    let display = &desk.display;
    let empty = display.picture();
    let (agon, window) = desk.open("cellhack", "watch match.agon");
    until("a picture", || display.picture() != empty);
    for key in ["Right", "question", "Escape", "t", "plus", "shift+Left", "End"] {
        display.press(key);
    }
    let before = display.picture();
    display.xdotool(&["mousemove", "--window", &window, "200", "200", "click", "1"]);
    until("the inspector", || display.picture() != before);
    desk.quit(agon, 0);
}

#[test]
fn closing_the_window_ends_the_match() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::new();
    let (agon, _) = desk.open("cellhack", "play cellhack --seed 3 --view window --pace 20");
    let before = desk.display.picture();
    until("the next turn", || desk.display.picture() != before);
    // The result is told.
    desk.quit(agon, 130).prints(["swarm"]);
}

#[test]
fn the_window_stays_after_the_match_until_it_is_closed() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::new();
    let line = "play cluster --seed 3 --set side=4 --view window --replay m.agon";
    let (mut agon, _) = desk.open("cluster", line);
    desk.until_over("m.agon");
    assert_eq!(agon.try_wait().unwrap(), None);
    desk.display.press("t");
    desk.quit(agon, 0);
}

#[test]
fn tournaments_of_a_file_have_a_window_each() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::new();
    let text = "(ns two (:use amoebas.run amoebas.examples))
        (T01 9 {:graphics true})
        (T01 7 {:graphics true})";
    desk.dir.write("two.clj", text);
    let (mut agon, _) = desk.open("amoebas", "amoebas two.clj --replay m.agon");
    desk.until_over("m.agon");
    desk.type_keys("q");
    // Only then does the second one begin. Its window may have the number of the first.
    desk.until_over("m-2.agon");
    desk.display.window(&mut agon, "amoebas:");
    desk.quit(agon, 0);
}

#[test]
fn a_person_who_closes_the_window_stops_the_match() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::new();
    let (mut agon, _) = desk.open("cellhack", "play cellhack human builtin:random");
    // The first one only asks.
    desk.type_keys("q");
    thread::sleep(Duration::from_millis(300));
    assert_eq!(agon.try_wait().unwrap(), None);
    desk.quit(agon, 130);
}

/// Classic command lines whose originals open a window.
const CLASSIC: [&str; 3] = [
    "cellhack 30 16 16 rosa builtin:swarm tom builtin:random --seed 3",
    "cluster builtin:searcher builtin:random --seed 3 --set side=4",
    "rezzo builtin:random builtin:random --seed 3 -w 20 -h 20 -t 20 --max-ticks 9",
];

#[test]
fn classic_command_lines_open_the_window_of_the_originals_or_play_without() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::new();
    for line in CLASSIC {
        // On no display.
        let plain = desk.dir.ok(line).out;
        let recorded = format!("{line} --replay m.agon");
        let expected = desk.dir.ok(&recorded).out;
        fs::remove_file(desk.dir.path("m.agon")).unwrap();
        let (agon, _) = desk.open(line.split(' ').next().unwrap(), &recorded);
        desk.until_over("m.agon");
        assert_eq!(desk.quit(agon, 0).out, expected);
        fs::remove_file(desk.dir.path("m.agon")).unwrap();

        // A window would stay, and the end would not come.
        let told = Done::of(&mut desk.agon(&format!("{line} --view none")));
        // No display has this name.
        let refused = Done::of(desk.agon(line).env("DISPLAY", ":none"));
        let missing = desk.with_host("", line);
        missing.tells(["agon-window-host", "the match is played without"]);
        refused.tells(["the match is played without"]);
        for done in [told, refused, missing] {
            assert_eq!((done.code, done.out), (Some(0), plain.clone()), "{line}");
        }
    }
    // Whoever asks for a window wants to know that there is none.
    let line = format!("{} --view window", CLASSIC[0]);
    assert_eq!(Done::of(desk.agon(&line).env("DISPLAY", ":none")).code, Some(2));
}

#[test]
fn without_a_display_it_says_what_it_needs() {
    let dir = TestDir::new();
    dir.ok("play cellhack --seed 3 --turns 40 --replay match.agon");
    dir.ends(2, "watch match.agon").tells(["DISPLAY"]);
}

#[test]
fn without_the_host_there_is_no_window_and_no_match() {
    agon_testkit::slow!();
    let desk = Desk::new();
    for (host, problem) in [
        ("", "`agon-window-host` is missing: correct the environment variable AGON_WINDOW_HOST"),
        ("/nowhere/host", "/nowhere/host: cannot be started"),
        (
            "true",
            "true: it ended at once, exit status: 0; correct the environment variable \
             AGON_WINDOW_HOST",
        ),
        ("cat", "cat: it does not greet as it should: it says nothing"),
        (env!("CARGO_BIN_EXE_agon"), "it ended at once, exit status: 2"),
    ] {
        let done = desk.with_host(host, &format!("{LONG} --replay m.agon"));
        assert_eq!(done.tells([problem]).code, Some(2), "{host}");
        assert!(!desk.dir.path("m.agon").exists(), "the match has not begun");
    }
}

#[test]
fn without_the_host_the_terminal_shows_replays() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::with_replay();
    let watch = format!("{} watch match.agon", env!("CARGO_BIN_EXE_agon"));
    let mut script = desk.display.command("script");
    script.args(["--quiet", "--return", "--command", &watch, "terminal"]);
    script.current_dir(desk.dir.path("")).env("AGON_WINDOW_HOST", "");
    script.env("TERM", "xterm").env("COLUMNS", "80").env("LINES", "24");
    let mut script = script.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut keys = script.stdin.take().unwrap();
    // Keys that come before it looks may be lost.
    until("the end", || {
        let _ = keys.write_all(b"q").and_then(|()| keys.flush());
        script.try_wait().unwrap().is_some()
    });
    let seen = String::from_utf8_lossy(&desk.dir.bytes("terminal")).into_owned();
    assert!(script.wait().unwrap().success(), "{seen}");
    assert!(seen.contains("this terminal shows it instead"), "{seen}");
}

/// Name, state and parent of a process.
fn stat(pid: i32) -> Option<(String, String, u32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (name, rest) = text.split_once('(')?.1.rsplit_once(") ")?;
    let mut rest = rest.split(' ');
    Some((name.to_owned(), rest.next()?.to_owned(), rest.next()?.parse().ok()?))
}

/// The host that `agon` has started.
fn host_of(agon: &Child) -> i32 {
    let is_host = |pid: &i32| {
        let (name, _, parent) = stat(*pid).unwrap_or_default();
        // The kernel cuts names.
        parent == agon.id() && "agon-window-host".starts_with(&name)
    };
    let mut processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .find_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok().filter(is_host))
        .expect("there is a host, as there is a window")
}

fn signal_host(host: i32, signal: Signal) {
    kill_process(Pid::from_raw(host).unwrap(), signal).unwrap();
}

/// Waits until a process has ended; nobody may care for it any more.
fn until_gone(host: i32) {
    until("the host's end", || stat(host).is_none_or(|(_, state, _)| state == "Z"));
}

#[test]
fn a_host_that_is_killed_ends_the_match_unless_nobody_wanted_a_window() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::new();
    let classic = format!("{} --replay m.agon", CLASSIC[0]);
    let lost = "the window is lost: `agon-window-host` has ended, signal: 9 (SIGKILL)";
    for (line, code, words) in [(LONG, 2, lost), (&*classic, 0, "the match is played without")] {
        let (agon, _) = desk.open("cellhack", line);
        signal_host(host_of(&agon), Signal::KILL);
        let done = end_of(agon);
        assert_eq!(done.tells([words]).code, Some(code), "{line}");
    }
    desk.dir.ok("replay verify m.agon");
}

#[test]
fn the_window_ends_with_the_arena() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let desk = Desk::new();
    for (how, code) in [(Signal::KILL, None), (Signal::INT, Some(130)), (Signal::TERM, Some(130))] {
        let (agon, _) = desk.open("cellhack", LONG);
        let host = host_of(&agon);
        signal(&agon, how);
        assert_eq!(end_of(agon).code, code, "{how:?}");
        until_gone(host);
        assert_eq!(desk.display.windows("cellhack:"), "", "{how:?}");
    }
    // A host that hangs holds nothing up.
    let (agon, _) = desk.open("cellhack", LONG);
    let host = host_of(&agon);
    signal_host(host, Signal::STOP);
    signal(&agon, Signal::INT);
    let began = Instant::now();
    assert_eq!(end_of(agon).code, Some(130));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    until_gone(host);
}
