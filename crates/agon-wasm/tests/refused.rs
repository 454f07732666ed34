//! Tests that files that are no bots are refused at opening, with the reason.

use std::{fs, os::unix::fs::PermissionsExt};

use agon_bots::{HostOptions, Launcher, OpenError, open};
use agon_games::GameId;
use agon_wasm::{Machine, Module};

use crate::common::{Workshop, endless, fixture, spec};

/// Returns the error of a host that gets this file.
fn error_with(options: &HostOptions, file: &str) -> String {
    let error = open(GameId::Cellhack.kind(), &spec(file), options).err().expect("it is no bot");
    assert!(matches!(error, OpenError::Load { .. }), "{error:?}");
    let text = error.to_string();
    let (path, message) =
        text.split_once("` cannot be loaded: ").unwrap_or_else(|| panic!("{text}"));
    assert!(path.ends_with(file), "{text}");
    message.to_owned()
}

#[track_caller]
fn check_file(bytes: &[u8], message: &str) {
    let workshop = Workshop::new();
    let error = error_with(&workshop.options(), &workshop.file("bot.wasm", bytes));
    assert!(error.contains(message), "{error}");
}

fn assemble(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Checks the reason why a host refuses a module, without starting one.
#[track_caller]
fn check(text: &str, message: &str) {
    let module = Module::new(&assemble(text));
    let error = module.and_then(|module| Machine::new(&module, 256)).err().expect("it is no bot");
    assert!(error.contains(message), "{error}");
}

/// The memory that every bot has; the parts may be replaced.
const MEMORY: &str = r#"(memory (export "memory") 1)"#;
const ABI: &str = r#"(func (export "agon_abi") (result i32) (i32.const 1))"#;
const ROOM: &str = r#"(func (export "agon_room") (param i32) (result i32) (i32.const 0))"#;
const DECIDE: &str =
    r#"(func (export "agon_decide") (param i32 i32 i32 i32) (result i32) (i32.const 0))"#;

fn module(parts: &[&str]) -> String {
    format!("(module {})", parts.join("\n"))
}

fn bot(more: &str) -> String {
    module(&[more, MEMORY, ABI, ROOM, DECIDE])
}

#[test]
fn what_is_left_is_a_bot() {
    let workshop = Workshop::new();
    open(GameId::Cellhack.kind(), &spec(&workshop.module(&bot(""))), &workshop.options())
        .expect("it is a bot");
}

#[test]
fn files_that_are_no_modules() {
    let whole = fs::read(fixture("moss.wasm")).unwrap();
    check_file(b"", "it is empty");
    check_file(b"int main(void)", "it is no WebAssembly module");
    check_file(b"\x7fELF", "it is no WebAssembly module");
    check_file(b"  (module)", "it is WebAssembly as text; `wat2wasm`");
    check_file(b"\0asm\x02\0\0\0", "version 0x2");
    check_file(&whole[..6], "it is cut off");
    check_file(&whole[..whole.len() / 2], "it is no module that the arena runs: unexpected end");
    let mut broken = whole.clone();
    broken[whole.len() / 3..][..40].fill(0xFF);
    check_file(&broken, "it is no module that the arena runs: ");
    check_file(&assemble("(component)"), "it is a WebAssembly component");
    check_file(&vec![0; (32 << 20) + 1], "it is too large: 32 MiB, where 32 MiB are the most");
}

#[test]
fn exports_that_are_missing() {
    check("(module)", "it exports no memory by the name `memory`");
    check(
        &module(&[MEMORY]),
        "it exports no function `agon_abi`; `docs/wasm.md` tells what a bot exports",
    );
    check(&module(&[MEMORY, ABI, ROOM]), "it exports no function `agon_decide`");
    check(&module(&[MEMORY, ABI, DECIDE]), "it exports no function `agon_room`");
    check(
        &module(&[MEMORY, r#"(func (export "_start"))"#]),
        "it is a program that runs once: build a library",
    );
    check(
        &module(&[ABI, ROOM, DECIDE, r#"(global (export "memory") i32 (i32.const 0))"#]),
        "it exports no memory",
    );
}

#[test]
fn exports_of_another_kind() {
    let narrow = r#"(func (export "agon_decide") (param i32) (result i64) (i64.const 0))"#;
    check(
        &module(&[MEMORY, ABI, ROOM, narrow]),
        "its function `agon_decide` is (i32) -> i64 instead of (i32, i32, i32, i32) -> i32",
    );
    check(
        &bot(r#"(func (export "agon_start"))"#),
        "its function `agon_start` is () instead of (i32, i32)",
    );
    check(
        &bot(r#"(global (export "_initialize") i32 (i32.const 0))"#),
        "`_initialize`, which it exports, is not",
    );
    let other = r#"(func (export "agon_abi") (result i32) (i32.const 7))"#;
    check(
        &module(&[MEMORY, other, ROOM, DECIDE]),
        "its version of the interface is 7, the arena's is 1",
    );
}

#[test]
fn imports_that_there_are_not() {
    let import = |from: &str, name: &str| format!(r#"(import "{from}" "{name}" (func))"#);
    check(&bot(&import("env", "fork")), "it imports what the arena does not offer: `env.fork`");
    check(&bot(&import("agon", "clock")), "it imports what the arena does not offer: `agon.clock`");
    check(
        &bot(&import("wasi_snapshot_preview1", "fd_write")),
        "`wasi_snapshot_preview1.fd_write`; files, clocks and",
    );
    check(&bot(&import("env", "abort")), "with AssemblyScript, `--use abort=` compiles without");
    check(&bot(&import("env", "seed")), "use `agon.random`");
    let many: String = (0..12).map(|n| import("env", &format!("f{n}"))).collect();
    check(&bot(&many), "`env.f6`, `env.f7` and 4 more");
    check(
        &bot(r#"(import "agon" "log" (func (param i64)))"#),
        "it imports `agon.log` as (i64), but that is (i32, i32)",
    );
    check(
        &bot(r#"(import "agon" "random" (global i64))"#),
        "it imports `agon.random`, but not as a function",
    );
    let memory = r#"(import "env" "memory" (memory 1)) (export "memory" (memory 0))"#;
    check(
        &module(&[memory, ABI, ROOM, DECIDE]),
        "a bot exports its memory instead of importing it",
    );
    check_file(&assemble(&bot(&import("a\\nb", "\\1b[31m"))), "`a b. [31m`");
}

#[test]
fn proposals_that_are_off() {
    let with_memory = |memory: &str| module(&[memory, ABI, ROOM, DECIDE]);
    check(&with_memory(r#"(memory (export "memory") i64 1)"#), "memory64");
    check(&with_memory(r#"(memory (export "memory") 1 2 shared)"#), "threads");
    check(&bot("(memory 1)"), "multi");
    let relaxed = "(func (param v128 v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) \
        (local.get 1)))";
    check(&bot(relaxed), "relaxed SIMD");
    check(&bot("(tag) (func (throw 0))"), "exceptions");
    check(&bot("(type (struct))"), "gc");
}

#[test]
fn modules_that_fail_at_the_start() {
    check(
        &bot(&format!("(func $s {}) (start $s)", endless())),
        "it used up its 2000000000 units of fuel, in s",
    );
    check(
        &bot(r#"(func $i (export "_initialize") unreachable)"#),
        "it fails at the start: wasm `unreachable`",
    );
    check(
        &bot(r#"(data (i32.const 65530) "0123456789")"#),
        "it fails at the start: out of bounds memory access",
    );
    let hungry = module(&[r#"(memory (export "memory") 5000)"#, ABI, ROOM, DECIDE]);
    check(&hungry, "it wanted 313 MiB of memory, its limit is 256 MiB");
    check(
        &bot("(table 2000000 funcref)"),
        "it wanted a table of 2000000 elements, its limit is 1048576",
    );
}

#[test]
fn hosts_that_do_not_fit_the_arena() {
    let workshop = Workshop::new();
    let module = workshop.module(&bot(""));
    let with = |script: &str| {
        let path = workshop.file("host.sh", format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let host = Launcher { path: path.into(), args: vec![] };
        error_with(&HostOptions { wasm_host: Some(host), ..workshop.options() }, &module)
    };
    for script in ["echo ready 0.0.1-1; sleep 100", "echo error 0.0.1-1 what is that?"] {
        let stale = with(script);
        let other = "host.sh` is of version 0.0.1-1, but this arena of version";
        assert!(stale.contains(other), "{stale}");
        assert!(stale.contains("cargo build --release -p agon -p agon-wasm"), "{stale}");
    }
    assert!(with("echo hello").contains("is no program that runs bots for this arena"));
    assert!(with("exit 3").contains("exit status 3"));
    let none = Launcher { path: workshop.path("none"), args: vec![] };
    let error = error_with(&HostOptions { wasm_host: Some(none), ..workshop.options() }, &module);
    assert!(error.contains("cannot be started"), "{error}");
}
