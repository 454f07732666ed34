//! Agon without the program that loads native libraries, as a static program may be.

use std::{
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;

/// Plays a bot in cellhack; `host` is what the variable names.
fn play(bot: &Path, host: &str, cache: &TempDir) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(["play", "cellhack"]).arg(bot).args(["builtin:random", "--set", "turns=10"]);
    command.args(["--json", "--seed", "1"]).env("AGON_NATIVE_HOST", host);
    command.env("XDG_CACHE_HOME", cache.path()).output().unwrap()
}

fn source() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots/cellhack/pioneers.c")
}

#[test]
fn c_is_played_as_webassembly_and_the_note_comes_once() {
    agon_testkit::needs!("clang");
    let cache = TempDir::new().unwrap();
    let output = play(&source(), "", &cache);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("C and C++ bots play as WebAssembly").count(), 1, "{said}");
    assert!(said.contains("`agon-native-host` is missing"), "{said}");
    assert!(!String::from_utf8_lossy(&output.stdout).contains(r#""type":"fault""#));
}

#[test]
fn a_library_is_refused_with_the_remedy() {
    let folder = TempDir::new().unwrap();
    let library = folder.path().join("bot.so");
    let mut cc = Command::new("cc");
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agon-games/src/cellhack/include");
    cc.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg("-I").arg(headers).arg(source());
    assert!(cc.status().unwrap().success());
    let output = play(&library, "", &folder);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let expected = "native libraries need the program `agon-native-host`, which is missing; \
                    correct the environment variable AGON_NATIVE_HOST, or unset it";
    assert!(said.contains(expected), "{said}");
    // The same file plays where nothing is missing.
    let mut usual = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    usual.args(["play", "cellhack"]).arg(&library).args(["builtin:random", "--set", "turns=10"]);
    assert!(usual.env_remove("AGON_NATIVE_HOST").output().unwrap().status.success());
}

#[test]
fn a_program_that_is_not_the_host_is_no_fault_of_the_bot() {
    let folder = TempDir::new().unwrap();
    let output = play(&source(), &folder.path().join("no").display().to_string(), &folder);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
}
