//! The command line `agon` with this crate's host.
//!
//! `agon` belongs to another package, so these tests build it. That is nothing to do when all
//! tests run.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, os::unix::fs::PermissionsExt, sync::OnceLock};

use crate::common::{Workshop, clang, example, fixture};

/// Returns the program, which is beside this crate's own.
fn agon() -> &'static Path {
    static AGON: OnceLock<PathBuf> = OnceLock::new();
    AGON.get_or_init(|| {
        let folder = Path::new(env!("CARGO_BIN_EXE_agon-wasm-host")).parent().unwrap();
        if env::var_os("AGON_TESTS_BUILT").is_some() {
            return folder.join("agon");
        }
        let profile = if folder.ends_with("release") { "release" } else { "dev" };
        let mut build = Command::new(env!("CARGO"));
        // A test of `agon` builds the program as well; `--workspace` selects the features of
        // all tests.
        build.args(["test", "--no-run", "--workspace", "--test", "readme", "--profile", profile]);
        build
            .arg("--target-dir")
            .arg(folder.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        let build = build.output().unwrap();
        assert!(
            build.status.success(),
            "{}: {}",
            build.status,
            String::from_utf8_lossy(&build.stderr)
        );
        folder.join("agon")
    })
}

fn run(agon: &Path, args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(agon);
    command.args(args).env("NO_COLOR", "1").env_remove("AGON_WASM_HOST").env_remove("AGON_CLANG");
    command.envs(environment.iter().copied()).output().unwrap()
}

#[track_caller]
fn succeed(args: &[&str]) -> String {
    let output = run(agon(), args, &[]);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn fail(agon: &Path, args: &[&str], environment: &[(&str, &str)]) -> String {
    let output = run(agon, args, environment);
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SMALL: [&str; 8] =
    ["--set", "width=30", "--set", "height=30", "--set", "turns=80", "--seed", "11"];

#[test]
fn modules_play_and_the_replay_can_be_verified() {
    let workshop = Workshop::new();
    let replay = workshop.path("match.agon");
    let moss = fixture("moss.wasm");
    let gambler = fixture("gambler.wasm");
    let bots = [
        "play",
        "cellhack",
        &*moss,
        &gambler,
        "builtin:hunter",
        "--replay",
        replay.to_str().unwrap(),
    ];
    let table = succeed(&[&bots[..], &SMALL].concat());
    assert!(
        table.contains("moss") && table.contains("gambler") && !table.contains("fault"),
        "{table}"
    );
    succeed(&["replay", "verify", replay.to_str().unwrap()]);
}

#[test]
fn c_functions_play_the_same_match_natively_and_as_webassembly() {
    if clang().is_none() {
        return;
    }
    let workshop = Workshop::new();
    let bots = ["amoeboid.c", "drifter.c", "pioneers.c"].map(example);
    let record = |name: &str, more: &[&str]| {
        let path = workshop.path(name);
        let play =
            ["play", "cellhack", &bots[0], &bots[1], &bots[2], "--replay", path.to_str().unwrap()];
        succeed(&[&play[..], &SMALL, more].concat());
        // The replay itself also has the CPU time used.
        succeed(&["replay", "export", path.to_str().unwrap(), "--states", "-"])
    };
    let native = record("native.agon", &[]);
    assert!(native.len() > 1000);
    assert!(native == record("wasm.agon", &["--wasm"]), "the states differ");
}

#[test]
fn c_functions_need_no_c_library() {
    let Some(clang) = clang() else { return };
    let workshop = Workshop::new();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *-print-file-name=*) echo libc.a;; *) exec {clang} \"$@\";; \
         esac\n"
    );
    let wrapper = workshop.file("clang", script);
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let cache = workshop.path("");
    let without = [("AGON_CLANG", &*wrapper), ("XDG_CACHE_HOME", cache.to_str().unwrap())];
    let drifter = format!("wasm:{}", example("drifter.c"));
    let moss = fixture("moss.wasm");
    let play = |bot: &str, environment: &[(&str, &str)]| {
        let args = [&["play", "cellhack", bot, &moss, "--json"][..], &SMALL].concat();
        let output = run(agon(), &args, environment);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        // The part after the hash of the last state is about the machine.
        let (_, hash) = text.rsplit_once("\"state_hash\":").unwrap();
        hash[..18].to_owned()
    };
    assert_eq!(play(&drifter, &without), play(&drifter, &[]));

    let source = workshop.file("bot.c", "#include <string.h>\n");
    let args = ["play", "cellhack", &format!("wasm:{source}"), "builtin:random"];
    let error = fail(agon(), &args, &without);
    assert!(error.contains("string.h") && error.contains("apt install wasi-libc"), "{error}");
}

#[test]
fn what_is_missing_is_told() {
    let workshop = Workshop::new();
    let lonely = workshop.path("agon");
    fs::copy(agon(), &lonely).unwrap();
    let nothing = [("PATH", workshop.path("").to_str().unwrap().to_owned())];
    let nothing = nothing.each_ref().map(|(name, value)| (*name, value.as_str()));
    let play = |bot: &str| fail(&lonely, &["play", "cellhack", bot, "builtin:random"], &nothing);
    let error = play(&fixture("moss.wasm"));
    assert!(
        error.contains("cargo build --release -p agon-wasm") && error.contains("AGON_WASM_HOST"),
        "{error}"
    );
    let error = play(&format!("wasm:{}", example("drifter.c")));
    assert!(
        error.contains("`clang`, which should compile") && error.contains("apt install clang lld"),
        "{error}"
    );

    let host = [("AGON_WASM_HOST", "/bin/true")];
    let error = fail(agon(), &["play", "cellhack", &fixture("moss.wasm"), "builtin:random"], &host);
    assert!(error.contains("while the bot was loaded"), "{error}");
    let memory =
        ["play", "cellhack", &fixture("moss.wasm"), "builtin:random", "--wasm-memory", "1"];
    assert!(fail(agon(), &memory, &[]).contains("it wanted 2 MiB of memory, its limit is 1 MiB"));
}
