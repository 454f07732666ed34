//! `agon doctor` on any machine: what it says fits together.

use std::process::Command;

use serde_json::Value;

use crate::support::{Done, TestDir, names};

/// With a cache in `home`.
fn command(home: &TestDir, flags: &str) -> Command {
    let mut command = home.agon(&format!("doctor {flags}"));
    command.env("XDG_CACHE_HOME", home.path("cache"));
    command
}

/// Variables that name programs.
const NAMES: [&str; 7] =
    ["CC", "CXX", "AGON_CLANG", "AGON_JAVA", "JAVA_HOME", "AGON_CLOJURE", "AGON_WASM_HOST"];

fn doctor(command: &mut Command) -> Done {
    let done = Done::of(command);
    assert_eq!(done.err, "");
    done
}

/// The data of all lines of a type.
fn data(done: &Done, kind: &str) -> Vec<Value> {
    let lines = done.lines().into_iter().filter(|line| line["type"] == kind);
    lines.map(|mut line| line["data"].take()).collect()
}

/// The report without its layout.
fn words(done: &Done) -> String {
    done.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_json_says_fits_together_and_to_the_exit_code() {
    let home = TestDir::new();
    let done = doctor(&mut command(&home, "--json"));
    let sandbox = &data(&done, "sandbox")[0];
    let mechanisms = data(&done, "mechanism");
    for mechanism in &mechanisms {
        assert_eq!(mechanism["active"], mechanism["words"].is_string());
        assert_eq!(mechanism["active"], mechanism["problem"].is_null());
    }
    let works = sandbox["problem"].is_null();
    assert_eq!(mechanisms.len(), if works { 8 } else { 0 });
    let complete = works && mechanisms.iter().all(|mechanism| mechanism["active"] == true);
    assert_eq!((&sandbox["default"], &sandbox["strict"]), (&works.into(), &complete.into()));
    assert_eq!(done.code, Some(i32::from(!complete)));

    let program = &data(&done, "program")[0];
    assert_eq!(program["version"], env!("CARGO_PKG_VERSION"));
    let parts = data(&done, "part");
    assert_eq!(parts.len(), 8);
    for part in parts {
        assert_eq!(part["place"] == "found", part["path"].is_string(), "{part}");
        assert_eq!(part["place"] == "missing", part["remedy"].is_string(), "{part}");
    }

    for language in data(&done, "language") {
        let programs = language["programs"].as_array().unwrap();
        assert!(!programs.is_empty(), "{language}");
        assert_eq!(language["ready"], programs.iter().all(|program| program["path"].is_string()));
        for program in programs.iter().chain(language["libraries"].as_array().unwrap()) {
            assert_eq!(program["path"].is_null(), program["remedy"].is_string(), "{program}");
            assert_eq!(program["path"].is_null(), program["problem"].is_string(), "{program}");
        }
    }
    let machine = &data(&done, "machine")[0];
    assert!(machine["cores"].as_u64().unwrap() > 0);
    assert!(machine["available"].as_u64().unwrap() <= machine["memory"].as_u64().unwrap());
    let verdict = &data(&done, "verdict")[0];
    let ready = data(&done, "language").iter().any(|language| language["ready"] == true);
    assert_eq!(
        (&verdict["complete"], &verdict["fine"]),
        (&complete.into(), &(complete && ready).into())
    );
    // Looking changes nothing.
    assert!(names(home.path("")).is_empty());
}

#[test]
fn the_report_fits_on_a_terminal() {
    let home = TestDir::new();
    let done = doctor(&mut command(&home, ""));
    let report = &done.out;
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
    assert_eq!(lacks, done.code == Some(1), "{report}");
}

#[test]
fn where_nothing_is_installed_every_package_is_named() {
    let home = TestDir::new();
    let usual = doctor(&mut command(&home, "")).code;
    let bare = |flags: &str| {
        let mut command = command(&home, flags);
        command.env("PATH", home.path(""));
        for name in NAMES {
            command.env_remove(name);
        }
        doctor(&mut command)
    };
    let done = bare("--json");
    assert_eq!(done.code, usual);
    let languages = data(&done, "language");
    assert!(languages.len() > 10);
    for language in &languages {
        assert_eq!(language["ready"], false, "{language}");
    }
    let words = words(&bare(""));
    let packages = "gcc libc6-dev, g++, clang lld, default-jre-headless, default-jdk-headless, \
                    nodejs, python3, cargo, golang-go, mono-mcs mono-runtime, nodejs \
                    node-typescript, clojure";
    for package in packages.split(", ") {
        assert!(words.contains(&format!("apt install {package}")), "no {package} in: {words}");
    }
    assert!(words.contains("nothing that bots are usually written in is installed;"), "{words}");
}

#[test]
fn lost_programs_of_agon_are_told() {
    let home = TestDir::new();
    let lost = |flags: &str| {
        doctor(command(&home, flags).env("AGON_NATIVE_HOST", "").env("AGON_FFMPEG", ""))
    };
    let words = words(&lost(""));
    for text in [
        "agon-native-host is missing",
        "ffmpeg is missing",
        "agon-native-host and ffmpeg are missing.",
    ] {
        assert!(words.contains(text), "{words}");
    }
    let parts = data(&lost("--json"), "part");
    let native = parts.iter().find(|part| part["name"] == "agon-native-host").unwrap();
    let remedy = "correct the environment variable AGON_NATIVE_HOST, or unset it";
    assert_eq!((&native["place"], &native["remedy"]), (&"missing".into(), &remedy.into()));
    // The rest is there, or built when it is wanted.
    assert_eq!(parts.iter().filter(|part| part["place"] == "missing").count(), 2);
}

#[test]
fn programs_that_fail_and_a_cache_without_a_folder_are_told() {
    let home = TestDir::new();
    home.program("python3", "#!/bin/sh\necho 'python3: no version is set' >&2\nexit 127\n");
    let done = doctor(command(&home, "--json").env("PATH", home.path("")));
    let languages = data(&done, "language");
    let python = languages.iter().find(|language| language["id"] == "python").unwrap();
    assert_eq!(python["ready"], false);
    let problem = &python["programs"][0]["problem"];
    assert_eq!(problem, "`python3 --version` fails: python3: no version is set");

    let file = home.write("file", "");
    let words = words(&doctor(command(&home, "").env("XDG_CACHE_HOME", file)));
    assert!(words.contains("is not a folder); XDG_CACHE_HOME names another"), "{words}");
    assert!(words.contains("nothing can be compiled"), "{words}");
}
