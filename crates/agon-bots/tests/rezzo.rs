//! Tests of programs for rezzo, most of which misbehave.

use std::time::{Duration, Instant};
use std::{fs::File, io::Write, path::Path};

use Answer::{Silence, TurnLeft};
use agon_bots::{Clock, HostOptions, Level, SandboxOptions};
use agon_core::{Fault, FaultKind, Player};
use agon_games::any::AnyGame;
use agon_games::rezzo::{Action, Answer, Rezzo, Rules};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::io::ioctl_fionread;

use crate::common::{AGES, Arena, Workshop, new_game, patient, script, within};

fn bot(workshop: &Workshop, mode: &str, bad_tick: u32) -> String {
    format!("python3 {} {mode} {bad_tick} {}", script("rezzo.py"), workshop.path("group").display())
}

fn game(players: usize) -> AnyGame {
    new_game::<Rezzo>(&Rules { width: 40, height: 40, ..Rules::default() }, players)
}

/// Plays a bot that misbehaves against a good one, and returns both bots' answers in each tick.
fn play(
    workshop: &Workshop,
    mode: &str,
    bad_tick: u32,
    options: &HostOptions,
) -> (Arena, Vec<[Answer; 2]>) {
    let other = Workshop::new();
    let mut arena =
        Arena::new(game(2), &[&bot(workshop, mode, bad_tick), &bot(&other, "good", 0)], options);
    let mut answers = Vec::new();
    while answers.len() < 4 && !arena.game.is_over() {
        answers.push(arena.answers::<Rezzo>().try_into().expect("both agents are asked"));
    }
    (arena, answers)
}

/// Returns the answers of a bot in its first ticks; checks that the other one was not disturbed.
fn answers_of(mode: &str, bad_tick: u32, options: &HostOptions) -> (Arena, Vec<Answer>) {
    let workshop = Workshop::new();
    let (arena, answers) = play(&workshop, mode, bad_tick, options);
    assert!(answers.iter().all(|[_, other]| *other == TurnLeft), "{answers:?}");
    (arena, answers.into_iter().map(|[answer, _]| answer).collect())
}

/// Checks a bot whose program ends: its agent is gone, the other wins, nothing is left.
#[track_caller]
fn check_gone(mode: &str, kind: FaultKind) -> Fault {
    let workshop = Workshop::new();
    let (arena, answers) = play(&workshop, mode, 2, &patient());
    let mine: Vec<_> = answers.iter().map(|answers| answers[0]).collect();
    assert_eq!(mine, [TurnLeft, TurnLeft, Answer::Gone]);
    workshop.assert_group_gone();
    let outcome = arena.game.standing().outcome.expect("the game is over");
    assert_eq!(outcome.winners, [Player(1)]);
    let fault = arena.expect(kind).clone();
    assert_eq!(fault.step, 2);
    fault
}

#[test]
fn a_program_that_ends_or_floods_is_gone() {
    agon_testkit::needs!("python3");
    for (mode, kind, part) in [
        ("exit", FaultKind::Crash, ""),
        ("signal", FaultKind::Crash, ""),
        ("close", FaultKind::Closed, "standard output"),
        ("flood", FaultKind::Flood, "bytes in a tick"),
    ] {
        let fault = check_gone(mode, kind);
        assert!(fault.detail.contains(part), "{mode}: {}", fault.detail);
    }
}

#[test]
fn a_program_with_a_window_of_its_own_hears_how_it_can_run() {
    let workshop = Workshop::new();
    let file = workshop.file(
        "interactive.sh",
        "head -c 1 >/dev/null; echo 'No available video device' >&2; exit 1",
    );
    let bots = [&*format!("sh {file}"), "builtin:random"];
    for (level, hinted) in [(Level::Default, true), (Level::Off, false)] {
        let options = HostOptions {
            sandbox: SandboxOptions { level, ..SandboxOptions::default() },
            ..patient()
        };
        let mut arena = Arena::new(game(2), &bots, &options);
        arena.step();
        let detail = &arena.expect(FaultKind::Crash).detail;
        assert_eq!(detail.contains("`human` in place of the bot"), hinted, "{detail}");
        assert_eq!(detail.contains("`--sandbox off`"), hinted, "{detail}");
    }
}

#[test]
fn a_closed_input_is_noticed_after_the_last_answer() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let (arena, answers) = play(&workshop, "close-input", 1, &patient());
    assert_eq!(
        answers.iter().map(|answers| answers[0]).collect::<Vec<_>>(),
        [TurnLeft, TurnLeft, Answer::Gone]
    );
    assert!(arena.expect(FaultKind::Closed).detail.contains("standard input"));
    workshop.assert_group_gone();
}

#[test]
fn what_the_protocol_counts_comes_through() {
    agon_testkit::needs!("python3");
    assert_eq!(
        answers_of("garbage", 1, &patient()).1,
        [TurnLeft, Answer::Garbage, TurnLeft, TurnLeft]
    );
    let several = Answer::Several(Some(Action::Hit));
    assert_eq!(answers_of("twice", 1, &patient()).1, [TurnLeft, several, TurnLeft, TurnLeft]);
    let (arena, answers) = answers_of("chatter", 1, &patient());
    let with_cost = arena.turns.iter().filter(|(_, _, turn)| turn.cost.unwrap().cpu.is_some());
    assert_eq!(with_cost.count(), 2 * 4, "what ticks cost is noted");
    assert_eq!((answers, arena.faults), (vec![TurnLeft; 4], vec![]));
}

#[test]
fn a_missing_or_late_answer_is_silence_for_a_tick_and_no_end() {
    agon_testkit::needs!("python3");
    for mode in ["skip", "late"] {
        let clock = Clock { first: AGES, ..Clock::cpu(Duration::from_millis(300)) };
        let options = within(clock);
        let (arena, answers) = answers_of(mode, 1, &options);
        assert_eq!(answers, [TurnLeft, Silence, TurnLeft, TurnLeft], "{mode}");
        let fault = arena.expect(FaultKind::Timeout);
        assert_eq!(fault.step, 1);
        assert!(fault.detail.starts_with("silent in this tick"), "{}", fault.detail);
        let late = "an answer with ts 0 was dropped, as this tick has ts 1";
        assert_eq!(fault.detail.contains(late), mode == "late", "{}", fault.detail);
    }
}

#[test]
fn a_long_silence_is_told_once() {
    let workshop = Workshop::new();
    let options = within(Clock::wall(Duration::from_millis(20)));
    let mut arena = Arena::new(game(2), &[&workshop.sh("sleep 1000"), "builtin:random"], &options);
    workshop.group();
    arena.steps(10);
    assert_eq!(arena.step, 10, "the game goes on");
    assert_eq!(arena.expect(FaultKind::Timeout).step, 0);
    drop(arena);
    workshop.assert_group_gone();
}

/// A pipe whose contents a bot repeats.
///
/// So it writes something in each tick, even if it rarely gets a core.
struct Prompts(File);

impl Prompts {
    /// Makes a pipe at a path.
    fn make(path: &Path) {
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    }

    /// Waits until the bot opens the pipe as well.
    fn open(path: &Path) -> Prompts {
        Prompts(File::options().write(true).open(path).unwrap())
    }

    /// Waits until the bot has read this; it has then repeated the text before.
    fn give(&mut self, text: &str) {
        self.0.write_all(text.as_bytes()).unwrap();
        let start = Instant::now();
        while ioctl_fionread(&self.0).unwrap() > 0 {
            assert!(start.elapsed() < AGES, "the bot does not read its prompts");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn whoever_does_not_read_but_says_something_is_left_alone() {
    let workshop = Workshop::new();
    let options = within(Clock::wall(Duration::from_millis(10)));
    let path = workshop.path("prompts");
    Prompts::make(&path);
    let bot = workshop.sh(&format!("exec cat {}", path.display()));
    let mut arena = Arena::new(game(2), &[&bot, "builtin:random"], &options);
    let mut prompts = Prompts::open(&path);
    // More messages than a pipe holds.
    for _ in 0..300 {
        // Too late each time, as 0 is the number of every 256th tick only.
        prompts.give("\0 ");
        assert!(!matches!(arena.answers::<Rezzo>()[0], Answer::Gone), "{:#?}", arena.faults);
    }
}

#[test]
fn a_sleeper_catches_up() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    // It reads nothing at first, and then answers everything that it finds.
    let path = workshop.path("prompts");
    Prompts::make(&path);
    let inner = Workshop::new();
    let play = bot(&inner, "good", 0);
    let specs = [&*workshop.sh(&format!("cat {}\nexec {play}", path.display())), "builtin:random"];
    let rules = Rules { width: 40, height: 40, max_ticks: 0, ..Rules::default() };
    let mut arena = Arena::new(
        new_game::<Rezzo>(&rules, 2),
        &specs,
        &within(Clock::wall(Duration::from_millis(2))),
    );
    let mut prompts = Prompts::open(&path);
    for _ in 0..600 {
        prompts.give("zz");
        assert!(!matches!(arena.answers::<Rezzo>()[0], Answer::Gone), "{:#?}", arena.faults);
    }
    drop(prompts);
    let start = Instant::now();
    let answer = loop {
        // It is silent until Python has started; fifty ticks of that would end it.
        std::thread::sleep(Duration::from_millis(100));
        match arena.answers::<Rezzo>()[0] {
            Silence => assert!(start.elapsed() < AGES, "it never catches up: {:?}", arena.faults),
            answer => break answer,
        }
    };
    // Numbers of messages repeat every 256 ticks, so late answers may be among the valid ones.
    assert_eq!(answer.action(), Some(Action::TurnLeft));
    assert!(arena.faults.iter().all(|fault| fault.kind == FaultKind::Timeout));
}

/// The shortest tick with which fifty ticks last a second: no bot is stopped earlier.
const TICK: Duration = Duration::from_millis(21);

/// Plays until the first bot is gone; returns the number of ticks.
#[track_caller]
fn ticks_until_gone(arena: &mut Arena) -> u64 {
    let start = Instant::now();
    while arena.answers::<Rezzo>()[0] != Answer::Gone {
        assert!(start.elapsed() < AGES, "it is never stopped: {:#?}", arena.faults);
    }
    let outcome = arena.game.standing().outcome.expect("the game is over");
    assert_eq!(outcome.winners, [Player(1)]);
    arena.step
}

#[test]
fn nothing_at_all_for_fifty_ticks_ends_a_program() {
    agon_testkit::slow!();
    for prefix in ["", "jsonl:"] {
        let workshop = Workshop::new();
        let bot = format!("{prefix}{}", workshop.sh("sleep 1000"));
        let clock = Clock { wall_factor: 1, ..Clock::wall(TICK) };
        let mut arena = Arena::new(game(2), &[&bot, "builtin:random"], &within(clock));
        assert_eq!(ticks_until_gone(&mut arena), 50, "{bot}");
        let kinds: Vec<_> = arena.faults.iter().map(|fault| (fault.kind, fault.step)).collect();
        assert_eq!(kinds, [(FaultKind::Timeout, 0), (FaultKind::Timeout, 49)], "{bot}");
        let last = &arena.faults[1].detail;
        assert!(last.starts_with("nothing came from it for 50 turns in a row"), "{last}");
        workshop.assert_group_gone();
    }
}

/// Makes a program that speaks JSON Lines.
///
/// `answer` is a line of Python that may write to `out` for a `message`.
fn json_bot(workshop: &Workshop, answer: &str) -> String {
    let file = workshop.file("bot.py", JSON_BOT.replace("ANSWER", answer));
    format!("jsonl:python3 {file}")
}

const JSON_BOT: &str = r#"
import json, os, sys, time

def out(step):
    print(json.dumps({"step": step, "answers": [{"action": "TURN_LEFT"}]}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        step = message["step"]
        ANSWER
"#;

#[test]
fn a_program_that_is_always_late_plays_on() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    // Much more than is allowed between two good answers in other games.
    let bot = json_bot(&workshop, "print(' ' * 2000); out(step - 1 if step > 2 else step)");
    let clock = Clock { first: AGES, ..Clock::wall(Duration::from_millis(5)) };
    let mut arena = Arena::new(game(2), &[&bot, "builtin:random"], &within(clock));
    for _ in 0..200 {
        assert_ne!(arena.answers::<Rezzo>()[0], Answer::Gone, "{:#?}", arena.faults);
    }
    assert!(
        arena.faults.iter().all(|fault| fault.kind == FaultKind::Timeout),
        "{:#?}",
        arena.faults
    );
}

#[test]
fn a_program_of_json_lines_that_sleeps_catches_up() {
    agon_testkit::slow!();
    let workshop = Workshop::new();
    let path = workshop.path("prompts");
    Prompts::make(&path);
    // Its output meanwhile is not a line yet.
    let repeat = format!(
        "if step == 0:
            with open({path:?}) as prompts:
                while prompt := prompts.read(1):
                    print(end=prompt, flush=True)
        out(step)"
    );
    let bot = json_bot(&workshop, &repeat);
    let rules = Rules { width: 40, height: 40, max_ticks: 0, ..Rules::default() };
    let clock = Clock { first: Duration::from_millis(2), ..Clock::wall(Duration::from_millis(2)) };
    let mut arena =
        Arena::new(new_game::<Rezzo>(&rules, 2), &[&bot, "builtin:random"], &within(clock));
    // The first question wakes it.
    assert_eq!(arena.answers::<Rezzo>()[0], Silence, "{:#?}", arena.faults);
    let mut prompts = Prompts::open(&path);
    // More questions than a pipe holds.
    for _ in 0..600 {
        prompts.give(" ");
        assert_eq!(arena.answers::<Rezzo>()[0], Silence, "{:#?}", arena.faults);
    }
    drop(prompts);
    let start = Instant::now();
    while arena.answers::<Rezzo>()[0] != TurnLeft {
        assert!(start.elapsed() < AGES, "it never catches up: {:#?}", arena.faults);
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Nobody waits for fifty silent ticks of a bot that has ended.
#[test]
fn what_has_ended_is_gone_in_the_same_tick_whatever_it_is() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let socket = workshop.path("bot.sock");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let peer = std::thread::spawn(move || drop(listener.accept().unwrap()));
    let library = "#include <stdlib.h>\n#include \"agon/rezzo.h\"\nuint32_t agon_abi(void) { \
        return AGON_ABI; }\nuint32_t agon_decide(const void *q, uint32_t n, void *a, uint32_t m) \
        { abort(); }\n";
    let options = HostOptions { cache: Some(workshop.path("cache")), ..patient() };
    for (bot, ticks, kind) in [
        ("jsonl:sh -c 'exit 3'".to_owned(), 1, FaultKind::Crash),
        (json_bot(&workshop, "sys.exit(3) if step == 4 else out(step)"), 5, FaultKind::Crash),
        (format!("connect:{}", socket.display()), 1, FaultKind::Closed),
        // It is loaded again three times.
        (workshop.file("bot.c", library), 4, FaultKind::Crash),
    ] {
        let mut arena = Arena::new(game(2), &[&bot, "builtin:random"], &options);
        assert_eq!(ticks_until_gone(&mut arena), ticks, "{bot}");
        assert!(arena.faults.iter().all(|fault| fault.kind == kind), "{:#?}", arena.faults);
        assert_eq!(arena.faults.last().unwrap().step, ticks - 1, "{bot}");
    }
    peer.join().unwrap();
}

#[test]
fn a_steady_tick_lasts_its_full_time() {
    agon_testkit::needs!("python3");
    let options = HostOptions { steady: true, ..within(Clock::wall(Duration::from_millis(100))) };
    let workshop = Workshop::new();
    let mut arena = Arena::new(game(2), &[&bot(&workshop, "good", 0), "builtin:random"], &options);
    let start = Instant::now();
    arena.steps(5);
    assert!(start.elapsed() >= Duration::from_millis(500));
}
