//! Tests of programs that speak the JSON Lines protocol, nearly all of which misbehave.
//!
//! They are tested through pipes and over a socket.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

mod cases;

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use FaultKind::{Flood, Garbage, Timeout};
use agon_bots::{Bot, Clock, HostOptions, Timing, open};
use agon_core::{Fault, FaultKind, Game, Outcome, Player, Seed};
use agon_games::amoebas::{self, Amoebas};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{Answer, Cell, Cellhack, Position, Rules};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};
use agon_games::{GameId, any::AnyGame};
use cases::{CASES, Case, OF_CONNECTIONS, OF_PROGRAMS};

use crate::common::{AGES, Arena, Workshop, eventually, new_game, patient, script, spec, within};

/// The step in which bots misbehave.
const BAD: u64 = 2;

/// Steps of a match.
const STEPS: usize = 6;

/// Makes a game in which a bot has three cells and much space.
fn game() -> AnyGame {
    cells(3)
}

fn cells(count: u32) -> AnyGame {
    let rules = Rules { width: 200, height: 200, ..Rules::default() };
    let cell = |n: u32| {
        let (player, n) = if n < count { (0, n) } else { (1, 199 * 200 - 1) };
        Cell { x: 2 * n % 200, y: 2 * (2 * n / 200) % 200, player, energy: 50, memory: 0 }
    };
    let position =
        Position { players: 2, turn: 0, cells: (0..=count).map(cell).collect(), rocks: vec![] };
    AnyGame::of(Cellhack::from_position(&rules, Seed(1), position).unwrap())
}

fn command(workshop: &Workshop, mode: &str) -> Vec<String> {
    let group = workshop.path("group").to_str().unwrap().to_owned();
    vec!["python3".into(), script("jsonl.py"), mode.into(), BAD.to_string(), group]
}

fn program(workshop: &Workshop, mode: &str) -> String {
    format!(
        "jsonl:{}",
        shlex::try_join(command(workshop, mode).iter().map(String::as_str)).unwrap()
    )
}

/// A bot that waits at a socket; it ends when this is dropped.
struct Running(Child, String);

impl Running {
    fn start(workshop: &Workshop, mode: &str) -> Running {
        let socket = workshop.path("bot.sock");
        let words = command(workshop, mode);
        let bot = Command::new(&words[0])
            .args(&words[1..])
            .arg(&socket)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        eventually("the bot listens", || socket.exists().then_some(()));
        Running(bot, format!("connect:{}", socket.display()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Returns a clock for good and bad bots.
///
/// Good answers keep it however busy the machine is, and a bad bot reaches it within two seconds.
fn clock(timed: bool, wall_factor: u32) -> HostOptions {
    let then = if timed { Duration::from_millis(1000 / u64::from(wall_factor)) } else { AGES };
    within(Clock { first: AGES, wall_factor, ..Clock::cpu(then) })
}

/// Returns the result of the answers in each step.
fn outcome(arena: &mut Arena) -> String {
    let letter = |step: u64, answers: &[Answer]| {
        let there = |answer: &Answer| answer.memory == Some(step + 1);
        match [there(&answers[0]), there(&answers[1]), there(&answers[2])] {
            [true, true, true] => 'G',
            [true, false, true] => 'b',
            [false, false, false] => '.',
            _ => '?',
        }
    };
    (0..STEPS as u64).map(|step| letter(step, &arena.answers::<Cellhack>()[..3])).collect()
}

/// Plays a match of a bad bot, checks the result of its case, and returns the faults.
#[track_caller]
fn check(case: &Case, bot: &str, options: &HostOptions) -> Vec<Fault> {
    let mut arena = Arena::new(game(), &[bot, "builtin:grower"], options);
    let answers = outcome(&mut arena);
    assert_eq!(answers, case.answers, "{}: {:#?}", case.mode, arena.faults);
    let seen: Vec<_> = arena.faults.iter().map(|fault| (fault.kind, fault.step)).collect();
    let expected: Vec<_> = case.faults.iter().map(|&(kind, step, _)| (kind, step)).collect();
    assert_eq!(seen, expected, "{}: {:#?}", case.mode, arena.faults);
    for (fault, (_, _, detail)) in arena.faults.iter().zip(case.faults) {
        assert_eq!(fault.player, Player(0));
        assert!(fault.detail.contains(detail), "{}: {}", case.mode, fault.detail);
    }
    arena.faults.clone()
}

fn check_program(case: &Case) -> Vec<Fault> {
    let workshop = Workshop::new();
    let faults = check(case, &program(&workshop, case.mode), &clock(case.timed, 5));
    faults.iter().for_each(crate::common::assert_evidence);
    workshop.assert_group_gone();
    faults
}

fn check_connection(case: &Case) {
    let workshop = Workshop::new();
    let bot = Running::start(&workshop, case.mode);
    // Its process is unknown.
    for Fault { evidence, .. } in check(case, &bot.1, &clock(case.timed, 1)) {
        assert_eq!(
            (evidence.cpu_us, evidence.peak_memory, evidence.exit_status),
            (None, None, None)
        );
    }
}

fn find(mode: &str) -> &'static Case {
    CASES.iter().chain(OF_PROGRAMS).find(|case| case.mode == mode).unwrap()
}

#[test]
fn programs_misbehave() {
    agon_testkit::slow!();
    let cases = CASES.iter().chain(OF_PROGRAMS);
    let faults: BTreeMap<_, _> = cases.map(|case| (case.mode, check_program(case))).collect();
    let first = |mode: &str| &faults[mode][0];
    let evidence = |mode: &str| &first(mode).evidence;
    // A crash is reported with status, signal and the end of stderr.
    let exit = evidence("exit");
    assert_eq!((exit.exit_status, exit.stderr_tail.as_str()), (Some(3), "no more ideas\n"));
    assert!(exit.last_output.contains("\"step\": 1"), "{}", exit.last_output);
    assert_eq!(evidence("signal").signal, Some(11));
    assert!(evidence("memory").stderr_tail.contains("MemoryError"));
    // Garbage is shown.
    assert_eq!(evidence("garbage").last_output, "MOVE UP\\n");
    let no_text = &evidence("no text").last_output;
    assert_eq!(no_text.matches("NOTH\\xff\\xfe\\u0000NG").count(), 3);
    for (mode, output, unit, count) in
        [("an element", "{\"action\": \"EAT\"}", 2, 1), ("all elements", "null", 0, 3)]
    {
        let Fault { evidence, count: told, .. } = first(mode);
        assert_eq!(
            (evidence.last_output.as_str(), evidence.unit, *told),
            (output, Some(unit), count),
            "{mode}"
        );
    }
}

#[test]
fn connected_programs_misbehave() {
    agon_testkit::slow!();
    CASES.iter().chain(OF_CONNECTIONS).for_each(check_connection);
}

#[test]
fn an_endless_flood_of_bad_lines_ends_the_bot() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let mut arena =
        Arena::new(game(), &[&program(&workshop, "flood of lines"), "builtin:grower"], &patient());
    let start = Instant::now();
    while arena.faults.last().is_none_or(|fault| fault.kind != Flood) {
        assert!(start.elapsed() < AGES, "{:#?}", arena.faults);
        arena.step();
    }
    let (flood, garbage) = arena.faults.split_last().unwrap();
    assert!(
        !garbage.is_empty() && garbage.iter().all(|fault| fault.kind == Garbage),
        "{garbage:#?}"
    );
    assert!(flood.detail.contains("bytes that are no answer"), "{}", flood.detail);
    workshop.assert_group_gone();
}

#[test]
fn whoever_does_not_read_is_told_so() {
    agon_testkit::slow!();
    for connected in [false, true] {
        let workshop = Workshop::new();
        let running = connected.then(|| Running::start(&workshop, "deaf"));
        let bot = running
            .as_ref()
            .map_or_else(|| program(&workshop, "deaf"), |running| running.1.clone());
        // A question fits neither into a pipe nor into the buffers of a socket.
        let options = within(Clock { first: AGES, ..Clock::wall(Duration::from_millis(300)) });
        let mut arena = Arena::new(cells(9000), &[&bot, "builtin:grower"], &options);
        arena.steps(6);
        let kinds: Vec<_> = arena.faults.iter().map(|fault| (fault.kind, fault.step)).collect();
        assert_eq!(kinds, [(Timeout, 2), (Timeout, 3), (Timeout, 4)]);
        let unread = arena
            .faults
            .iter()
            .filter(|fault| fault.detail.starts_with("it did not read its input"));
        assert!(unread.count() >= 2, "{:#?}", arena.faults);
    }
}

#[test]
fn questions_do_not_pile_up_for_who_writes_but_does_not_read() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let mut arena =
        Arena::new(cells(9000), &[&program(&workshop, "loud"), "builtin:grower"], &patient());
    arena.steps(12);
    let (last, garbage) = arena.faults.split_last().unwrap();
    assert!(garbage.iter().all(|fault| fault.kind == Garbage), "{garbage:#?}");
    assert_eq!(last.kind, Timeout, "{last:#?}");
    assert!(last.detail.starts_with("it did not read its input"), "{}", last.detail);
    workshop.assert_group_gone();
}

#[test]
fn nobody_pays_for_another_bot_that_hangs() {
    agon_testkit::slow!();
    let cell = |n: u32| {
        let player = u8::from(n >= 5000).into();
        Cell { x: 2 * n % 200, y: 2 * (2 * n / 200), player, energy: 50, memory: 0 }
    };
    // Neither a question nor an answer fits into a pipe.
    let rules = Rules { width: 200, height: 200, ..Rules::default() };
    let position =
        Position { players: 2, turn: 0, cells: (0..10_000).map(cell).collect(), rocks: vec![] };
    let game = AnyGame::of(Cellhack::from_position(&rules, Seed(1), position).unwrap());
    let workshops = [Workshop::new(), Workshop::new()];
    let [bad, good] = [program(&workshops[0], "mute"), program(&workshops[1], "good")];
    let options = within(Clock { first: AGES, ..Clock::wall(Duration::from_secs(4)) });
    let mut arena = Arena::new(game, &[&bad, &good], &options);
    arena.steps(BAD + 1);
    arena.expect(Timeout);
}

#[test]
fn what_vanished_cannot_be_started() {
    let workshop = Workshop::new();
    let bot = workshop.path("fox");
    std::fs::write(&bot, "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(&bot, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let bots = [format!("jsonl:{}", bot.display()), "builtin:grower".to_owned()];
    let bots = bots
        .iter()
        .map(|bot| open(GameId::Cellhack.kind(), &spec(bot), &patient()).unwrap())
        .collect();
    std::fs::remove_file(bot).unwrap();
    let mut arena = Arena::with_bots(game(), bots);
    arena.steps(3);
    assert!(arena.expect(FaultKind::Start).detail.contains("cannot be started"));
}

#[test]
fn nobody_at_an_address_is_an_error_with_a_remedy() {
    let workshop = Workshop::new();
    let error = |address: &str| {
        let spec = spec(&format!("connect:{address}"));
        open(GameId::Cellhack.kind(), &spec, &HostOptions::default()).err().unwrap().to_string()
    };
    let remedy = "start the bot first, and have it listen there before the match begins";
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for address in
        [format!("127.0.0.1:{port}"), workshop.path("none.sock").to_str().unwrap().to_owned()]
    {
        let message = error(&address);
        assert!(
            message.starts_with(&format!("cannot connect to a bot at `{address}`")),
            "{message}"
        );
        assert!(message.ends_with(remedy), "{message}");
    }
    assert!(error("localhost").contains("it has no port; expected HOST:PORT"));
}

#[test]
fn a_bot_at_a_port_plays() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let mut running = Running::start(&workshop, "good");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = running.1.split_off(8);
    let address = format!("connect:{}", listener.local_addr().unwrap());
    let relay = std::thread::spawn(move || {
        let arena = listener.accept().unwrap().0;
        let bot = std::os::unix::net::UnixStream::connect(target).unwrap();
        let mut answers = bot.try_clone().unwrap();
        let mut back = arena.try_clone().unwrap();
        std::thread::spawn(move || std::io::copy(&mut answers, &mut back));
        std::io::copy(&mut &arena, &mut &bot).unwrap();
        bot.shutdown(std::net::Shutdown::Write).unwrap();
    });
    check(find("good"), &address, &patient());
    relay.join().unwrap();
}

#[test]
fn without_a_clock_a_connected_bot_may_take_its_time() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let running = Running::start(&workshop, "sleep");
    let case = Case { answers: "GGGGGG", faults: &[], ..*find("sleep") };
    check(&case, &running.1, &HostOptions { timing: Timing::Game, ..patient() });
}

/// Plays a whole match of two programs, with moves of their own and without a fault.
#[track_caller]
fn play_out(game: AnyGame) {
    let id = game.meta().id;
    let bots = [0, 1].map(|_| format!("jsonl:python3 {}", script("uniform.py")));
    let mut arena = Arena::new(game, &bots.each_ref().map(String::as_str), &patient());
    let mut decided = 0;
    while !arena.game.is_over() {
        let answers = arena.step();
        decided += answers.count_own(0..answers.len());
    }
    assert_eq!(arena.faults, [], "{id}");
    assert!(decided > 10, "{id}: {decided} answers are not default");
}

#[test]
fn programs_play_every_game() {
    agon_testkit::slow!();
    let rules = amoebas::Rules { world_size: 20, rounds: 10, ..Default::default() };
    play_out(new_game::<Amoebas>(&rules, 2));
    let rules = binfection::Rules {
        field_width: 20,
        field_height: 20,
        turns_limit: 20,
        ..Default::default()
    };
    play_out(new_game::<Binfection>(&rules, 2));
    let rules = Rules { width: 20, height: 20, turns: 20, ..Default::default() };
    play_out(new_game::<Cellhack>(&rules, 2));
    let rules = cluster::Rules { side: 3, ..Default::default() };
    play_out(new_game::<Cluster>(&rules, 2));
    let rules = rezzo::Rules { width: 40, height: 40, max_ticks: 50, ..Default::default() };
    play_out(new_game::<Rezzo>(&rules, 2));
}

/// Starts a bot, plays two steps and says goodbye.
fn dismissed(bot: &str, outcome: Option<&Outcome>) -> Vec<Box<dyn Bot>> {
    let bots = [bot, "builtin:grower"]
        .map(|bot| open(GameId::Cellhack.kind(), &spec(bot), &patient()).unwrap());
    let mut arena = Arena::with_bots(game(), bots.into());
    arena.steps(2);
    assert_eq!(arena.faults, []);
    let game = game();
    let mut bots = arena.into_bots();
    for bot in &mut bots {
        bot.goodbye(&game, outcome);
    }
    bots
}

#[test]
fn the_end_is_told() {
    agon_testkit::needs!("python3");
    for connected in [false, true] {
        let workshop = Workshop::new();
        let running = connected.then(|| Running::start(&workshop, "told"));
        let bot = running
            .as_ref()
            .map_or_else(|| program(&workshop, "told"), |running| running.1.clone());
        let outcome = Outcome::new(vec![Player(1)], "most cells");
        dismissed(&bot, Some(&outcome)).iter_mut().for_each(|bot| bot.stop());
        let end = eventually("the bot notes the end", || {
            std::fs::read_to_string(workshop.path("group.end"))
                .ok()
                .filter(|text| text.ends_with('}'))
        });
        let end: serde_json::Value = serde_json::from_str(&end).unwrap();
        let told = serde_json::json!({"winners": [1], "reason": "most cells"});
        assert_eq!(end, serde_json::json!({"type": "end", "outcome": told}));
    }
}

#[test]
fn a_bot_that_stays_after_the_end_is_killed() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let mut bots = dismissed(&program(&workshop, "stays"), None);
    let start = Instant::now();
    bots[0].stop();
    assert!(start.elapsed() < Duration::from_secs(20), "it was not waited for");
    workshop.assert_group_gone();
}
