//! Texts of bots, replays, plans and names of files on every surface.

use std::path::PathBuf;

use agon_core::{BotInfo, FaultKind};
use agon_match::replay::Replay;
use serde_json::{Value, json};

use super::support::{blocks, edited, whole_file_of};
use super::{EVIL, files_show, is_shown, shows};
use crate::support::TestDir;

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

/// Writes that program under a name that hides something, too.
fn hostile_bot(dir: &TestDir) {
    dir.program(&format!("bots/{EVIL}.py"), bot());
}

const PLAY: &str = "play cellhack 'jsonl:bots/EVIL.py' builtin:random --seed 1 --set width=5 --set \
    height=5 --set turns=3";

#[test]
fn a_bot_is_shown_as_it_is() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    hostile_bot(&dir);
    let done = shows(&dir, &format!("{PLAY} --log log --replay m.agon"));
    done.says("there is no action").says("\\u001b]0;pwned\\u0007");
    files_show(&dir.path("log"));
    let log = dir.read("log/match.json");
    assert!(log.contains("\\\\u001b]0;pwned\\\\u0007"), "{log}");

    shows(&dir, &format!("{PLAY} --json"));
    for line in [
        "check cellhack 'jsonl:bots/EVIL.py' --json",
        "check cellhack 'jsonl:bots/EVIL.py'",
        "replay info m.agon",
        "replay info m.agon --json",
        "replay info m.agon --bot 1 --stderr",
        "replay ask m.agon --step 1 --player 1 --bot 'jsonl:bots/EVIL.py'",
        "replay ask m.agon --step 1 --player 1 --bot 'jsonl:bots/EVIL.py' --json",
        "compare --game cellhack 'jsonl:bots/EVIL.py' builtin:random --max 2 -j 1",
    ] {
        shows(&dir, line);
    }
}

/// A replay in which every text hides something.
fn hostile_replay(dir: &TestDir, edit: impl Fn(&mut Value)) -> PathBuf {
    dir.program("bots/bot.py", bot());
    dir.run(&format!("{} --replay honest.agon", PLAY.replace("EVIL", "bot")));
    let evil = serde_json::to_string(EVIL).unwrap();
    let evil = &evil[1..evil.len() - 1];
    let mut blocks = blocks(&dir.bytes("honest.agon"));
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
    // Names are made legible when a replay is read.
    let bot = format!("--bot {}", shlex::try_quote(&replay.header().players[0].name).unwrap());
    let ask = "replay ask hostile.agon --step 1 --bot builtin:random --player";
    for line in [
        "replay info hostile.agon",
        "replay info hostile.agon --json",
        &format!("replay info hostile.agon {bot} --stderr"),
        &format!("replay info hostile.agon {bot} --json"),
        "replay info hostile.agon --bot EVIL",
        "replay verify hostile.agon",
        "replay verify hostile.agon --json",
        &format!("{ask} 1"),
        &format!("{ask} EVIL"),
        "replay export hostile.agon --states -",
        "replay export hostile.agon --states states.jsonl",
        "replay export hostile.agon --gif m.gif --player-color z=red",
        "replay chart hostile.agon",
        "replay chart hostile.agon --svg chart.svg",
        "web export site hostile.agon",
    ] {
        shows(&dir, line);
    }
    for file in ["states.jsonl", "chart.svg", "site/replays.json"] {
        if dir.path(file).exists() {
            is_shown(&dir.read(file), file);
        }
    }
    hostile_replay(&dir, |header| header["game"] = EVIL.into());
    shows(&dir, "replay info hostile.agon");
    shows(&dir, "web export site hostile.agon").says("cannot show hostile.agon: there is no game ");
    hostile_replay(&dir, |header| header["rules"][EVIL] = 1.into());
    for command in ["info", "verify"] {
        shows(&dir, &format!("replay {command} hostile.agon"));
    }
}

#[test]
fn tournaments_are_shown_as_they_are() {
    let dir = TestDir::new();
    hostile_bot(&dir);
    let plan = "game = \"cellhack\"\nbots = [\"jsonl:bots/*.py\", \"builtin:random\"]\n[format]\n\
                kind = \"round-robin\"\n[settings]\nwidth = 5\nheight = 5\nturns = 3\n";
    dir.write("plan.toml", plan);
    let run = shows(&dir, "tournament plan.toml --out results -j 1");
    assert_eq!(run.code, Some(0), "{}", run.err);
    for line in [
        "tournament resume results",
        "tournament report results",
        "tournament report results --json",
        "tournament report results --html report.html",
        "tournament report results --csv matches",
        "tournament report results --csv faults",
        "tournament report EVIL",
    ] {
        shows(&dir, line);
    }
    for file in ["report.html", "results/plan.json", "results/journal.jsonl"] {
        is_shown(&dir.read(file), file);
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
        assert_eq!(shows(&dir, "tournament bad.toml").code, Some(2));
    }
}

#[test]
fn whatever_is_typed_is_shown_as_it_is() {
    let dir = TestDir::new();
    dir.write("evil.json", json!({ "game": EVIL, EVIL: EVIL }).to_string());
    dir.write("settings.toml", format!("{} = 1", serde_json::to_string(EVIL).unwrap()));
    dir.write("settings.ini", format!("[GENERAL]\n{EVIL} = {EVIL}\n"));
    for line in [
        "EVIL",
        "play EVIL",
        "play cluster EVIL EVIL",
        "play cluster --set EVIL",
        "play cluster --theme EVIL",
        "play cluster --seed EVIL",
        "play cluster --rules EVIL",
        "play cluster --rules settings.toml",
        "play cluster --gif EVIL --turns 1 --set EVIL",
        "play cluster builtin:random builtin:EVIL",
        "binfection builtin:random builtin:random",
        "new EVIL EVIL",
        "new cluster python EVIL",
        "rules EVIL",
        "bots EVIL",
        "scenario EVIL",
        "scenario evil.json",
        "tune --game cluster EVIL --param EVIL",
        "compare EVIL EVIL",
        "check cluster EVIL",
        "watch EVIL",
    ] {
        shows(&dir, line);
    }
    let line = "play cluster builtin:random builtin:random --set side=3 --replay EVIL.agon";
    shows(&dir, line).says("agon replay verify $'x\\x1b]0;pwned\\x07");
}
