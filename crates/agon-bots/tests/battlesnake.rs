//! Tests of web servers that play Battlesnake, many of which misbehave.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use std::{net::TcpListener, time::Duration};

use FaultKind::{Closed, Crash, Garbage, Timeout};
use agon_bots::{Clock, HostOptions, SandboxOptions, open};
use agon_core::FaultKind;
use agon_games::GameId;
use agon_games::battlesnake::{Answer, Battlesnake, Map, Rules, Ruleset};

use crate::common::{AGES, Arena, assert_evidence, new_game, patient, script, spec, within};

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
    ("hanging up", "uuuuuu", &[]),
    ("no start", "uuuuuu", &[]),
    ("old", ".uuuuu", &[(Garbage, 0, "`0` is another version")]),
    ("cut", "uu.uuu", &[(Closed, BAD, "it closed the connection before it answered")]),
    ("short", "uu.uuu", &[(Garbage, BAD, "`POST /move` has to answer")]),
    ("status", "uu.uuu", &[(Garbage, BAD, "its response has status 500")]),
    ("no http", "uu.uuu", &[(Garbage, BAD, "it is no response of HTTP/1.1")]),
    ("north", "uu.uuu", &[(Garbage, BAD, "`north` is no direction")]),
];

/// One that a clock has to end.
const LATE: Case<'static> = ("long", "uu.uuu", &[(Timeout, BAD, "no answer: ")]);

fn program(mode: &str) -> String {
    format!("http:python3 {} '{mode}' {BAD}", script("snake.py"))
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

#[test]
fn servers_play_and_misbehave() {
    agon_testkit::slow!();
    // Good answers keep it, and bad ones reach it within a second.
    let soon = Clock { first: AGES, wall_factor: 5, ..Clock::cpu(Duration::from_millis(200)) };
    let cases = CASES.iter().map(|case| (case, patient()));
    for (case, options) in cases.chain([(&LATE, within(soon))]) {
        let arena = check(*case, &program(case.0), &options);
        arena.faults.iter().for_each(assert_evidence);
    }
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
    let port = other.local_addr().unwrap().port();
    let bot = format!("http:python3 {} reach {port}", script("snake.py"));
    let confined = HostOptions { sandbox: SandboxOptions::default(), ..patient() };
    check(("reach", "uuuuuu", &[]), &bot, &confined);
    for mode in ["HTTP/1.0", "hanging up", "own port"] {
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
