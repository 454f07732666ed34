//! Tests of native libraries that answer whole batches: the examples, and libraries that misbehave.

use std::{env, process::Command, time::Duration};

use agon_bots::{Clock, OpenError, batch::RESTARTS, open};
use agon_core::{Blob, Fault, FaultKind, Game, Seed};
use agon_games::amoebas::{self, Amoeba, Amoebas, Answer, Command as Act};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};
use agon_games::{GameId, any::AnyGame};

use crate::common::{Arena, PATIENT, Workshop, new_game, patient, spec};

fn example(name: &str) -> String {
    format!("{}/../../examples/bots/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Plays an example against a built-in bot to the end, and returns both scores.
#[track_caller]
fn play(game: AnyGame, bot: &str, opponent: &str) -> [i64; 2] {
    let workshop = Workshop::new();
    let mut arena = Arena::new(game, &[bot, opponent], &workshop.within(PATIENT));
    arena.steps(100_000);
    assert_eq!(arena.faults, []);
    assert!(arena.game.is_over());
    let standing = arena.game.standing();
    [0, 1].map(|player| standing.players[player].score)
}

#[test]
fn the_examples_beat_built_in_bots() {
    let wins = |scores: [i64; 2]| assert!(scores[0] > scores[1], "{scores:?}");
    let rules = amoebas::Rules { world_size: 40, rounds: 150, ..amoebas::Rules::default() };
    wins(play(new_game::<Amoebas>(&rules, 2), &example("amoebas/grazer.c"), "builtin:mindless"));
    let rules =
        binfection::Rules { field_width: 20, field_height: 20, ..binfection::Rules::default() };
    wins(play(new_game::<Binfection>(&rules, 2), &example("binfection/tide.c"), "builtin:random"));
    agon_testkit::needs!("c++");
    let rules = cluster::Rules { side: 6, ..cluster::Rules::default() };
    wins(play(new_game::<Cluster>(&rules, 2), &example("cluster/planner.cpp"), "builtin:random"));
}

#[test]
fn rambler_in_rust_plays_rezzo() {
    let workshop = Workshop::new();
    let library = workshop.path("rambler.so");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = Command::new(rustc)
        .args(["--edition", "2024", "-O", "--crate-type", "cdylib", "-o"])
        .arg(&library)
        .arg(example("rezzo/rambler.rs"))
        .status();
    assert!(built.is_ok_and(|status| status.success()), "rustc has to compile the example");
    let rules = rezzo::Rules { width: 40, height: 40, max_ticks: 300, ..rezzo::Rules::default() };
    let mut arena = Arena::new(
        new_game::<Rezzo>(&rules, 2),
        &[library.to_str().unwrap(), "builtin:random"],
        &patient(),
    );
    let mut steps = 0;
    while !arena.game.is_over() {
        steps += usize::from(arena.answers::<Rezzo>()[0] == rezzo::Answer::Advance);
    }
    assert_eq!(arena.faults, []);
    assert!(steps > 50, "it walks: {steps} steps");
}

/// The first block of C in the documentation, with the second behind it.
#[test]
fn the_bot_of_the_documentation_plays() {
    let page = include_str!("../../../docs/batch-abi.md");
    let blocks: Vec<&str> =
        page.split("```c\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 2, "the bot, and what WebAssembly needs beside it");
    let workshop = Workshop::new();
    let rules = cellhack::Rules { turns: 60, ..cellhack::Rules::default() };
    let bot = workshop.file("bot.c", blocks.concat());
    let scores = play(new_game::<Cellhack>(&rules, 2), &bot, "builtin:random");
    assert!(scores[0] > scores[1], "{scores:?}");
}

#[test]
fn the_documentation_tells_the_fuel() {
    let page = include_str!("../../../docs/batch-abi.md");
    let has_own_form = |id: &GameId| id.kind().has_own_form();
    for id in GameId::OWN.into_iter().filter(has_own_form) {
        let prefix = format!("| {id} | ");
        let cell = page
            .lines()
            .find_map(|line| line.strip_prefix(&prefix))
            .unwrap()
            .trim_end_matches(" |");
        assert_eq!(cell.replace(' ', "").parse(), Ok(id.kind().fuel()), "{id}");
    }
}

#[test]
fn cpp_sources_are_compiled_with_all_their_language() {
    agon_testkit::needs!("c++");
    let workshop = Workshop::new();
    let source = "#include <vector>\n#include \"agon/rezzo.h\"\n\
        uint32_t agon_abi() { return AGON_ABI; }\n\
        uint32_t agon_decide(const void *, uint32_t, void *answers, uint32_t) {\n\
        std::vector<uint8_t> v(1, REZZO_RIGHT); *(uint8_t *)answers = v.back(); return 1; }\n";
    for name in ["bot.cc", "bot.cpp"] {
        let file = workshop.file(name, source);
        let game = new_game::<Rezzo>(&rezzo::Rules::default(), 2);
        let mut arena = Arena::new(game, &[&file, "builtin:random"], &workshop.within(PATIENT));
        assert_eq!(arena.answers::<Rezzo>()[0], rezzo::Answer::TurnRight);
        assert_eq!(arena.faults, []);
    }
}

/// A bot for amoebas that rests, but does `BODY` for each amoeba, and then `END`.
const BOT: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "agon/amoebas.h"
__attribute__((constructor)) static void note(void) {
    FILE *file = fopen(GROUP, "w");
    if (file) { fprintf(file, "%d\n", getpgid(0)); fclose(file); }
}
uint32_t agon_abi(void) { return AGON_ABI; }
uint32_t agon_decide(const void *question, uint32_t bytes, void *room, uint32_t room_bytes) {
    uint32_t decisions = ((const agon_question *)question)->decisions;
    uint32_t length = decisions * sizeof(amoebas_answer);
    amoebas_answer *answers = room;
    (void)bytes, (void)room_bytes;
    for (uint32_t i = 0; i < decisions; i++) {
        const amoebas_question *me = amoebas_question_at(question, i);
        amoebas_answer *answer = &answers[i];
        (void)me, (void)answer;
        BODY
        answer->action = AMOEBAS_REST;
    }
    END
    return length;
}
"#;

fn bot(workshop: &Workshop, body: &str, end: &str) -> String {
    let group = format!("\"{}\"", workshop.path("group").display());
    workshop.file("bot.c", BOT.replace("GROUP", &group).replace("BODY", body).replace("END", end))
}

/// Makes a class of amoebas, which are asked in one batch; all except the last are player 0's.
fn game(rules: &amoebas::Rules, amoebas: u32) -> AnyGame {
    let blocks = rules.world_size / (rules.view_distance + 2);
    let place = |n: u32| n * rules.world_size / blocks;
    let amoeba = |n: u32| Amoeba {
        x: place(n % blocks),
        y: place(n / blocks),
        species: u32::from(n == amoebas),
        energy: 50,
        health: 10,
        data: None,
        function: None,
        acted: false,
    };
    let position = amoebas::Position {
        players: 2,
        round: 0,
        fuel: vec![],
        amoebas: (0..=amoebas).map(amoeba).collect(),
    };
    let game = Amoebas::from_position(rules, Seed(1), position);
    AnyGame::of(game.expect("the position fits the rules"))
}

fn small() -> amoebas::Rules {
    amoebas::Rules { world_size: 50, ..amoebas::Rules::default() }
}

fn arena(workshop: &Workshop, body: &str, end: &str, clock: Clock) -> Arena {
    let specs = [&*bot(workshop, body, end), "builtin:mindless"];
    Arena::new(game(&small(), 5), &specs, &workshop.within(clock))
}

const REST: Answer = Answer::REST;
const IDLE: Answer = Answer::FAULT;

/// Returns the fault of a bot that misbehaves at the third of five amoebas.
///
/// Its earlier answers count.
#[track_caller]
fn check(misbehave: &str, kind: FaultKind, clock: Clock) -> Fault {
    let workshop = Workshop::new();
    let mut arena = arena(&workshop, &format!("if (i == 2) {{ {misbehave}; }}"), "", clock);
    let unit = arena.game.decisions()[2].unit;
    let group = workshop.group();
    assert_eq!(arena.answers::<Amoebas>()[..5], [REST, REST, IDLE, IDLE, IDLE]);
    let fault = arena.expect(kind).clone();
    assert_eq!(fault.evidence.unit, Some(unit));
    assert!(fault.detail.contains("3 of 5 decisions are lost"), "{}", fault.detail);
    crate::common::assert_gone(&group);
    fault
}

#[test]
fn a_crash_costs_what_is_not_answered_yet() {
    let fault =
        check("fputs(\"oops\\n\", stderr); *(volatile int *)0 = 1", FaultKind::Crash, PATIENT);
    assert_eq!((fault.evidence.signal, &*fault.evidence.stderr_tail), (Some(11), "oops\n"));
    assert_eq!(check("exit(7)", FaultKind::Crash, PATIENT).evidence.exit_status, Some(7));
    check("if (fork() == 0) sleep(1000); _exit(3)", FaultKind::Crash, PATIENT);
    check("for (int fd = 3; fd < 100; fd++) close(fd); sleep(1000)", FaultKind::Closed, PATIENT);
}

#[test]
fn an_endless_loop_is_stopped() {
    let clock = Clock::cpu(Duration::from_millis(100));
    check("for (volatile int i = 0;; i = 1) {}", FaultKind::Timeout, clock);
    check("sleep(1000)", FaultKind::Timeout, clock);
}

#[test]
fn a_bot_that_crashes_is_loaded_anew_a_few_times() {
    let workshop = Workshop::new();
    let mut arena = arena(&workshop, "abort();", "", PATIENT);
    // As the documentation says.
    assert_eq!(RESTARTS, 3);
    while arena.faults.len() <= RESTARTS as usize {
        assert!(arena.faults.iter().all(|fault| !fault.detail.contains("stays out")));
        arena.step();
    }
    assert!(arena.faults.last().unwrap().detail.ends_with("and the bot stays out from now on"));
    arena.steps(50);
    assert_eq!(arena.faults.len(), RESTARTS as usize + 1);
}

/// Returns the answers and the fault of a bot in its bad step; it plays on.
#[track_caller]
fn goes_on(body: &str, end: &str, kind: FaultKind) -> (Vec<Answer>, Fault) {
    let workshop = Workshop::new();
    let mut arena = arena(&workshop, body, end, PATIENT);
    let answers = arena.answers::<Amoebas>()[..5].to_vec();
    let fault = arena.expect(kind).clone();
    (answers, fault)
}

#[test]
fn missing_answers_are_counted() {
    let (answers, fault) = goes_on("if (i % 2) continue;", "", FaultKind::Garbage);
    assert_eq!(answers, [REST, IDLE, REST, IDLE, REST]);
    assert_eq!((fault.count, &*fault.detail), (2, "it left decisions without an answer"));
    let (answers, fault) =
        goes_on("", "return 3 * sizeof(amoebas_answer) + 1;", FaultKind::Garbage);
    assert_eq!(answers, [REST, REST, REST, IDLE, IDLE]);
    assert_eq!(fault.count, 2);
    let (answers, fault) = goes_on("", "return 0;", FaultKind::Garbage);
    assert_eq!((answers, fault.count), (vec![IDLE; 5], 5));
}

#[test]
fn a_length_beyond_the_room_is_a_lie() {
    for length in ["room_bytes + 1", "0xFFFFFFFFu"] {
        let (answers, fault) = goes_on("", &format!("return {length};"), FaultKind::Garbage);
        assert_eq!(answers, [REST; 5], "what is there counts");
        assert!(fault.detail.contains("but has room for"), "{}", fault.detail);
    }
}

#[test]
fn garbage_costs_one_decision_and_is_told_once() {
    for (body, detail) in [
        ("if (i > 2) { answer->action = 99; continue; }", "99 is no action; the amoeba rests"),
        (
            "if (i > 2) { answer->action = AMOEBAS_HIT; answer->dir = 8; continue; }",
            "direction 8 is not one of 0 (north-west) to 7 (west); the amoeba rests",
        ),
        (
            "if (i > 2) answer->data = (agon_bytes){4000000000u, 4000000000u};",
            "its data is 4000000000 bytes at 4000000000, outside of the 140 bytes written; the \
             amoeba rests",
        ),
        (
            "if (i > 2) answer->data = (agon_bytes){0, 1};",
            "its data is 1 bytes at offset 0, which stands for none; the amoeba rests",
        ),
        (
            "if (i > 2) { answer->function = (agon_bytes){139, 2}; answer->action = \
             AMOEBAS_DIVIDE; continue; }",
            "its function is 2 bytes at 139, outside of the 140 bytes written; the amoeba rests",
        ),
    ] {
        let (answers, fault) = goes_on(body, "", FaultKind::Garbage);
        assert_eq!(answers, [REST, REST, REST, IDLE, IDLE], "{body}");
        assert_eq!((&*fault.detail, fault.count), (detail, 2));
    }
}

#[test]
fn what_a_bot_keeps_comes_back() {
    let workshop = Workshop::new();
    let body = "uint8_t note = (uint8_t)(me->data.length + i); \
        answer->data = agon_append(answers, &length, \"abcdefgh\", note);";
    let mut arena = arena(&workshop, body, "", PATIENT);
    let data: Vec<_> = arena.answers::<Amoebas>()[..5]
        .iter()
        .map(|answer| data(answer).unwrap().bytes().len())
        .collect();
    assert_eq!(data, [0, 1, 2, 3, 4]);
    assert_eq!(arena.faults, []);
}

fn data(answer: &Answer) -> Option<&Blob> {
    assert_eq!(answer.command(), Act::Rest, "{answer:?}");
    answer.data()
}

#[test]
fn batches_larger_than_the_shared_memory_go_in_parts() {
    let rules = amoebas::Rules {
        world_size: 2000,
        view_distance: 10,
        data_limit: 8,
        ..amoebas::Rules::default()
    };
    let workshop = Workshop::new();
    let body = "static uint8_t part; static uint32_t asked; if (i == 0) { part++; asked += \
        decisions; } if (asked == 14000 && i == decisions - 1) abort(); answer->data = \
        agon_append(answers, &length, &part, 1);";
    let specs = [&*bot(&workshop, body, ""), "builtin:mindless"];
    let mut arena = Arena::new(game(&rules, 14_000), &specs, &workshop.within(PATIENT));
    let answers = arena.answers::<Amoebas>();
    let parts: Vec<u8> = answers[..14_000]
        .iter()
        .map_while(|answer| Some(data_or_none(answer)?.bytes()[0]))
        .collect();
    assert_eq!(parts.len(), 13_999, "each is asked once, and only the last is lost");
    assert!(parts.is_sorted() && parts[0] == 1 && parts[13_998] > 1, "there are several parts");
    assert!(arena.expect(FaultKind::Crash).detail.contains("1 of 14000 decisions are lost"));
}

fn data_or_none(answer: &Answer) -> Option<&Blob> {
    if *answer == IDLE { None } else { data(answer) }
}

#[test]
fn libraries_that_cannot_play_are_told_when_they_are_opened() {
    let workshop = Workshop::new();
    let error = |source: &str| {
        let file = workshop.file("bad.c", source);
        match open(GameId::Cluster.kind(), &spec(&file), &workshop.within(PATIENT)) {
            Err(OpenError::Load { path, message }) => {
                assert_eq!(path.to_str(), Some(&*file), "the source is named");
                message
            }
            other => panic!("{:?}", other.err()),
        }
    };
    assert_eq!(error("int x;"), "it has no function `agon_decide`, which agon/bot.h declares");
    assert_eq!(
        error("void agon_decide(void) {}"),
        "it has a function `agon_decide` but none `agon_abi`"
    );
    let abi = error("void agon_decide(void) {}\nunsigned agon_abi(void) { return 77; }");
    assert_eq!(abi, "its version of the interface is 77, the arena's is 1");
    let cell = error("char cell_decide_action(void) { return 1; }");
    assert_eq!(
        cell, "it has no function `agon_decide`, which agon/bot.h declares",
        "other games' functions are none"
    );
    let unresolved = "#include <stdint.h>\nuint32_t missing(void);\nuint32_t agon_abi(void) { \
        return missing(); }\nvoid agon_decide(void) {}";
    assert!(error(unresolved).contains("undefined symbol: missing"));
}
