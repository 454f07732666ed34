//! Hints for authors: a program started with the wrong protocol, and a print to stdout.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// The program of `docs/protocol.md`, which speaks JSON Lines.
const JSONL: &str = r#"
import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        answers = []
        for seen in message["decisions"]:
            column = seen["columns"][0]["column"]
            answers.append({"action": "PLACE", "column": column, "color": seen["hand"][0]})
        print(json.dumps({"step": message["step"], "answers": answers}), flush=True)
"#;

/// The same in C, as far as it matters.
const JSONL_IN_C: &str = r#"
#include <stdio.h>
#include <string.h>
static char line[1 << 20];
int main(void)
{
    while (fgets(line, sizeof line, stdin))
        if (strstr(line, "\"decisions\"")) {
            printf("{\"step\": 0, \"answers\": [{\"action\": \"ROTATE\", \"cycles\": 3}]}\n");
            fflush(stdout);
        }
}
"#;

/// A program in C that speaks cluster's own protocol, as far as it matters.
const OWN_IN_C: &str = r#"
#include <stdio.h>
int main(void)
{
    char line[100];
    fgets(line, sizeof line, stdin);
    printf("PLACE 0 0\n");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin));
}
"#;

/// The text about prints.
const STDERR: &str = "stdout is for answers only: print everything else to stderr instead";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::copy(root.join("examples/bots/cluster/greedy.py"), folder.path().join("own.py")).unwrap();
    fs::write(folder.path().join("bot.py"), JSONL).unwrap();
    folder
}

/// Compiles a program.
fn compile(folder: &TempDir, name: &str, source: &str) {
    let file = folder.path().join(format!("{name}.c"));
    fs::write(&file, source).unwrap();
    let status = Command::new("cc").arg(file).arg("-o").arg(folder.path().join(name)).status();
    assert!(status.unwrap().success());
}

fn agon(folder: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.output().unwrap()
}

/// Plays against a built-in bot; returns what people read of the result on one line.
fn play(folder: &TempDir, game: &str, bot: &str, flags: &[&str]) -> String {
    let args = ["play", game, bot, "builtin:random", "--seed", "1"];
    let output = agon(folder, &[&args[..], flags].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn says(text: &str, hint: &str) {
    assert!(text.contains(hint), "no `{hint}` in:\n{text}");
}

#[test]
fn a_line_end_of_windows_behind_env_is_named() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let path = folder.path().join("bot");
    fs::write(&path, "#!/usr/bin/env python3\r\nprint(1)\r\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&path, mode).unwrap();
    says(&play(&folder, "cluster", "./bot", &[]), "its first line ends with a carriage return");
}

#[test]
fn a_program_that_speaks_json_lines_is_recognised() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let hint = "did you mean `jsonl:python3 bot.py`?";
    says(&play(&folder, "cluster", "python3 bot.py", &[]), hint);
    // It waits for a line feed, which may never come.
    let text = play(&folder, "rezzo", "python3 bot.py", &["--set", "max_ticks=200"]);
    says(&text, hint);
    says(&play(&folder, "binfection", "python3 bot.py", &["--turns", "2"]), hint);
    let right = play(&folder, "cluster", "jsonl:python3 bot.py", &["--set", "side=4"]);
    assert!(!right.contains("did you mean"), "{right}");
}

#[test]
fn output_that_looks_like_json_is_recognised() {
    agon_testkit::needs!("python3");
    let folder = folder();
    // The keys are not in the file.
    let eager = "import sys; sys.stdin.readline(); print('{\"st' + 'ep\": 0}', flush=True)
import time; time.sleep(9)";
    fs::write(folder.path().join("eager.py"), eager).unwrap();
    let text = play(&folder, "cluster", "rosa=python3 eager.py", &[]);
    says(&text, "did you mean `jsonl:python3 eager.py`?");
}

#[test]
fn a_compiled_program_is_recognised() {
    let folder = folder();
    compile(&folder, "spoken", JSONL_IN_C);
    compile(&folder, "own", OWN_IN_C);
    says(&play(&folder, "cluster", "./spoken", &[]), "did you mean `jsonl:./spoken`?");
    says(&play(&folder, "cluster", "jsonl:./own", &[]), "did you mean `./own`?");
}

#[test]
fn a_program_of_the_games_own_protocol_is_recognised() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let text = play(&folder, "cluster", "jsonl:python3 own.py", &[]);
    says(&text, "did you mean `python3 own.py`?");
    let right = play(&folder, "cluster", "python3 own.py", &["--set", "side=4"]);
    assert!(!right.contains("did you mean"), "{right}");
}

#[test]
fn a_crash_for_another_reason_has_no_such_hint() {
    agon_testkit::needs!("python3");
    let folder = folder();
    fs::write(folder.path().join("broken.py"), "import sys; sys.exit('no map')").unwrap();
    for bot in ["python3 broken.py", "jsonl:python3 broken.py"] {
        let text = play(&folder, "cluster", bot, &[]);
        assert!(text.contains("crashed") && !text.contains("did you mean"), "{text}");
    }
}

#[test]
fn a_game_without_a_protocol_of_its_own_says_so_at_once() {
    let folder = folder();
    let output = agon(&folder, &["play", "cellhack", "rosa=python3 bot.py"]);
    assert_eq!(output.status.code(), Some(2));
    says(&String::from_utf8_lossy(&output.stderr), "; did you mean `jsonl:python3 bot.py`?");
}

#[test]
fn a_folder_names_its_protocol_itself() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let bot = folder.path().join("rosa");
    fs::create_dir(&bot).unwrap();
    fs::write(bot.join("bot.py"), JSONL).unwrap();
    let manifest = |protocol: &str| {
        let text =
            format!("game = \"cluster\"\nprotocol = \"{protocol}\"\nrun = \"python3 bot.py\"\n");
        fs::write(bot.join("agon.toml"), text).unwrap();
    };
    manifest("jsonl");
    for name in ["jsonl:rosa", "jsonl:./rosa"] {
        let output = agon(&folder, &["play", "cluster", name]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        let path = &name["jsonl:".len()..];
        says(&said, &format!("`{path}` is a folder, whose agon.toml names the protocol"));
        says(&said, &format!("did you mean `{path}`"));
    }
    manifest("game");
    let text = play(&folder, "cluster", "rosa", &[]);
    says(&text, "did you mean `protocol = \"jsonl\"` in rosa/agon.toml?");
    fs::copy(folder.path().join("own.py"), bot.join("bot.py")).unwrap();
    manifest("jsonl");
    let text = play(&folder, "cluster", "rosa", &[]);
    says(&text, "did you mean `protocol = \"game\"` in rosa/agon.toml?");
}

#[test]
fn a_print_to_stdout_is_explained_in_a_match() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let chatty = JSONL.replace("answers = []", "answers = []; print('thinking', flush=True)");
    fs::write(folder.path().join("chatty.py"), chatty).unwrap();
    says(&play(&folder, "cluster", "jsonl:python3 chatty.py", &[]), STDERR);
    let own = fs::read_to_string(folder.path().join("own.py")).unwrap();
    let chatty = own
        .replace("(count,) = read_numbers()", "print('hm', flush=True); (count,) = read_numbers()");
    assert_ne!(own, chatty);
    fs::write(folder.path().join("chatty.py"), chatty).unwrap();
    says(&play(&folder, "cluster", "python3 chatty.py", &[]), STDERR);
}

#[test]
fn a_print_after_an_answer_is_not_taken_for_an_unread_line() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let own = fs::read_to_string(folder.path().join("own.py")).unwrap();
    let twice = "\nreal = print\ndef print(*args, **more):
    real(*args, **more); real('I am done', flush=True)\n\nNEED = 4";
    let chatty = own.replacen("\nNEED = 4", twice, 1);
    assert_ne!(own, chatty);
    fs::write(folder.path().join("chatty.py"), chatty).unwrap();
    let text = play(&folder, "cluster", "python3 chatty.py", &[]);
    says(&text, STDERR);
    assert!(!text.contains("ends with an empty line"), "{text}");
}

#[test]
fn reports_of_tournaments_and_checks_explain_it_too() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let chatty = JSONL.replace("answers = []", "answers = []; print('thinking', flush=True)");
    fs::write(folder.path().join("chatty.py"), chatty).unwrap();
    let plan = "game = \"cluster\"\nbots = [\"jsonl:python3 chatty.py\", \"builtin:random\"]
[settings]\nside = 4\n[format]\nkind = \"round-robin\"\n";
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let output = agon(&folder, &["tournament", "plan.toml"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = folder.path().join("page.html");
    let report = ["tournament", "report", "plan-results", "--html", page.to_str().unwrap()];
    assert!(agon(&folder, &report).status.success());
    says(&fs::read_to_string(page).unwrap(), STDERR);

    for (bot, right) in
        [("python3 bot.py", "jsonl:python3 bot.py"), ("jsonl:python3 own.py", "python3 own.py")]
    {
        let output = agon(&folder, &["check", "cluster", bot]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // As a remedy, or in a fault if it did not end before its first question.
        says(&text, &format!("did you mean `{right}`?"));
    }
    let output = agon(&folder, &["check", "cluster", "jsonl:python3 chatty.py", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let remedies: Vec<String> =
        lines.filter_map(|line| Some(line["data"]["remedy"].as_str()?.to_owned())).collect();
    assert!(remedies.iter().any(|remedy| remedy.contains(STDERR)), "{text}");
}
