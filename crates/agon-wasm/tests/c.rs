//! Tests of C sources that are compiled to WebAssembly.
//!
//! Without clang these tests do nothing, except where CI is set.

use std::{env, fs, process::Command};

use agon_bots::{OpenError, open};
use agon_games::GameId;
use agon_games::cellhack::{Action, Cellhack};

use crate::common::{Workshop, clang, duel, example, fixture, play, row, spec, world};

fn error(workshop: &Workshop, source: &str) -> OpenError {
    let file = format!("wasm:{}", workshop.file("bot.c", source));
    open(GameId::Cellhack.kind(), &spec(&file), &workshop.options()).err().expect("it is no bot")
}

#[track_caller]
fn refused(source: &str, parts: &[&str]) {
    let text = error(&Workshop::new(), source).to_string();
    for part in parts {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
}

/// Returns the first answer to a row of two cells.
#[track_caller]
fn first_answer(source: &str) -> (Action, Option<u64>) {
    let workshop = Workshop::new();
    let file = format!("wasm:{}", workshop.file("bot.c", source));
    let mut arena = duel(row(2), &file, &workshop.options());
    let answer = arena.answers::<Cellhack>()[0];
    assert_eq!(arena.faults, []);
    (answer.action, answer.memory)
}

#[test]
fn a_function_that_returns_zero_is_told_so() {
    if clang().is_none() {
        return;
    }
    for (byte, word) in [(0, "0x00"), (255, "0xff")] {
        let workshop = Workshop::new();
        let source = format!(
            "#include <stdint.h>\nuint8_t cell_decide_action(uint8_t *env, uint8_t energy, \
             uint64_t *memory) {{ return {byte}; }}\n"
        );
        let file = format!("wasm:{}", workshop.file("bot.c", source));
        let mut arena = duel(row(2), &file, &workshop.options());
        assert_eq!(arena.answers::<Cellhack>()[0].action, Action::Nothing);
        let fault = &arena.faults[0];
        assert_eq!(
            (fault.count, &*fault.detail),
            (2, &*format!("{word} is no action; it counts as NOTHING"))
        );
    }
}

/// Returns the sources of committed modules.
fn sources() -> [(&'static str, String); 5] {
    let from_example = |name: &'static str| (name, example(&format!("{name}.c")));
    [
        from_example("amoeboid"),
        from_example("drifter"),
        from_example("pioneers"),
        ("dice", fixture("dice.c")),
        ("rest", fixture("rest.c")),
    ]
}

/// With the variable `AGON_UPDATE_MODULES` this writes the modules again.
#[test]
fn committed_modules_are_made_of_their_sources() {
    if clang().is_none() {
        return;
    }
    for (name, source) in sources() {
        let workshop = Workshop::new();
        let module = fixture(&format!("{name}.wasm"));
        let fresh = format!("wasm:{source}");
        let made = play([&fresh, "builtin:hunter"], world(8, 50), None, &workshop.options());
        if env::var_os("AGON_UPDATE_MODULES").is_some() {
            let cached =
                fs::read_dir(workshop.path("cache")).unwrap().next().unwrap().unwrap().path();
            fs::copy(cached, &module).unwrap();
        }
        assert_eq!(
            made,
            play([&module, "builtin:hunter"], world(8, 50), None, &workshop.options()),
            "{name}"
        );
    }
}

#[test]
fn functions_of_the_c_library_are_there() {
    if clang().is_none() {
        return;
    }
    let source = "#include <stdlib.h>\n#include <string.h>\n#include <math.h>\nuint8_t \
        cell_decide_action(uint8_t *env, int energy, uint64_t *memory) {\nchar *text = \
        malloc(10000); if (!text) return DIE; memset(text, 'x', 9999); text[9999] = 0;\nsrand(1); \
        *memory = strlen(text) + (rand() >= 0) + (uint64_t)sqrt(energy * energy); \
        free(text);\nreturn energy == 50 && env[4] == 1 ? REST : DIE; }";
    assert_eq!(first_answer(source), (Action::Rest, Some(9999 + 1 + 50)));
}

#[test]
fn a_source_may_answer_whole_batches_itself() {
    if clang().is_none() {
        return;
    }
    let own = "#include \"agon/cellhack.h\"\nAGON_EXPORT(agon_abi) uint32_t agon_abi(void) { \
        return AGON_ABI; }\nAGON_EXPORT(agon_decide) uint32_t agon_decide(const void *q, uint32_t \
        l, void *answers, uint32_t room) {\ncellhack_answer *answer = answers; uint32_t count = \
        ((const agon_question *)q)->decisions;\nagon_log(\"hello\", 5);\nfor (uint32_t i = 0; i < \
        count; i++) answer[i].action = CELLHACK_DIE;\nreturn count * sizeof *answer; }";
    assert_eq!(first_answer(own), (Action::Die, None));
    let room = "static uint64_t mine[40000];\nAGON_EXPORT(agon_room) void *agon_room(uint32_t \
        size) { return size <= sizeof mine ? mine : NULL; }";
    assert_eq!(first_answer(&format!("{own}\n{room}")), (Action::Die, None));
}

/// The library's own sort, a vector that grows.
#[test]
fn cpp_has_its_library_if_that_is_installed() {
    let Some(clang) = clang() else { return };
    let workshop = Workshop::new();
    let source = "#include \"agon/cellhack.h\"\n#include <algorithm>\n#include <vector>\nextern \
        \"C\" AGON_EXPORT(agon_abi) uint32_t agon_abi(void) { return AGON_ABI; }\nextern \"C\" \
        AGON_EXPORT(agon_decide) uint32_t agon_decide(const void *question, uint32_t, void \
        *answers, uint32_t) {\nstd::vector<uint64_t> numbers;\nuint32_t count = static_cast<const \
        agon_question *>(question)->decisions;\nfor (uint32_t i = 0; i < 1000; i++) \
        numbers.push_back(i * 7919 % 1000);\nstd::sort(numbers.begin(), numbers.end());\nauto \
        *answer = static_cast<cellhack_answer *>(answers);\nfor (uint32_t i = 0; i < count; i++) { \
        answer[i].action = CELLHACK_REST; answer[i].memory = numbers[41]; }\nreturn count * sizeof \
        *answer; }";
    let file = format!("wasm:{}", workshop.file("bot.cpp", source));
    match open(GameId::Cellhack.kind(), &spec(&file), &workshop.options()) {
        Ok(_) => {
            let mut arena = duel(row(2), &file, &workshop.options());
            let answer = arena.answers::<Cellhack>()[0];
            assert_eq!((answer.action, answer.memory), (Action::Rest, Some(41)));
            assert_eq!(arena.faults, []);
        }
        Err(error) => {
            assert!(!has_cpp_library(&clang), "{error}");
            assert!(error.to_string().contains("apt install libc++-dev-wasm32"), "{error}");
        }
    }
}

fn has_cpp_library(clang: &str) -> bool {
    let found =
        Command::new(clang).args(["--target=wasm32-wasi", "-print-file-name=libc++.a"]).output();
    let found = found.expect("clang was found before").stdout;
    assert!(
        env::var_os("CI").is_none() || found.starts_with(b"/"),
        "`cargo xtask setup` installs the library"
    );
    found.starts_with(b"/")
}

#[test]
fn what_cannot_be_compiled_is_told() {
    if clang().is_none() {
        return;
    }
    refused("uint8_t f(void) { return RESTT; }", &["bot.c` does not compile", "RESTT"]);
    refused("int x;", &["undefined symbol: cell_decide_action"]);
    let mismatch = ["function signature mismatch: cell_decide_action", "() -> i32"];
    refused("char cell_decide_action(void) { return 3; }", &mismatch);
}

#[test]
fn what_the_arena_does_not_offer_is_told() {
    if clang().is_none() {
        return;
    }
    let talks = "#include <stdio.h>\nuint8_t cell_decide_action(uint8_t *env, int energy, uint64_t \
        *memory) { puts(\"hello\"); return REST; }";
    refused(talks, &["bot.c` cannot be loaded", "`wasi_snapshot_preview1.fd_write`", "agon_log"]);
    let time = "#include <time.h>\nuint8_t cell_decide_action(uint8_t *env, int energy, uint64_t \
        *memory) { return time(0) % 2 + 1; }";
    refused(time, &["`wasi_snapshot_preview1.clock_time_get`", "clocks"]);
}
