//! The program that opens windows: missing, another one, killed, hung; and what becomes of it when
//! the arena ends.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Child, Command, Output, Stdio},
    time::{Duration, Instant},
};

use agon_testkit::display::{Display, end_of, until};

use super::{CLASSIC, is_verified, plain, replay, start};

/// A match that goes on for as long as the test lasts.
const LONG: [&str; 7] = ["play", "cellhack", "--seed", "3", "--view", "window", "--pace=2"];

/// `agon` on a display, with another host.
fn with_host(display: &Display, host: &str, args: &[&str]) -> Output {
    let mut agon = display.command(env!("CARGO_BIN_EXE_agon"));
    agon.args(args).env("AGON_WINDOW_HOST", host).output().expect("agon starts")
}

/// The host that `agon` has started.
fn host_of(agon: &Child) -> u32 {
    let mut host = None;
    until("the host", || {
        let stats = fs::read_dir("/proc").expect("there are processes").flatten();
        let is_host = |pid: &u32| {
            let (name, _, parent) = stat(*pid).unwrap_or_default();
            // The kernel cuts names.
            parent == agon.id() && "agon-window-host".starts_with(&name)
        };
        host = stats.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(is_host);
        host.is_some()
    });
    host.expect("it has come")
}

/// Name, state and parent of a process.
fn stat(pid: u32) -> Option<(String, String, u32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (name, rest) = text.split_once('(')?.1.rsplit_once(") ")?;
    let mut rest = rest.split(' ');
    Some((name.to_owned(), rest.next()?.to_owned(), rest.next()?.parse().ok()?))
}

fn signal(name: &str, pid: u32) {
    let status = Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status();
    assert!(status.expect("kill starts").success());
}

/// Waits until a process has ended; nobody may care for it any more.
fn until_gone(pid: u32) {
    until("the host's end", || stat(pid).is_none_or(|(_, state, _)| state == "Z"));
}

fn stderr_of(agon: Child) -> String {
    String::from_utf8_lossy(&agon.wait_with_output().expect("it has ended").stderr).into_owned()
}

#[test]
fn without_the_host_there_is_no_window_and_no_match() {
    agon_testkit::slow!();
    let display = Display::open();
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("m.agon").display().to_string();
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
        let args = [&LONG[..], &["--replay", &file]].concat();
        let output = with_host(&display, host, &args);
        let talk = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{host}: {talk}");
        assert!(talk.contains(problem), "{host}: {talk}");
        assert!(!Path::new(&file).exists(), "the match has not begun");
    }
}

#[test]
fn classic_command_lines_play_without_the_host() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    for args in CLASSIC {
        let output = with_host(&display, "", args);
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{talk}");
        assert!(
            talk.contains("agon-window-host") && talk.contains("the match is played without"),
            "{talk}"
        );
        assert_eq!(String::from_utf8_lossy(&output.stdout), plain(args));
    }
}

#[test]
fn without_the_host_the_terminal_shows_replays() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let folder = tempfile::tempdir().expect("there is room");
    let file = replay(folder.path());
    let watch = format!("{} watch {file}", env!("CARGO_BIN_EXE_agon"));
    let record = folder.path().join("terminal");
    let mut script = display.command("script");
    script.args(["--quiet", "--return", "--command", &watch]).arg(&record);
    script.env("AGON_WINDOW_HOST", "").env("TERM", "xterm").env("COLUMNS", "80").env("LINES", "24");
    let started = script.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut script = started.expect("script starts");
    let mut keys = script.stdin.take().expect("it is a pipe");
    // Keys that come before it looks may be lost.
    until("the end", || {
        let _ = keys.write_all(b"q").and_then(|()| keys.flush());
        script.try_wait().expect("it can be waited for").is_some()
    });
    let seen = String::from_utf8_lossy(&fs::read(&record).expect("it is there")).into_owned();
    assert!(script.wait().expect("it has ended").success(), "{seen}");
    assert!(seen.contains("this terminal shows it instead"), "{seen}");
}

#[test]
fn a_host_that_is_killed_ends_the_match() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let mut agon = start(&display, &LONG);
    display.window(&mut agon, "cellhack:");
    signal("KILL", host_of(&agon));
    assert_eq!(end_of(&mut agon).code(), Some(2));
    let talk = stderr_of(agon);
    assert!(
        talk.contains("the window is lost: `agon-window-host` has ended, signal: 9 (SIGKILL)"),
        "{talk}"
    );
}

#[test]
fn a_match_whose_window_nobody_wanted_goes_on_without() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("m.agon").display().to_string();
    let args = [CLASSIC[0], &["--replay", &file]].concat();
    let mut agon = start(&display, &args);
    display.window(&mut agon, "cellhack:");
    signal("KILL", host_of(&agon));
    assert_eq!(end_of(&mut agon).code(), Some(0));
    assert!(is_verified(&file));
    let talk = stderr_of(agon);
    assert!(talk.contains("the match is played without"), "{talk}");
}

#[test]
fn the_window_ends_with_the_arena() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    for (name, code) in [("KILL", None), ("INT", Some(130)), ("TERM", Some(130))] {
        let mut agon = start(&display, &LONG);
        display.window(&mut agon, "cellhack:");
        let host = host_of(&agon);
        signal(name, agon.id());
        assert_eq!(end_of(&mut agon).code(), code, "{name}");
        until_gone(host);
        assert_eq!(display.windows("cellhack:"), "", "{name}");
    }
}

#[test]
fn a_host_that_hangs_holds_nothing_up() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let mut agon = start(&display, &LONG);
    display.window(&mut agon, "cellhack:");
    let host = host_of(&agon);
    signal("STOP", host);
    signal("INT", agon.id());
    let began = Instant::now();
    assert_eq!(end_of(&mut agon).code(), Some(130));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    until_gone(host);
}
