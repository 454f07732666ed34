//! The window, on a display that nobody sees (Xvfb), with keys and clicks from xdotool.

#![cfg(target_os = "linux")]

mod host;

use std::{
    path::Path,
    process::{Child, Command, Stdio},
};

use agon_testkit::display::{Display, end_of, until};

/// `agon`, on a display.
fn start(display: &Display, args: &[&str]) -> Child {
    let mut agon = display.command(env!("CARGO_BIN_EXE_agon"));
    agon.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("agon starts")
}

fn replay(folder: &Path) -> String {
    let file = folder.join("match.agon").display().to_string();
    let played = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(["play", "cellhack", "--seed", "3", "--turns", "40", "--replay", &file])
        .output()
        .expect("agon starts");
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    file
}

/// Whether a match is over: its replay can be opened with a result.
fn is_verified(file: &str) -> bool {
    let info = Command::new(env!("CARGO_BIN_EXE_agon")).args(["replay", "verify", file]).output();
    info.is_ok_and(|info| info.status.success())
}

#[test]
fn a_replay_is_watched_in_a_window() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let folder = tempfile::tempdir().expect("there is room");
    let file = replay(folder.path());
    let display = Display::open();
    let empty = display.picture();
    let mut agon = start(&display, &["watch", &file]);
    let window = display.window(&mut agon, "cellhack:");
    until("a picture", || display.picture() != empty);
    for key in ["Right", "question", "Escape", "t", "plus", "shift+Left", "End"] {
        display.press(key);
    }
    let before = display.picture();
    display.xdotool(&["mousemove", "--window", &window, "200", "200", "click", "1"]);
    until("the inspector", || display.picture() != before);
    display.xdotool(&["key", "q"]);
    assert_eq!(end_of(&mut agon).code(), Some(0));
}

#[test]
fn closing_the_window_ends_the_match() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let mut agon =
        start(&display, &["play", "cellhack", "--seed", "3", "--view", "window", "--pace", "20"]);
    display.window(&mut agon, "cellhack:");
    let before = display.picture();
    until("the next turn", || display.picture() != before);
    display.xdotool(&["key", "q"]);
    assert_eq!(end_of(&mut agon).code(), Some(130));
    let output = agon.wait_with_output().expect("it has ended");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("swarm"), "the result is told: {text}");
}

#[test]
fn the_window_stays_after_the_match_until_it_is_closed() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("m.agon").display().to_string();
    let args = [
        "play", "cluster", "--seed", "3", "--set", "side=4", "--view", "window", "--replay", &file,
    ];
    let mut agon = start(&display, &args);
    display.window(&mut agon, "cluster:");
    until("the result", || is_verified(&file));
    assert_eq!(agon.try_wait().expect("it can be waited for"), None);
    display.press("t");
    display.xdotool(&["key", "q"]);
    assert_eq!(end_of(&mut agon).code(), Some(0));
}

#[test]
fn tournaments_of_a_file_have_a_window_each() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let folder = tempfile::tempdir().expect("there is room");
    let [file, replay] =
        ["two.clj", "m.agon"].map(|name| folder.path().join(name).display().to_string());
    let text = "(ns two (:use amoebas.run amoebas.examples))
        (T01 9 {:graphics true})
        (T01 7 {:graphics true})";
    std::fs::write(&file, text).expect("there is room");
    let mut agon = start(&display, &["amoebas", &file, "--replay", &replay]);
    display.window(&mut agon, "amoebas:");
    until("the first result", || is_verified(&replay));
    display.xdotool(&["key", "q"]);
    // Only then does the second one begin. Its window may have the number of the first.
    until("the second result", || is_verified(&replay.replace("m.agon", "m-2.agon")));
    display.window(&mut agon, "amoebas:");
    display.xdotool(&["key", "q"]);
    assert_eq!(end_of(&mut agon).code(), Some(0));
}

#[test]
fn a_person_plays_in_the_window() {
    agon_testkit::slow!();
    let display = Display::open();
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("m.agon").display().to_string();
    let args =
        ["play", "cluster", "rosa=human", "builtin:random", "--seed", "3", "--set", "side=4"];
    let mut agon = start(&display, &[&args[..], &["--replay", &file]].concat());
    display.window(&mut agon, "cluster:");
    until("the result", || {
        display.xdotool(&["key", "1", "Return"]);
        is_verified(&file)
    });
    let info =
        Command::new(env!("CARGO_BIN_EXE_agon")).args(["replay", "info", "--json", &file]).output();
    let info = String::from_utf8_lossy(&info.expect("agon starts").stdout).into_owned();
    assert!(info.contains("\"human\"") && info.contains("\"rosa\""), "{info}");
    display.xdotool(&["key", "q"]);
    assert_eq!(end_of(&mut agon).code(), Some(0));
}

#[test]
fn a_person_who_closes_the_window_stops_the_match() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let mut agon = start(&display, &["play", "cellhack", "human", "builtin:random"]);
    display.window(&mut agon, "cellhack:");
    // The first one only asks.
    display.xdotool(&["key", "q"]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(agon.try_wait().expect("it is a child"), None);
    display.xdotool(&["key", "q"]);
    assert_eq!(end_of(&mut agon).code(), Some(130));
}

/// What `agon` prints, on no display.
fn plain(args: &[&str]) -> String {
    let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
    let output = agon.args(args).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output();
    let output = output.expect("agon starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Classic command lines whose originals open a window.
const CLASSIC: [&[&str]; 3] = [
    &[
        "cellhack",
        "30",
        "16",
        "16",
        "rosa",
        "builtin:swarm",
        "tom",
        "builtin:random",
        "--seed",
        "3",
    ],
    &["cluster", "builtin:searcher", "builtin:random", "--seed", "3", "--set", "side=4"],
    &[
        "rezzo",
        "builtin:random",
        "builtin:random",
        "--seed",
        "3",
        "-w",
        "20",
        "-h",
        "20",
        "-t",
        "20",
        "--max-ticks",
        "9",
    ],
];

#[test]
fn classic_command_lines_open_the_window_of_the_originals() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    let folder = tempfile::tempdir().expect("there is room");
    for args in CLASSIC {
        let file = folder.path().join(format!("{}.agon", args[0])).display().to_string();
        let args = [args, &["--replay", &file]].concat();
        let expect = plain(&args);
        std::fs::remove_file(&file).expect("it has been written");
        let mut agon = start(&display, &args);
        display.window(&mut agon, &format!("{}:", args[0]));
        until("the result", || is_verified(&file));
        display.xdotool(&["key", "q"]);
        assert_eq!(end_of(&mut agon).code(), Some(0));
        let output = agon.wait_with_output().expect("it has ended");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expect);
    }
}

#[test]
fn classic_command_lines_play_without_a_window_if_told() {
    agon_testkit::needs!("Xvfb", "xdotool", "xwd");
    let display = Display::open();
    for args in CLASSIC {
        // A window would stay, and the end would not come.
        let mut agon = start(&display, &[args, &["--view", "none"]].concat());
        assert_eq!(end_of(&mut agon).code(), Some(0));
        let output = agon.wait_with_output().expect("it has ended");
        assert_eq!(String::from_utf8_lossy(&output.stdout), plain(args));
    }
}

#[test]
fn classic_command_lines_play_where_the_display_cannot_be_used() {
    for args in CLASSIC {
        let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
        // No display has this name.
        let output = agon.args(args).env("DISPLAY", ":none").env_remove("WAYLAND_DISPLAY").output();
        let output = output.expect("agon starts");
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && talk.contains("the match is played without"), "{talk}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), plain(args));
    }
    // Whoever asks for a window wants to know that there is none.
    let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
    let asked = agon.args(CLASSIC[0]).args(["--view", "window"]).env("DISPLAY", ":none").output();
    assert_eq!(asked.expect("agon starts").status.code(), Some(2));
}

#[test]
fn without_a_display_it_says_what_it_needs() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = replay(folder.path());
    let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
    let output =
        agon.args(["watch", &file]).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output();
    let output = output.expect("agon starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("DISPLAY"));
}
