//! Texts of bots, replays, plans and names of files on every surface.

use std::{fs, path::PathBuf};

use agon_core::{BotInfo, FaultKind};
use agon_replay::Replay;
use serde_json::{Value, json};

use super::{
    support::{blocks, edited, whole_file_of},
    test_dir::{EVIL, TestDir},
};

/// Answers with a variant that no game has, talks to stderr, and hides in both.
fn bot() -> String {
    let answer = json!({ "answers": [{ "action": EVIL }], "action": EVIL, EVIL: EVIL });
    let text = serde_json::to_string(&answer.to_string()).unwrap();
    let talk = serde_json::to_string(EVIL).unwrap();
    format!(
        "#!/usr/bin/env python3\nimport json, sys\nfor line in sys.stdin:\n    print({talk}, \
         file=sys.stderr, flush=True)\n    question = json.loads(line)\n    if question[\"type\"] \
         == \"decide\":\n        answer = json.loads({text})\n        answer[\"step\"] = \
         question[\"step\"]\n        print(json.dumps(answer, ensure_ascii=False), flush=True)\n"
    )
}

/// The name of a program's file.
fn hostile_file() -> String {
    format!("bots/{EVIL}.py")
}

const SMALL: [&str; 6] = ["--set", "width=5", "--set", "height=5", "--set", "turns=3"];

#[test]
fn a_bot_is_shown_as_it_is() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let bot = format!("jsonl:{}", dir.program(&hostile_file(), &bot()).display());
    let play = ["play", "cellhack", &bot, "builtin:random", "--seed", "1"];
    let output = dir.shows(&[&play[..], &SMALL, &["--log", "log", "--replay", "m.agon"]].concat());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("there is no action") && said.contains("\\u001b]0;pwned\\u0007"),
        "{said}"
    );
    dir.files_show(&dir.path("log"));
    let log = fs::read_to_string(dir.path("log/match.json")).unwrap();
    assert!(log.contains("\\\\u001b]0;pwned\\\\u0007"), "{log}");

    dir.shows(&[&play[..], &SMALL, &["--json"]].concat());
    for args in [
        &["check", "cellhack", &bot, "--json"][..],
        &["check", "cellhack", &bot],
        &["replay", "info", "m.agon"],
        &["replay", "info", "m.agon", "--json"],
        &["replay", "info", "m.agon", "--bot", "1", "--stderr"],
        &["replay", "ask", "m.agon", "--step", "1", "--player", "1", "--bot", &bot],
        &["replay", "ask", "m.agon", "--step", "1", "--player", "1", "--bot", &bot, "--json"],
        &["compare", "--game", "cellhack", &bot, "builtin:random", "--max", "2", "-j", "1"],
    ] {
        dir.shows(args);
    }
}

/// A replay in which every text hides something.
fn hostile_replay(dir: &TestDir, edit: impl Fn(&mut Value)) -> PathBuf {
    let bot = format!("jsonl:{}", dir.program("bots/bot.py", &bot()).display());
    let play =
        ["play", "cellhack", &bot, "builtin:random", "--seed", "1", "--replay", "honest.agon"];
    dir.run(&[&play[..], &SMALL].concat());
    let evil = serde_json::to_string(EVIL).unwrap();
    let evil = &evil[1..evil.len() - 1];
    let mut blocks = blocks(&fs::read(dir.path("honest.agon")).unwrap());
    for block in &mut blocks {
        let texts = ["detail", "stderr_tail", "last_output", "last_input", "text", "reason"];
        match block.0 {
            1 => {
                *block = edited(block, |text| {
                    let mut header: Value = serde_json::from_str(&text).unwrap();
                    header["agon"] = EVIL.into();
                    for bot in header["players"].as_array_mut().unwrap() {
                        *bot = json!(BotInfo {
                            spec: EVIL.into(),
                            digest: Some(EVIL.into()),
                            ..BotInfo::new(EVIL, EVIL)
                        });
                    }
                    edit(&mut header);
                    header.to_string()
                });
            }
            4 | 5 | 7 => {
                *block = edited(block, |text| {
                    let add = |text: String, key: &str| {
                        text.replace(&format!("\"{key}\":\""), &format!("\"{key}\":\"{evil}"))
                    };
                    texts.iter().fold(text, |text, key| add(text, key))
                });
            }
            _ => {}
        }
    }
    dir.write("hostile.agon", whole_file_of(&blocks))
}

#[test]
fn a_replay_is_shown_as_it_is() {
    agon_testkit::needs!("python3");
    let dir = TestDir::new();
    let file = hostile_replay(&dir, |_| {});
    let replay = Replay::open_file(&file).unwrap();
    assert_eq!(replay.faults().unwrap()[0].kind, FaultKind::Garbage);
    let name = replay.header().players[0].name.clone();
    for args in [
        &["replay", "info", "hostile.agon"][..],
        &["replay", "info", "hostile.agon", "--json"],
        &["replay", "info", "hostile.agon", "--bot", &name, "--stderr"],
        &["replay", "info", "hostile.agon", "--bot", &name, "--json"],
        &["replay", "info", "hostile.agon", "--bot", EVIL],
        &["replay", "verify", "hostile.agon"],
        &["replay", "verify", "hostile.agon", "--json"],
        &[
            "replay",
            "ask",
            "hostile.agon",
            "--step",
            "1",
            "--player",
            "1",
            "--bot",
            "builtin:random",
        ],
        &[
            "replay",
            "ask",
            "hostile.agon",
            "--step",
            "1",
            "--player",
            EVIL,
            "--bot",
            "builtin:random",
        ],
        &["replay", "export", "hostile.agon", "--states", "-"],
        &["replay", "export", "hostile.agon", "--states", "states.jsonl"],
        &["replay", "export", "hostile.agon", "--gif", "m.gif", "--player-color", "z=red"],
        &["replay", "chart", "hostile.agon"],
        &["replay", "chart", "hostile.agon", "--svg", "chart.svg"],
        &["web", "export", "site", "hostile.agon"],
    ] {
        dir.shows(args);
    }
    for file in ["states.jsonl", "chart.svg", "site/replays.json"] {
        let path = dir.path(file);
        if path.exists() {
            super::test_dir::is_shown(&fs::read(&path).unwrap(), file);
        }
    }
    hostile_replay(&dir, |header| header["game"] = EVIL.into());
    dir.shows(&["replay", "info", "hostile.agon"]);
    let exported = dir.shows(&["web", "export", "site", "hostile.agon"]);
    let said = String::from_utf8(exported.stderr).unwrap();
    assert!(said.contains("note: the viewer for browsers was built without "), "{said}");
    assert!(said.contains("`cargo xtask web` builds it again"), "{said}");
    hostile_replay(&dir, |header| header["rules"][EVIL] = 1.into());
    for args in [["replay", "info", "hostile.agon"], ["replay", "verify", "hostile.agon"]] {
        dir.shows(&args);
    }
}

#[test]
fn tournaments_are_shown_as_they_are() {
    let dir = TestDir::new();
    dir.program(&hostile_file(), &bot());
    let settings = "[settings]\nwidth = 5\nheight = 5\nturns = 3\n";
    let plan = format!(
        "game = \"cellhack\"\nbots = [\"jsonl:bots/*.py\", \"builtin:random\"]\n[format]\nkind = \
         \"round-robin\"\n{settings}"
    );
    dir.write("plan.toml", &plan);
    let run = dir.shows(&["tournament", "plan.toml", "--out", "results", "-j", "1"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for args in [
        &["tournament", "resume", "results"][..],
        &["tournament", "report", "results"],
        &["tournament", "report", "results", "--json"],
        &["tournament", "report", "results", "--html", "report.html"],
        &["tournament", "report", "results", "--csv", "matches"],
        &["tournament", "report", "results", "--csv", "faults"],
        &["tournament", "report", EVIL],
    ] {
        dir.shows(args);
    }
    for file in ["report.html", "results/plan.json", "results/journal.jsonl"] {
        let bytes = fs::read(dir.path(file)).unwrap();
        super::test_dir::is_shown(&bytes, file);
    }

    let evil = serde_json::to_string(EVIL).unwrap().replace('\u{7f}', "\\u007f");
    for text in [
        format!("{evil} = 1\n{plan}"),
        plan.replace("cellhack", &evil[1..evil.len() - 1]),
        plan.replace("round-robin", &evil[1..evil.len() - 1]),
        format!("{plan}{evil} = 3\n"),
        format!("{plan}[[bot]]\nname = {evil}\nbuiltin = \"random\"\n"),
        EVIL.to_owned(),
    ] {
        dir.write("bad.toml", text);
        let output = dir.shows(&["tournament", "bad.toml"]);
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn whatever_is_typed_is_shown_as_it_is() {
    let dir = TestDir::new();
    dir.write("evil.json", json!({ "game": EVIL, EVIL: EVIL }).to_string());
    dir.write("settings.toml", format!("{} = 1", serde_json::to_string(EVIL).unwrap()));
    dir.write("settings.ini", format!("[GENERAL]\n{EVIL} = {EVIL}\n"));
    for args in [
        &[EVIL][..],
        &["play", EVIL],
        &["play", "cluster", EVIL, EVIL],
        &["play", "cluster", "--set", EVIL],
        &["play", "cluster", "--theme", EVIL],
        &["play", "cluster", "--seed", EVIL],
        &["play", "cluster", "--rules", EVIL],
        &["play", "cluster", "--rules", "settings.toml"],
        &["play", "cluster", "--gif", EVIL, "--turns", "1", "--set", EVIL],
        &["play", "cluster", "builtin:random", &format!("builtin:{EVIL}")],
        &["binfection", "builtin:random", "builtin:random"],
        &["new", EVIL, EVIL],
        &["new", "cluster", "python", EVIL],
        &["rules", EVIL],
        &["bots", EVIL],
        &["scenario", EVIL],
        &["scenario", "evil.json"],
        &["tune", "--game", "cluster", EVIL, "--param", EVIL],
        &["compare", EVIL, EVIL],
        &["check", "cluster", EVIL],
        &["watch", EVIL],
    ] {
        dir.shows(args);
    }
    let replay = format!("{EVIL}.agon");
    let small = ["--set", "side=3", "--replay", &replay];
    let output =
        dir.shows(&[&["play", "cluster", "builtin:random", "builtin:random"][..], &small].concat());
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("agon replay verify $'x\\x1b]0;pwned\\x07"), "{said}");
}
