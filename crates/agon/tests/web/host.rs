//! The program that serves pages: missing, another one, lost; and what is left of it when the arena
//! ends.

use std::fs;
use std::net::{TcpListener, TcpStream};

use agon_match::replay::Replay;
use agon_testkit::http;
use rustix::process::Signal;
use serde_json::Value;

use super::{Served, replay};
use crate::support::{TestDir, signal, until};

/// A match that takes some seconds.
const SLOW: &str = "play cluster builtin:random builtin:random --view web --no-open --pace 3 \
                    --set side=4 --seed 1";

const WATCH: &str = "watch --web --no-open cluster.agon";

/// Runs a command that cannot have this program for its pages, and returns its error.
#[track_caller]
fn refused(dir: &TestDir, line: &str, program: &str) -> String {
    let (code, text) = Served::of(dir.agon(line).env("AGON_WEB_HOST", program)).end();
    assert_eq!(code, Some(2), "{text}");
    text
}

#[test]
fn a_program_that_is_missing_or_another_one_is_named() {
    let dir = TestDir::new();
    replay(&dir, "cluster");
    for line in [WATCH, SLOW] {
        let wanted = "error: `agon-web-host` is missing: correct the environment variable \
            AGON_WEB_HOST, or unset it\n";
        assert_eq!(refused(&dir, line, ""), wanted);
        let text = refused(&dir, line, "/nowhere/none");
        assert!(text.contains("none: cannot be started: No such file"), "{text}");
    }
    for (program, wanted) in [("true", "it ended at once, exit status: 0"), ("cat", "greet")] {
        let text = refused(&dir, SLOW, program);
        assert!(text.starts_with(&format!("error: {program}: ")), "{text}");
        for words in [wanted, "correct the environment variable AGON_WEB_HOST"] {
            assert!(text.contains(words), "{text}");
        }
    }
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let dir = TestDir::new();
    replay(&dir, "cluster");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let wanted = format!(
        "error: cannot listen on 127.0.0.1:{port}; --port takes another port, 0 any free one: \
         Address already in use (os error 98)\n"
    );
    assert_eq!(dir.fails(&format!("{WATCH} --port {port}")), wanted);
}

/// A replay and a person need the page, a match does not.
#[test]
fn what_needs_no_page_goes_on_when_the_program_is_lost() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    replay(&dir, "cluster");
    let person = "cluster human builtin:random --view web --no-open --replay person.agon";
    let short = "play cluster builtin:random builtin:random --view web --no-open --set side=3";
    for (line, after, code, wanted) in [
        (
            WATCH,
            "",
            2,
            "error: `agon-web-host`, which serves the page, has ended: signal: 9 (SIGKILL)\n",
        ),
        (SLOW, "", 0, "(SIGKILL); the match goes on without a page\n"),
        (
            short,
            "the page stays until Ctrl-C",
            0,
            "(SIGKILL); the match is over, and its page is gone\n",
        ),
        (person, "", 2, "(SIGKILL); nobody can play without it\n"),
    ] {
        let mut served = Served::start(&dir, line);
        served.address();
        served.says(after);
        if line == person {
            // While the person is asked.
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        served.signal_host(Signal::KILL);
        if line == SLOW {
            served.says(wanted);
        }
        let (found, text) = served.end();
        assert_eq!(found, Some(code), "{text}");
        assert!(text.contains(wanted) && text.matches("(SIGKILL)").count() == 1, "{text}");
        assert!(line != SLOW || served.said("out").contains("random"), "the result is told");
    }
    assert!(Replay::open_file(dir.path("person.agon")).is_ok(), "what was played is kept");
}

#[test]
fn it_ends_with_the_arena() {
    let dir = TestDir::new();
    replay(&dir, "cluster");
    for (how, line) in
        [(Signal::INT, WATCH), (Signal::INT, SLOW), (Signal::TERM, WATCH), (Signal::KILL, SLOW)]
    {
        let mut served = Served::start(&dir, line);
        let port = served.port();
        let host = format!("/proc/{}", served.host().as_raw_nonzero());
        assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
        signal(&served.child, how);
        let (code, text) = served.end();
        if how == Signal::KILL {
            until("a free port", || TcpListener::bind(("127.0.0.1", port)).is_ok());
        } else {
            assert_eq!(code, Some(130), "{text}");
            // At once: the arena has waited for it.
            TcpListener::bind(("127.0.0.1", port)).unwrap();
            assert!(!fs::exists(host).unwrap());
        }
    }
}

#[test]
fn the_official_board_of_battlesnake_finds_a_match_as_the_engine_serves_it() {
    let dir = TestDir::new();
    dir.ok("play battlesnake builtin:careful builtin:hungry --preset short --replay m.agon");
    let line = "watch m.agon --board=http://localhost:5173/ --no-open";
    let served = Served::start(&dir, line);
    let address = served.address();
    let (engine, id) = address.split_once("&game=").unwrap();
    let port = engine.strip_prefix("http://localhost:5173/?engine=http://127.0.0.1:").unwrap();
    let (port, origin) = (port.parse().unwrap(), "http://localhost:5173");
    let (status, reply) =
        http::request(port, "GET", &format!("/games/{id}"), &[("Origin", origin)], "");
    assert_eq!(status, 200, "{reply}");
    let game: Value = serde_json::from_str(&reply).unwrap();

    let (mut stream, head) = http::websocket(port, &format!("/games/{id}/events"), origin);
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    let steps = Replay::open_file(dir.path("m.agon")).unwrap().steps();
    let messages: Vec<String> = (0..steps + 2).map(|_| http::message(&mut stream)).collect();
    let events: Vec<Value> =
        messages.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let [.., last, end] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((&last["Data"], &end["Data"]), (&game["LastFrame"], &game["Game"]));
    assert_eq!((&last["Data"]["Turn"], &end["Type"]), (&steps.into(), &"game_end".into()));
    assert_eq!(served.interrupt(), Some(130));

    dir.write("game.json", reply + &messages.join("\n"));
    dir.ok("replay import game.json again.agon").says("again.agon: each state is");
    dir.ok("replay verify again.agon");

    // A match of another game, and no page.
    replay(&dir, "cluster");
    dir.refuses("watch cluster.agon --board --no-open", ["cannot show cluster.agon: "]);
    dir.refuses("replay export cluster.agon --battlesnake c.jsonl", ["not of battlesnake"]);
    assert!(!dir.path("c.jsonl").exists());
    dir.refuses("watch m.agon --board=file:///b", ["--board=file:///b: expected the address of"]);
}
