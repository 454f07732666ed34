//! Tests of web servers that play Battlesnake, many of which misbehave.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use FaultKind::{Closed, Crash, Flood, Garbage, Timeout};
use agon_bots::{Clock, HostOptions, SandboxOptions, open};
use agon_core::FaultKind;
use agon_games::GameId;
use agon_games::battlesnake::{Answer, Battlesnake, Map, Rules, Ruleset};

use crate::common::{
    AGES, Arena, assert_evidence, eventually, new_game, patient, script, spec, within,
};

/// The turn in which snakes misbehave.
const BAD: u64 = 2;

/// A misbehaviour by its name in `bots/snake.py`, and the consequences: an answer for each turn
/// (`u` for up, `.` for the default one), and faults, each with its turn and a part of its detail.
type Case<'a> = (&'a str, &'a str, &'a [(FaultKind, u64, &'a str)]);

const CASES: &[Case<'static>] = &[
    ("good", "uuuuuu", &[]),
    ("HTTP/1.0", "uuuuuu", &[]),
    ("HTTP/1.1", "uuuuuu", &[]),
    ("chunked", "uuuuuu", &[]),
    ("closing", "uuuuuu", &[]),
    ("hanging up", "uuuuuu", &[]),
    ("apart", "uuuuuu", &[]),
    ("no start", "uuuuuu", &[]),
    ("old", ".uuuuu", &[(Garbage, 0, "`0` is another version")]),
    ("raise", "uu.uuu", &[(Closed, BAD, "it closed the connection before it answered")]),
    ("cut", "uu.uuu", &[(Closed, BAD, "it closed the connection before it answered")]),
    ("short", "uu.uuu", &[(Garbage, BAD, "`POST /move` has to answer")]),
    ("endless body", "uu.uuu", &[(Garbage, BAD, "its body has more than 65536 bytes")]),
    ("endless head", "uu.uuu", &[(Garbage, BAD, "too many headers")]),
    ("endless field", "uu.uuu", &[(Garbage, BAD, "its head has more than 16384 bytes")]),
    ("endless chunks", "uu.uuu", &[(Flood, BAD, "that are no answer")]),
    ("status", "uu.uuu", &[(Garbage, BAD, "its response has status 500")]),
    ("no http", "uu.uuu", &[(Garbage, BAD, "it is no response of HTTP/1.1")]),
    ("north", "uu.uuu", &[(Garbage, BAD, "`north` is no direction")]),
];

/// Those that a clock has to end.
const TIMED: &[Case<'static>] = &[
    ("slow", "uu.uuu", &[(Timeout, BAD, "no answer: ")]),
    ("long", "uu.uuu", &[(Timeout, BAD, "no answer: ")]),
];

fn program(mode: &str) -> String {
    format!("http:python3 {} '{mode}' {BAD}", script("snake.py"))
}

/// Returns a clock that good answers keep, and that bad ones reach within a second.
fn clock(wall_factor: u32) -> HostOptions {
    let then = Duration::from_millis(1000 / u64::from(wall_factor));
    within(Clock { first: AGES, wall_factor, ..Clock::cpu(then) })
}

/// Plays six turns on a board without edges, on which a snake alone can go up for a hundred.
#[track_caller]
fn check((mode, answers, faults): Case<'_>, bot: &str, options: &HostOptions) -> Arena {
    let rules = Rules { ruleset: Ruleset::Wrapped, map: Map::Empty, ..Rules::default() };
    let mut arena = Arena::new(new_game::<Battlesnake>(&rules, 1), &[bot], options);
    let mut turn = || match arena.answers::<Battlesnake>()[0] {
        Answer::Up => 'u',
        Answer::Ahead => '.',
        _ => '?',
    };
    let played: String = (0..6).map(|_| turn()).collect();
    assert_eq!(played, answers, "{mode}: {:#?}", arena.faults);
    assert_eq!(arena.faults.len(), faults.len(), "{mode}: {:#?}", arena.faults);
    for (fault, (kind, turn, detail)) in arena.faults.iter().zip(faults) {
        assert_eq!((fault.kind, fault.step), (*kind, *turn), "{mode}: {fault:#?}");
        assert!(fault.detail.contains(detail), "{mode}: {}", fault.detail);
    }
    arena
}

/// A server that runs already; it ends when this is dropped.
struct Running(Child, String);

impl Running {
    fn start(mode: &str) -> Running {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut command = Command::new("python3");
        command.args([&script("snake.py"), mode, &BAD.to_string()]).stderr(Stdio::null());
        command.env("HOST", "127.0.0.1").env("PORT", free.port().to_string());
        let server = command.spawn().unwrap();
        eventually("the server listens", || TcpStream::connect(free).ok());
        Running(server, format!("http://{free}/"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}

#[test]
fn servers_play_and_misbehave() {
    agon_testkit::slow!();
    let cases = CASES.iter().map(|case| (case, patient()));
    for (case, options) in cases.chain(TIMED.iter().map(|case| (case, clock(5)))) {
        let arena = check(*case, &program(case.0), &options);
        arena.faults.iter().for_each(assert_evidence);
    }
}

#[test]
fn servers_at_an_address_play_and_misbehave() {
    agon_testkit::slow!();
    let cases = CASES.iter().map(|case| (case, patient()));
    for (case, options) in cases.chain(TIMED.iter().map(|case| (case, clock(1)))) {
        check(*case, &Running::start(case.0).1, &options);
    }
    let gone = [(Crash, BAD, "nobody listens at http://127.0.0.1:")];
    check(("crash", "uu....", &gone), &Running::start("crash").1, &patient());
}

#[test]
fn a_server_that_ends_is_out() {
    agon_testkit::needs!("python3");
    let ended = "its process ended before it answered; the bot stays out";
    let arena = check(("crash", "uu....", &[(Crash, BAD, ended)]), &program("crash"), &patient());
    assert_eq!(arena.expect(Crash).evidence.exit_status, Some(3));
    let arena = check(("gone", "......", &[(Crash, 0, ended)]), &program("gone"), &patient());
    assert_eq!(arena.faults[0].evidence.stderr_tail, "no port\n");
}

#[test]
fn a_server_that_does_not_listen_is_out_after_three_turns() {
    agon_testkit::needs!("python3");
    let limit = Duration::from_millis(100);
    let options = HostOptions { start_up: Some(limit), ..within(Clock::cpu(limit)) };
    let late = "it takes no connection at http://127.0.0.1:";
    let faults = [(Timeout, 0, late), (Timeout, 1, late), (Timeout, 2, "3 times in a row")];
    check(("never", "......", &faults), &program("never"), &options);
}

#[test]
fn the_end_is_told() {
    agon_testkit::needs!("python3");
    let mut bots = check(CASES[0], &program("good"), &patient()).into_bots();
    let turn_log = bots[0].turn_log().unwrap();
    let last = new_game::<Battlesnake>(&Rules::default(), 1);
    assert!(!bots[0].goodbye(&last, None).is_zero());
    bots[0].stop();
    let said = turn_log.turn().stderr.text();
    assert!(said.starts_with("end ") && said.ends_with(" 0\n"), "{said}");
}

#[test]
fn a_confined_server_plays_and_reaches_nobody() {
    agon_testkit::needs!("python3");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let bot = format!("{} {}", program("reach"), other.local_addr().unwrap().port());
    let confined = HostOptions { sandbox: SandboxOptions::default(), ..patient() };
    check(("reach", "uuuuuu", &[]), &bot, &confined);
    for mode in ["HTTP/1.0", "closing"] {
        check((mode, "uuuuuu", &[]), &program(mode), &confined);
    }
    // Without confinement it reaches the other server, and ends.
    check(("reach", "......", &[(Crash, 0, "its process ended")]), &bot, &patient());
}

#[test]
fn other_machines_other_games_and_silent_addresses_are_refused() {
    let error = |game: GameId, text: &str| {
        open(game.kind(), &spec(text), &HostOptions::default()).err().unwrap().to_string()
    };
    let rule = "must be on this machine, as in `http://127.0.0.1:8000`";
    assert!(error(GameId::Battlesnake, "http://example.com").contains(rule));
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let silent = error(GameId::Battlesnake, &format!("http://{free}"));
    assert!(silent.contains("start the bot first"), "{silent}");
    assert!(error(GameId::Cluster, "http:sh -c true").contains("cluster takes only"));
}
