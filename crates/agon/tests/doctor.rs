//! `agon doctor` on any machine: what it says fits together.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// Variables that name programs.
const NAMES: [&str; 7] =
    ["CC", "CXX", "AGON_CLANG", "AGON_JAVA", "JAVA_HOME", "AGON_CLOJURE", "AGON_WASM_HOST"];

/// With a cache in `home`.
fn doctor(home: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.arg("doctor").args(args).current_dir(home).env("NO_COLOR", "1");
    command.env("XDG_CACHE_HOME", home.path().join("cache"));
    command
}

fn text(output: &Output) -> String {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The data of all lines of a type.
fn data(output: &Output, kind: &str) -> Vec<Value> {
    let lines = text(output);
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["type"] == kind).map(|line| line["data"].clone()).collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn json_has_the_documented_shape_and_the_exit_code_fits() {
    let home = TempDir::new().unwrap();
    let output = doctor(&home, &["--json"]).output().unwrap();
    let sandbox = &data(&output, "sandbox")[0];
    assert_eq!(keys(sandbox), ["kernel", "default", "strict", "identity", "problem"]);
    let mechanisms = data(&output, "mechanism");
    for mechanism in &mechanisms {
        assert_eq!(keys(mechanism), ["mechanism", "active", "words", "problem"]);
        assert_eq!(mechanism["active"], mechanism["words"].is_string());
        assert_eq!(mechanism["active"], mechanism["problem"].is_null());
    }
    let works = sandbox["problem"].is_null();
    assert_eq!(mechanisms.len(), if works { 8 } else { 0 });
    let complete = works && mechanisms.iter().all(|mechanism| mechanism["active"] == true);
    assert_eq!((&sandbox["default"], &sandbox["strict"]), (&works.into(), &complete.into()));
    assert_eq!(output.status.code(), Some(i32::from(!complete)));

    let program = &data(&output, "program")[0];
    assert_eq!(keys(program), ["version", "commit", "packaged"]);
    assert_eq!(program["version"], env!("CARGO_PKG_VERSION"));
    let parts = data(&output, "part");
    assert_eq!(parts.len(), 8);
    for part in parts {
        assert_eq!(keys(&part), ["name", "needed_for", "place", "path", "remedy"]);
        assert_eq!(part["place"] == "found", part["path"].is_string(), "{part}");
        assert_eq!(part["place"] == "missing", part["remedy"].is_string(), "{part}");
    }

    for language in data(&output, "language") {
        assert_eq!(keys(&language), ["id", "language", "ready", "programs", "libraries"]);
        let programs = language["programs"].as_array().unwrap();
        assert!(!programs.is_empty(), "{language}");
        assert_eq!(language["ready"], programs.iter().all(|program| program["path"].is_string()));
        for program in programs.iter().chain(language["libraries"].as_array().unwrap()) {
            assert_eq!(keys(program), ["name", "path", "version", "problem", "remedy"]);
            assert_eq!(program["path"].is_null(), program["remedy"].is_string(), "{program}");
            assert_eq!(program["path"].is_null(), program["problem"].is_string(), "{program}");
        }
    }
    let machine = &data(&output, "machine")[0];
    assert_eq!(keys(machine), ["cores", "load", "memory", "available", "cache"]);
    assert!(machine["cores"].as_u64().unwrap() > 0);
    assert!(machine["available"].as_u64().unwrap() <= machine["memory"].as_u64().unwrap());
    assert_eq!(keys(&machine["cache"]), ["path", "bytes", "free", "problem"]);
    let verdict = &data(&output, "verdict")[0];
    assert_eq!(keys(verdict), ["complete", "fine", "text"]);
    let ready = data(&output, "language").iter().any(|language| language["ready"] == true);
    assert_eq!(
        (&verdict["complete"], &verdict["fine"]),
        (&complete.into(), &(complete && ready).into())
    );
    // Looking changes nothing.
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn the_report_fits_on_a_terminal() {
    let home = TempDir::new().unwrap();
    let output = doctor(&home, &[]).output().unwrap();
    let report = text(&output);
    for part in
        ["Sandbox on Linux ", "\nLanguages\n", "\nMachine\n", "--sandbox", " cores ", " cache "]
    {
        assert!(report.contains(part), "{part} is missing in:\n{report}");
    }
    for line in report.lines() {
        let is_path = line.split(' ').any(|word| word.len() > 60);
        assert!(line.chars().count() <= 80 || is_path, "{line}");
    }
    let lacks = report.lines().any(|line| line.starts_with(" ✗"));
    assert_eq!(lacks, output.status.code() == Some(1), "{report}");
}

#[test]
fn where_nothing_is_installed_every_package_is_named() {
    let home = TempDir::new().unwrap();
    let usual = doctor(&home, &[]).output().unwrap().status;
    let bare = |args: &[&str]| {
        let mut command = doctor(&home, args);
        command.env("PATH", home.path());
        for name in NAMES {
            command.env_remove(name);
        }
        command.output().unwrap()
    };
    let output = bare(&["--json"]);
    assert_eq!(output.status, usual);
    let languages = data(&output, "language");
    assert!(languages.len() > 10);
    for language in &languages {
        assert_eq!(language["ready"], false, "{language}");
    }
    let report = text(&bare(&[]));
    let packages = "gcc libc6-dev, g++, clang lld, default-jre-headless, default-jdk-headless, \
                    nodejs, python3, cargo, golang-go, mono-mcs mono-runtime, nodejs \
                    node-typescript, clojure";
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    for package in packages.split(", ") {
        assert!(
            words.contains(&format!("apt install {package}")),
            "{package} is missing in:\n{report}"
        );
    }
    assert!(words.contains("nothing that bots are usually written in is installed;"), "{report}");
}

#[test]
fn lost_programs_of_agon_are_told() {
    let home = TempDir::new().unwrap();
    let lost = |args: &[&str]| {
        let mut command = doctor(&home, args);
        command.env("AGON_NATIVE_HOST", "").env("AGON_FFMPEG", "");
        command.output().unwrap()
    };
    let report = text(&lost(&[]));
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    for name in ["agon-native-host", "ffmpeg"] {
        assert!(words.contains(&format!("{name} is missing")), "{report}");
    }
    assert!(words.contains("agon-native-host and ffmpeg are missing."), "{report}");
    let parts = data(&lost(&["--json"]), "part");
    let native = parts.iter().find(|part| part["name"] == "agon-native-host").unwrap();
    let remedy = "correct the environment variable AGON_NATIVE_HOST, or unset it";
    assert_eq!((&native["place"], &native["remedy"]), (&"missing".into(), &remedy.into()));
    // The rest is there, or built when it is wanted.
    assert_eq!(parts.iter().filter(|part| part["place"] == "missing").count(), 2);
}

#[test]
fn a_program_that_fails_is_told_with_what_it_says() {
    let home = TempDir::new().unwrap();
    let python = home.path().join("python3");
    fs::write(&python, "#!/bin/sh\necho 'python3: no version is set' >&2\nexit 127\n").unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let output = doctor(&home, &["--json"]).env("PATH", home.path()).output().unwrap();
    let languages = data(&output, "language");
    let python = languages.iter().find(|language| language["id"] == "python").unwrap();
    assert_eq!(python["ready"], false);
    let problem = &python["programs"][0]["problem"];
    assert_eq!(problem, "`python3 --version` fails: python3: no version is set");
}

#[test]
fn a_cache_that_cannot_be_written_to_is_told() {
    let home = TempDir::new().unwrap();
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let output = doctor(&home, &[]).env("XDG_CACHE_HOME", &file).output().unwrap();
    let words = text(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("is not a folder); XDG_CACHE_HOME names another"), "{words}");
    assert!(words.contains("nothing can be compiled"), "{words}");
}
