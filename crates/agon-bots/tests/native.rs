//! Tests of C functions for cellhack, most of which misbehave.

use std::fs;

use agon_bots::{HostOptions, OpenError, open};
use agon_core::FaultKind;
use agon_games::GameId;
use agon_games::cellhack::{Action, Answer, Cellhack};

use crate::common::{Arena, IDLE, PATIENT, REST, Workshop, row, spec};

/// A bot that rests, with `{}` before that, and notes its process group when it is loaded.
const BOT: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void note(void) {
    FILE *file = fopen(GROUP, "w");
    if (file) { fprintf(file, "%d\n", getpgid(0)); fclose(file); }
}
uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory) {
    (void)env;
    BODY
    return REST;
}
"#;

/// Writes a bot that does `body` before it rests.
///
/// Its cells have the memories of the position: 0, 1, 2, ...
fn bot(workshop: &Workshop, body: &str) -> String {
    let group = format!("\"{}\"", workshop.path("group").display());
    workshop.file("bot.c", BOT.replace("GROUP", &group).replace("BODY", body))
}

fn arena(workshop: &Workshop, body: &str, cells: u32) -> Arena {
    let specs = [&*bot(workshop, body), "builtin:random"];
    Arena::new(row(cells), &specs, &workshop.within(PATIENT))
}

#[test]
fn a_crash_costs_the_cells_from_the_one_that_crashed() {
    let workshop = Workshop::new();
    let body = "if (*memory == 2) { fputs(\"oops\\n\", stderr); abort(); }";
    let mut arena = arena(&workshop, body, 5);
    let unit = arena.game.decisions()[2].unit;
    let group = workshop.group();
    assert_eq!(arena.answers::<Cellhack>()[..5], [REST, REST, IDLE, IDLE, IDLE]);
    let fault = arena.expect(FaultKind::Crash);
    assert_eq!((fault.evidence.unit, fault.count), (Some(unit), 1));
    assert_eq!((fault.evidence.signal, &*fault.evidence.stderr_tail), (Some(6), "oops\n"));
    assert!(fault.detail.contains("3 of 5 decisions are lost"), "{}", fault.detail);
    crate::common::assert_gone(&group);
}

/// Opens a bot that was loaded before. While it is loaded, it ends itself as long as `condition`
/// holds; `tries` is then how often it was loaded.
fn open_again(workshop: &Workshop, condition: &str) -> Arena {
    let tries = format!("{:?}", workshop.path("tries"));
    let source = r#"
#include <sys/stat.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void end(void) {
    FILE *file = fopen(TRIES, "a");
    fputc('x', file);
    fclose(file);
    struct stat facts;
    stat(TRIES, &facts);
    int tries = facts.st_size;
    if (CONDITION)
        _exit(0);
}
uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory) { return REST; }
"#;
    let source = source.replace("TRIES", &tries).replace("CONDITION", condition);
    let bot = workshop.file("bot.c", &source);
    let options = workshop.within(PATIENT);
    let refused = open(GameId::Cellhack.kind(), &spec(&bot), &options).err().unwrap();
    assert!(matches!(refused, OpenError::Load { .. }), "{refused}");
    let options = HostOptions { loaded_before: true, ..options };
    Arena::new(row(2), &[&bot, "builtin:random"], &options)
}

#[test]
fn who_ends_itself_while_it_is_loaded_stops_no_match() {
    let workshop = Workshop::new();
    let mut arena = open_again(&workshop, "tries <= 2");
    assert_eq!(arena.answers::<Cellhack>()[..2], [REST, REST], "the second time counts");
    assert_eq!(arena.faults, []);

    let workshop = Workshop::new();
    let mut arena = open_again(&workshop, "tries > 0");
    arena.steps(5);
    let faults: Vec<_> = arena.faults.iter().map(|fault| (fault.step, fault.kind)).collect();
    assert_eq!(faults, [0, 1, 2].map(|step| (step, FaultKind::Start)));
    assert!(arena.faults[0].detail.contains("ended before it answered"), "{:?}", arena.faults[0]);
}

#[test]
fn what_a_function_prints_or_reads_disturbs_nothing() {
    let workshop = Workshop::new();
    let body = "char c; for (int i = 0; i < 5000; i++) { puts(\"done 1\"); fputs(\"ready\\n\", \
                stderr); } if (read(0, &c, 1) != 0) abort(); fflush(stdout);";
    let mut arena = arena(&workshop, body, 3);
    for _ in 0..3 {
        assert_eq!(arena.answers::<Cellhack>()[..3], [REST; 3]);
    }
    assert_eq!(arena.faults, []);
}

#[test]
fn functions_see_and_say_all_there_is() {
    let workshop = Workshop::new();
    let body = "if (!isFamily(CENTER) || !isEmpty(UP) || energy != 50) abort(); \
                if (*memory == 1) { *memory = 1ull << 60; return SPLIT_BASE + DOWN; }";
    let mut arena = arena(&workshop, body, 3);
    let split: Answer =
        serde_json::from_str(r#"{"action": "SPLIT_DOWN", "memory": 1152921504606846976}"#).unwrap();
    assert_eq!(arena.answers::<Cellhack>()[..3], [REST, split, REST]);
    assert_eq!(arena.faults, []);
}

#[test]
fn bytes_that_are_no_action_are_counted_in_one_fault() {
    let workshop = Workshop::new();
    let mut arena = arena(&workshop, "if (*memory > 0) return MOVE_BASE + LEFT_UP;", 4);
    let unit = arena.game.decisions()[1].unit;
    assert_eq!(arena.answers::<Cellhack>()[..4], [REST, IDLE, IDLE, IDLE]);
    let fault = arena.expect(FaultKind::Garbage);
    assert_eq!((fault.count, fault.evidence.unit), (3, Some(unit)));
    assert!(fault.detail.starts_with("0x20 is no action"), "{}", fault.detail);
}

#[test]
fn a_function_that_returns_zero_is_told_so() {
    for (body, word) in [("return 0;", "0x00"), ("return 255;", "0xff")] {
        let workshop = Workshop::new();
        let mut arena = arena(&workshop, &format!("*memory = 7; {body}"), 2);
        assert_eq!(arena.answers::<Cellhack>()[..2], [Answer { memory: Some(7), ..IDLE }; 2]);
        let fault = arena.expect(FaultKind::Garbage);
        assert_eq!(
            (fault.count, &*fault.detail),
            (2, &*format!("{word} is no action; it counts as NOTHING"))
        );
    }
}

#[test]
fn energy_may_be_declared_as_an_int() {
    let workshop = Workshop::new();
    let source = "#include \"cellhack/player.h\"\n#include <math.h>\nchar *cell_name() { return \
        \"int\"; }\nuint8_t cell_decide_action(uint8_t *env, int energy, uint64_t *memory) { \
        *memory = sqrt(energy * energy); return energy == 50 && env[4] == 1 ? REST : DIE; }\n";
    let file = workshop.file("int.c", source);
    let mut arena = Arena::new(row(2), &[&file, "builtin:random"], &workshop.within(PATIENT));
    let rest = Answer { action: Action::Rest, memory: Some(50) };
    assert_eq!(arena.answers::<Cellhack>()[..2], [rest, rest]);
}

fn open_error(workshop: &Workshop, text: &str) -> OpenError {
    open(GameId::Cellhack.kind(), &spec(text), &workshop.within(PATIENT))
        .err()
        .expect("it cannot be opened")
}

#[test]
fn a_library_that_cannot_be_loaded_is_told_when_it_is_opened() {
    let workshop = Workshop::new();
    let dies = "#include <stdlib.h>\n#include <stdio.h>\n\
        __attribute__((constructor)) void f(void) { fputs(\"not today\\n\", stderr); exit(9); }";
    for (name, text, parts) in [
        ("no.c", "int x;", ["it has no function `cell_decide_action`", ""]),
        ("text.so", "no library", ["text.so` cannot be loaded", ""]),
        ("dies.c", dies, ["exit status 9", "not today"]),
    ] {
        let error = open_error(&workshop, &workshop.file(name, text)).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn what_does_not_compile_is_told_in_the_compilers_words() {
    let workshop = Workshop::new();
    let error =
        open_error(&workshop, &workshop.file("typo.c", "uint8_t f(void) { return RESTT; }"));
    let OpenError::Compile { message, .. } = &error else { panic!("{error}") };
    assert!(message.contains("RESTT") && message.contains("typo.c"), "{message}");
    let error =
        open_error(&workshop, &workshop.file("lost.c", "#include \"lost.h\"\n")).to_string();
    assert!(error.contains("lost.h"), "{error}");
    let error = open_error(&workshop, workshop.path("none.c").to_str().unwrap()).to_string();
    assert!(error.starts_with("there is no file"), "{error}");
}

fn libraries(workshop: &Workshop) -> usize {
    fs::read_dir(workshop.path("cache")).expect("the cache is there").count()
}

#[test]
fn a_source_is_compiled_once_for_each_content() {
    let workshop = Workshop::new();
    let options = workshop.within(PATIENT);
    let header = workshop.file("plan.h", "#define PLAN REST\n");
    let source = "#include \"plan.h\"\nuint8_t cell_decide_action(uint8_t *env, uint8_t energy, \
        uint64_t *memory) { return PLAN; }\n";
    let file = workshop.file("bot.c", source);
    let first_answer = || {
        let mut arena = Arena::new(row(1), &[&file, "builtin:random"], &options);
        arena.answers::<Cellhack>()[0].action
    };
    assert_eq!((first_answer(), libraries(&workshop)), (Action::Rest, 1));
    let library = fs::read_dir(workshop.path("cache")).unwrap().next().unwrap().unwrap().path();
    let written = fs::metadata(&library).unwrap().modified().unwrap();
    assert_eq!((first_answer(), libraries(&workshop)), (Action::Rest, 1));
    assert_eq!(fs::metadata(&library).unwrap().modified().unwrap(), written);
    fs::write(header, "#define PLAN DIE\n").unwrap();
    assert_eq!((first_answer(), libraries(&workshop)), (Action::Die, 2));
}

#[test]
fn many_may_compile_the_same_at_once() {
    let workshop = Workshop::new();
    let file = bot(&workshop, "");
    let options = workshop.within(PATIENT);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| open(GameId::Cellhack.kind(), &spec(&file), &options).unwrap());
        }
    });
    assert_eq!(libraries(&workshop), 1);
}

#[test]
fn a_bot_that_stopped_leaves_nothing() {
    let workshop = Workshop::new();
    let mut bot =
        open(GameId::Cellhack.kind(), &spec(&bot(&workshop, "")), &workshop.within(PATIENT))
            .unwrap();
    bot.stop();
    workshop.assert_group_gone();
}
