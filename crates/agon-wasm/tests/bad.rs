//! Tests of modules that misbehave while they play: each loses its own answers, and the arena
//! nothing.

use agon_bots::HostOptions;
use agon_core::{Fault, FaultKind};
use agon_games::cellhack::{Action, Answer, Cellhack};

use crate::common::{IDLE, REST, Workshop, duel, endless, row};

/// Makes a bot with three pages of memory that has answered REST for two cells before `decide`.
///
/// In it, `$answers` and `$room` are the parameters. Its result is the number of bytes that it
/// claims to have written.
fn bot(more: &str, decide: &str) -> String {
    format!(
        r#"(module
            (import "agon" "log" (func $log (param i32 i32)))
            (import "agon" "random" (func $random (result i64)))
            (memory (export "memory") 3)
            (func (export "agon_abi") (result i32) (i32.const 1))
            {more}
            (func $decide (export "agon_decide")
                (param $question i32) (param $length i32) (param $answers i32) (param $room i32)
                (result i32)
                (i32.store8 (local.get $answers) (i32.const 1))
                (i32.store8 offset=16 (local.get $answers) (i32.const 1))
                {decide}))"#
    )
}

const ROOM: &str = r#"(func (export "agon_room") (param i32) (result i32) (i32.const 65536))"#;

/// Returns the fault of a bot that answers two of five cells, then does `decide`.
#[track_caller]
fn fault(more: &str, decide: &str, kind: FaultKind) -> Fault {
    let workshop = Workshop::new();
    let module = workshop.module(&bot(&format!("{ROOM} {more}"), decide));
    let mut arena = duel(row(5), &module, &workshop.options());
    assert_eq!(arena.answers::<Cellhack>()[..5], [REST, FORGET, IDLE, IDLE, IDLE]);
    arena.expect_kind(kind).clone()
}

/// The second cell's answer: the bot sets its memory, which was 1, to zero.
const FORGET: Answer = Answer { action: Action::Rest, memory: Some(0) };

#[track_caller]
fn crash(more: &str, decide: &str, reason: &str) {
    let fault = fault(more, decide, FaultKind::Crash);
    assert_eq!(fault.detail, format!("{reason}; 3 of 5 decisions are lost"));
}

#[test]
fn a_trap_is_a_crash_with_its_reason_and_place() {
    crash("", "unreachable", "wasm `unreachable` instruction executed, in decide");
    crash("", "(i32.load (i32.const -8))", "out of bounds memory access, in decide");
    crash("", "(i32.div_u (i32.const 1) (i32.const 0))", "integer divide by zero, in decide");
    let inner = "(func $inner (result i32) unreachable) (func $outer (result i32) (call $inner))";
    crash(
        inner,
        "(call $outer)",
        "wasm `unreachable` instruction executed, in inner < outer < decide",
    );
    let table = "(table 1 funcref)";
    crash(table, "(call_indirect (result i32) (i32.const 0))", "uninitialized element, in decide");
}

#[test]
fn calls_that_never_end_overflow_the_stack() {
    let deep = "(func $deep (result i32) (i32.add (call $deep) (i32.const 1)))";
    let reason = "call stack exhausted, in deep < deep < deep < deep < deep < deep";
    crash(deep, "(call $deep)", reason);
}

#[test]
fn an_endless_loop_ends_with_the_fuel() {
    let fault = fault("", "(loop $l (br $l)) unreachable", FaultKind::Timeout);
    let detail = "it used up its 5000000 units of fuel, in decide; 3 of 5 decisions are lost";
    assert_eq!(fault.detail, detail);
}

#[test]
fn what_takes_long_costs_more_fuel() {
    for costly in ["(drop (memory.grow (i32.const 0)))", "(drop (call $random))"] {
        fault("", &format!("(loop $l {costly} (br $l)) unreachable"), FaultKind::Timeout);
    }
    let fill = "(memory.fill (i32.const 0) (i32.const 1) (i32.const 65536))";
    fault("", &format!("(loop $l {fill} (br $l)) unreachable"), FaultKind::Timeout);
}

const HOG: &str = "(loop $l (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))";

#[test]
fn a_bot_that_wants_too_much_memory_and_cannot_do_without_is_told_so() {
    let fault = fault("", &format!("{HOG} unreachable"), FaultKind::Memory);
    let detail = "it wanted 257 MiB of memory, its limit is 256 MiB; then: wasm `unreachable` \
                  instruction executed, in decide; 3 of 5 decisions are lost";
    assert_eq!(fault.detail, detail);
}

#[test]
fn memory_that_it_does_not_get_is_no_fault_by_itself() {
    let workshop = Workshop::new();
    let options = HostOptions { wasm_memory: Some(2), ..workshop.options() };
    let module = workshop.module(&bot(ROOM, &format!("{HOG} (i32.const 32)")));
    let mut arena = duel(row(2), &module, &options);
    assert_eq!(arena.answers::<Cellhack>()[..2], [REST, FORGET]);
    assert_eq!(arena.faults, []);
}

#[test]
fn huge_tables_are_refused_like_memory() {
    let grow = "(drop (table.grow $t (ref.null func) (i32.const 2000000))) unreachable";
    let fault = fault("(table $t 1 funcref)", grow, FaultKind::Memory);
    assert!(fault.detail.contains("a table of 2000001 elements"), "{}", fault.detail);
}

/// Checks the result of an `agon_room` that does `room`.
#[track_caller]
fn bad_room(room: &str, kind: FaultKind, reason: &str) {
    let workshop = Workshop::new();
    let room = format!(r#"(func $give (export "agon_room") (param i32) (result i32) {room})"#);
    let module = workshop.module(&bot(&room, "(i32.const 32)"));
    let mut arena = duel(row(2), &module, &workshop.options());
    assert_eq!(arena.answers::<Cellhack>()[..2], [IDLE, IDLE]);
    let fault = arena.expect_kind(kind);
    assert_eq!(fault.detail, format!("{reason}; 2 of 2 decisions are lost"));
}

#[test]
fn room_that_is_none_is_refused() {
    use FaultKind::{Crash, Memory};
    bad_room("(i32.const 0)", Memory, "agon_room gives no room for 65536 bytes");
    bad_room("(i32.const 65537)", Crash, "agon_room gives 0x10001, which is no multiple of 8");
    let outside =
        "agon_room gives 0x20008: 0x10000 bytes from there are outside of the module's 0x30000";
    bad_room("(i32.const 0x20008)", Crash, outside);
    let outside =
        "agon_room gives 0xfffffff8: 0x10000 bytes from there are outside of the module's 0x30000";
    bad_room("(i32.const -8)", Crash, outside);
    bad_room("unreachable", Crash, "wasm `unreachable` instruction executed, in give");
    bad_room(
        "(loop $l (br $l)) unreachable",
        FaultKind::Timeout,
        "it used up its 2000000 units of fuel, in give",
    );
    let hog = "(if (i32.eq (memory.grow (i32.const 9999)) (i32.const -1)) (then (return (i32.const \
        0)))) unreachable";
    let lack = "agon_room gives no room for 65536 bytes; it wanted 626 MiB of memory, its limit is \
        256 MiB";
    bad_room(hog, Memory, lack);
}

#[test]
fn room_over_the_bots_own_data_harms_nobody_else() {
    let workshop = Workshop::new();
    let more = r#"(func (export "agon_room") (param i32) (result i32) (i32.const 8))
        (data (i32.const 0) "data")"#;
    let module = workshop.module(&bot(more, "(i32.const 32)"));
    let mut arena = duel(row(2), &module, &workshop.options());
    for _ in 0..3 {
        assert!(
            arena.answers::<Cellhack>()[..2].iter().all(|answer| answer.action == Action::Rest)
        );
    }
    assert_eq!(arena.faults, []);
}

#[test]
fn lengths_and_answers_that_mean_nothing_are_garbage() {
    let workshop = Workshop::new();
    let module = workshop.module(&bot(ROOM, "(i32.const -1)"));
    let mut arena = duel(row(2), &module, &workshop.options());
    assert_eq!(arena.answers::<Cellhack>()[..2], [REST, FORGET]);
    let detail = &arena.expect_kind(FaultKind::Garbage).detail;
    assert!(
        detail
            .starts_with("it says that it wrote 4294967295 bytes of answers, but has room for 32"),
        "{detail}"
    );

    let garbage = "(i32.store8 offset=16 (local.get $answers) (i32.const 0x99)) (i32.const 32)";
    let module = workshop.module(&bot(ROOM, garbage));
    let mut arena = duel(row(3), &module, &workshop.options());
    assert_eq!(arena.answers::<Cellhack>()[0], REST);
    let kinds: Vec<_> = arena.faults.iter().map(|fault| (fault.kind, fault.count)).collect();
    assert_eq!(kinds, [(FaultKind::Garbage, 1), (FaultKind::Garbage, 1)]);
    assert!(arena.faults[0].detail.starts_with("0x99 is no action"), "{}", arena.faults[0].detail);
    assert_eq!(arena.faults[1].detail, "it left decisions without an answer");
}

#[test]
fn a_flood_of_talk_is_cut() {
    let flood = "(loop $l (call $log (i32.const 0) (i32.const 70000)) (br $l)) unreachable";
    let text = r#"(data (i32.const 0) "hello, arena!")"#;
    let fault = fault(text, flood, FaultKind::Timeout);
    assert!(fault.evidence.stderr_tail.ends_with(" [the rest is left out]\n"), "{fault:?}");
    let outside = "(call $log (i32.const 196600) (i32.const 9)) (i32.const 0)";
    crash(
        "",
        outside,
        "agon.log: 9 bytes at 0x2fff8 are outside of the module's 0x30000 bytes, in decide",
    );
}

#[test]
fn what_a_bot_logs_is_shown_with_its_fault() {
    let text = r#"(data (i32.const 0) "hello, arena!\nbye")"#;
    let talk = "(call $log (i32.const 0) (i32.const 14)) (call $log (i32.const 14) (i32.const 3)) \
        unreachable";
    assert_eq!(fault(text, talk, FaultKind::Crash).evidence.stderr_tail, "hello, arena!\nbye\n");
}

#[test]
fn a_bot_that_fails_when_the_match_begins_is_told_with_the_first_question() {
    let workshop = Workshop::new();
    let endless = endless();
    let start = format!(r#"(func $hello (export "agon_start") (param i32 i32) {endless})"#);
    let module = workshop.module(&bot(&format!("{ROOM} {start}"), "(i32.const 32)"));
    let mut arena = duel(row(2), &module, &workshop.options());
    assert_eq!(arena.answers::<Cellhack>()[..2], [IDLE, IDLE]);
    let detail = &arena.expect_kind(FaultKind::Timeout).detail;
    assert!(detail.starts_with("it used up its 2000000000 units of fuel, in hello"), "{detail}");
}
