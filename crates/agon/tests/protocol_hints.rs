//! Hints for authors: a program started with the wrong protocol, and a print to stdout.

use std::fs;

use crate::support::{TestDir, root};

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

/// The text about prints.
const STDERR: &str = "stdout is for answers only: print everything else to stderr instead";

fn own() -> String {
    fs::read_to_string(root().join("examples/bots/cluster/greedy.py")).unwrap()
}

/// A folder with a program that speaks the game's own protocol, one that speaks JSON Lines, and
/// one that prints too much.
fn folder() -> TestDir {
    let dir = TestDir::new();
    dir.write("own.py", own());
    dir.write("bot.py", JSONL);
    let chatty = "answers = []; print('thinking', flush=True)";
    dir.write("chatty.py", JSONL.replace("answers = []", chatty));
    dir
}

/// Plays against a built-in bot; returns what people read of the result on one line.
fn play(dir: &TestDir, game: &str, bot: &str, flags: &str) -> String {
    let done = dir.run(&format!("play {game} '{bot}' builtin:random --seed 1 {flags}"));
    assert!(!done.out.is_empty(), "{}", done.err);
    done.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn says(text: &str, hint: &str) {
    assert!(text.contains(hint), "no `{hint}` in:\n{text}");
}

#[test]
fn a_line_end_of_windows_behind_env_is_named() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    dir.program("bot", "#!/usr/bin/env python3\r\nprint(1)\r\n");
    says(&play(&dir, "cluster", "./bot", ""), "its first line ends with a carriage return");
}

#[test]
fn a_program_of_the_other_protocol_is_recognised() {
    agon_testkit::needs!("python3");
    let dir = folder();
    // The keys are not in the file.
    let eager = "import sys; sys.stdin.readline(); print('{\"st' + 'ep\": 0}', flush=True)
import time; time.sleep(9)";
    dir.write("eager.py", eager);
    for (game, bot, flags, right) in [
        ("cluster", "python3 bot.py", "", "jsonl:python3 bot.py"),
        // It waits for a line feed, which may never come.
        ("rezzo", "python3 bot.py", "--set max_ticks=200", "jsonl:python3 bot.py"),
        ("binfection", "python3 bot.py", "--turns 2", "jsonl:python3 bot.py"),
        ("cluster", "rosa=python3 eager.py", "", "jsonl:python3 eager.py"),
        ("cluster", "jsonl:python3 own.py", "", "python3 own.py"),
    ] {
        says(&play(&dir, game, bot, flags), &format!("did you mean `{right}`?"));
    }
    for bot in ["jsonl:python3 bot.py", "python3 own.py"] {
        let text = play(&dir, "cluster", bot, "--set side=4");
        assert!(!text.contains("did you mean"), "{text}");
    }
    let hint = "; did you mean `jsonl:python3 bot.py`?";
    dir.refuses("play cellhack 'rosa=python3 bot.py'", [hint]);
    // A crash for another reason has no such hint.
    dir.write("broken.py", "import sys; sys.exit('no map')");
    for bot in ["python3 broken.py", "jsonl:python3 broken.py"] {
        let text = play(&dir, "cluster", bot, "");
        assert!(text.contains("crashed") && !text.contains("did you mean"), "{text}");
    }
}

#[test]
fn a_folder_names_its_protocol_itself() {
    agon_testkit::needs!("python3");
    let dir = folder();
    dir.write("rosa/bot.py", JSONL);
    let manifest = |protocol: &str| {
        let text =
            format!("game = \"cluster\"\nprotocol = \"{protocol}\"\nrun = \"python3 bot.py\"\n");
        dir.write("rosa/agon.toml", text);
    };
    manifest("jsonl");
    for path in ["rosa", "./rosa"] {
        let folder = format!("`{path}` is a folder, whose agon.toml names the protocol");
        let hint = format!("did you mean `{path}`");
        dir.refuses(&format!("play cluster jsonl:{path}"), [&folder, &hint]);
    }
    manifest("game");
    let hint = "did you mean `protocol = \"jsonl\"` in rosa/agon.toml?";
    says(&play(&dir, "cluster", "rosa", ""), hint);
    dir.write("rosa/bot.py", own());
    manifest("jsonl");
    let hint = "did you mean `protocol = \"game\"` in rosa/agon.toml?";
    says(&play(&dir, "cluster", "rosa", ""), hint);
}

#[test]
fn a_print_to_stdout_is_explained_in_a_match() {
    agon_testkit::needs!("python3");
    let dir = folder();
    says(&play(&dir, "cluster", "jsonl:python3 chatty.py", ""), STDERR);
    let question = "(count,) = read_numbers()";
    let twice = "\nreal = print\ndef print(*args, **more):
    real(*args, **more); real('I am done', flush=True)\n\nNEED = 4";
    for (from, to) in [
        (question, &*format!("print('hm', flush=True); {question}")),
        // A print after an answer is not taken for an unread line.
        ("\nNEED = 4", twice),
    ] {
        let chatty = own().replace(from, to);
        assert_ne!(own(), chatty);
        dir.write("chatty.py", chatty);
        let text = play(&dir, "cluster", "python3 chatty.py", "");
        says(&text, STDERR);
        assert!(from == question || !text.contains("ends with an empty line"), "{text}");
    }
}

#[test]
fn reports_of_tournaments_and_checks_explain_it_too() {
    agon_testkit::needs!("python3");
    let dir = folder();
    let plan = "game = \"cluster\"\nbots = [\"jsonl:python3 chatty.py\", \"builtin:random\"]
[settings]\nside = 4\n[format]\nkind = \"round-robin\"\n";
    dir.write("plan.toml", plan);
    dir.ok("tournament plan.toml");
    dir.ok("tournament report plan-results --html page.html");
    says(&dir.read("page.html"), STDERR);

    for (bot, right) in
        [("python3 bot.py", "jsonl:python3 bot.py"), ("jsonl:python3 own.py", "python3 own.py")]
    {
        // As a remedy, or in a fault if it did not end before its first question.
        let done = dir.run(&format!("check cluster '{bot}'"));
        says(&done.out, &format!("did you mean `{right}`?"));
    }
    let lines = dir.run("check cluster 'jsonl:python3 chatty.py' --json").lines();
    let mut remedies = lines.iter().filter_map(|line| line["data"]["remedy"].as_str());
    assert!(remedies.any(|remedy| remedy.contains(STDERR)), "{lines:#?}");
}
