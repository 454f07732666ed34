//! `agon replay ask`: the same bot agrees with its recording in every game, another one differs,
//! the match goes on.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

fn run(args: &[&str]) -> Output {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(root).env("NO_COLOR", "1");
    command
        .env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"))
        .output()
        .unwrap()
}

#[track_caller]
fn succeed(args: &[&str]) -> String {
    let output = run(args);
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{args:?}: {out}{err}");
    out
}

/// The one line of error.
#[track_caller]
fn fail(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(
        (output.status.code(), &*output.stdout),
        (Some(2), &b""[..]),
        "{args:?}: {output:?}"
    );
    String::from_utf8(output.stderr).unwrap().trim().to_owned()
}

/// A recorded match in a folder of its own.
struct Recording {
    folder: TempDir,
    file: String,
    /// The result of the match.
    result: Value,
    bots: Vec<String>,
}

impl Recording {
    #[track_caller]
    fn of(game: &str, bots: &[&str], sets: &[&str]) -> Recording {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("m.agon").to_str().unwrap().to_owned();
        let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
        let patient = ["--seed", "5", "--time", "60000", "--json", "--replay", &file];
        let text = succeed(&[&["play", game], bots, &sets, &patient].concat());
        let result = data(&text, "result");
        assert_eq!(result["faults"], serde_json::json!([]), "{game}");
        let bots = bots.iter().map(|&bot| bot.to_owned()).collect();
        Recording { folder, file, result, bots }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn steps(&self) -> u64 {
        self.result["steps"].as_u64().unwrap()
    }

    /// What asking printed as JSON Lines, and the exit code.
    #[track_caller]
    fn ask(&self, args: &[&str]) -> (String, i32) {
        let output =
            run(&[&["replay", "ask", &self.file, "--time", "60000", "--json"], args].concat());
        let [out, err] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let code = output.status.code().unwrap();
        assert!(code < 2, "{args:?}: {out}{err}");
        (out, code)
    }

    /// The steps in which a player is asked.
    fn steps_of(&self, player: usize) -> Vec<u64> {
        let states = succeed(&["replay", "export", &self.file, "--states", "-"]);
        let lines = states.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let asks = |line: &Value| {
            line["answers"].as_array().unwrap().iter().any(|a| a["player"] == player)
        };
        lines.filter(asks).map(|line| line["step"].as_u64().unwrap()).collect()
    }

    /// Asks the recorded bot of a player at the first, a middle and the last of its steps: it
    /// agrees with all.
    #[track_caller]
    fn assert_agrees(&self, player: usize) {
        let number = player.to_string();
        let steps = self.steps_of(player);
        for step in [steps[0], steps[steps.len() / 2], steps[steps.len() - 1]] {
            let args =
                ["--step", &step.to_string(), "--player", &number, "--bot", &self.bots[player]];
            let (text, code) = self.ask(&args);
            let answers = data(&text, "answers");
            assert_eq!(code, 0, "{args:?}: {answers:#}");
            assert_eq!(
                answers["earlier"]["agreed"], answers["earlier"]["decisions"],
                "{answers:#}"
            );
            assert_eq!(answers["earlier"]["first_difference"], Value::Null);
            assert_eq!(answers["agreed"], answers["decisions"]);
            assert_eq!(answers["faults"], serde_json::json!([]));
            let earlier = answers["earlier"]["decisions"].as_u64().unwrap();
            assert_eq!(earlier > 0, step > steps[0], "step {step}");
            let decisions =
                text.lines().filter(|line| line.contains("\"type\":\"decision\"")).count();
            assert_eq!(answers["decisions"], decisions);
        }
    }
}

/// The data of the first line of a type.
#[track_caller]
fn data(text: &str, kind: &str) -> Value {
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.find(|line| line["type"] == kind).unwrap_or_else(|| panic!("no {kind} in {text}"))["data"]
        .clone()
}

/// A short match of built-in bots in each game; all of them draw random numbers, or some do.
const BUILTIN: [(&str, [&str; 2], &[&str]); 5] = [
    ("amoebas", ["builtin:nasty", "builtin:mutating"], &["world_size=50", "rounds=40"]),
    (
        "binfection",
        ["builtin:general", "builtin:random"],
        &["field_width=12", "field_height=12", "turns_limit=12"],
    ),
    ("cellhack", ["builtin:hunter", "builtin:random"], &["width=24", "height=24", "turns=40"]),
    ("cluster", ["builtin:greedy", "builtin:random"], &["side=5"]),
    ("rezzo", ["builtin:wanderer", "builtin:random"], &["width=40", "height=40", "max_ticks=120"]),
];

#[test]
fn built_in_bots_agree_with_their_recordings_in_every_game() {
    for (game, bots, sets) in BUILTIN {
        let recording = Recording::of(game, &bots, sets);
        recording.assert_agrees(0);
        recording.assert_agrees(1);
    }
}

#[test]
fn the_same_bots_go_on_to_the_same_end_in_every_game() {
    for (game, bots, sets) in BUILTIN {
        let recording = Recording::of(game, &bots, sets);
        let steps = recording.steps_of(1);
        let step = steps[steps.len() / 2];
        let step_text = step.to_string();
        let out = recording.path("out.agon");
        let place = ["--step", &step_text, "--player", "1", "--bot", bots[1]];
        let (text, code) =
            recording.ask(&[&place[..], &["--against", bots[0], "--replay", &out]].concat());
        let result = data(&text, "result");
        assert_eq!(code, 0, "{game}");
        assert_eq!(result["state_hash"], recording.result["state_hash"], "{game}");
        assert_eq!(result["steps"], recording.steps() - step);
        assert_eq!(data(&text, "recorded")["result"]["state_hash"], recording.result["state_hash"]);

        succeed(&["replay", "verify", &out]);
        let first = succeed(&["replay", "export", &out, "--states", "-", "--step", "0"]);
        let then =
            succeed(&["replay", "export", &recording.file, "--states", "-", "--step", &step_text]);
        let [first, then] = [first, then].map(|line| serde_json::from_str::<Value>(&line).unwrap());
        assert_eq!(first["position"], then["position"], "{game}");

        // The random numbers of the bots go on there, too.
        let args =
            ["replay", "ask", &out, "--step", "last", "--player", "1", "--bot", bots[1], "--json"];
        let answers = data(&succeed(&args), "answers");
        assert_eq!(
            answers["earlier"]["agreed"], answers["earlier"]["decisions"],
            "{game}: {answers:#}"
        );
    }
}

#[test]
fn programs_and_native_code_agree_with_their_recordings() {
    agon_testkit::slow!();
    let name = "cellhack";
    let bots = ["examples/bots/cellhack/pioneers.c", "builtin:random"];
    let sets = BUILTIN[2].2;
    Recording::of(name, &bots, sets).assert_agrees(0);
    let python = "python3 examples/bots/cluster/greedy.py";
    Recording::of("cluster", &["builtin:random", python], &["side=5"]).assert_agrees(0);
    let guard = "python3 examples/bots/rezzo/guard.py";
    Recording::of("rezzo", &[guard, "builtin:wanderer"], BUILTIN[4].2).assert_agrees(0);
    let alice = "examples/bots/binfection/alice.sh";
    let small = ["field_width=10", "field_height=10", "turns_limit=4"];
    Recording::of("binfection", &[alice, "builtin:general"], &small).assert_agrees(0);
}

#[test]
fn a_species_in_clojure_agrees_with_its_recording() {
    agon_testkit::slow!();
    let settlers = "examples/bots/amoebas/settlers.clj";
    let recording =
        Recording::of("amoebas", &[settlers, "builtin:nasty"], &["world_size=40", "rounds=20"]);
    recording.assert_agrees(0);
    let against =
        ["--turn", "10", "--player", "1", "--bot", "builtin:nasty", "--against", settlers];
    let (text, _) = recording.ask(&against);
    assert_eq!(data(&text, "result")["state_hash"], recording.result["state_hash"]);
}

/// A bot of cluster in JSON Lines whose every move depends on all questions so far, and on the
/// start message. In step `at` it crashes, if it is given one.
const REMEMBERS: &str = r#"
import json, sys, zlib
at, memory = int((sys.argv + ["-1"])[1]), 0
for line in sys.stdin:
    memory = zlib.crc32(line.encode(), memory)
    question = json.loads(line)
    if question["type"] == "decide":
        if question["step"] >= at >= 0:
            sys.exit("cannot think of step %d" % question["step"])
        seen = question["decisions"][0]
        column = seen["columns"][memory % len(seen["columns"])]["column"]
        answer = {"action": "PLACE", "column": column, "color": seen["hand"][0]}
        print(json.dumps({"step": question["step"], "answers": [answer]}), flush=True)
"#;

/// The bot that remembers, and the folder that it is in.
fn remembers() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("remembers.py");
    fs::write(&path, REMEMBERS).unwrap();
    let bot = format!("jsonl:python3 {}", path.display());
    (folder, bot)
}

#[test]
fn a_bot_that_remembers_is_told_the_whole_history() {
    agon_testkit::needs!("python3");
    let (_folder, bot) = remembers();
    let recording = Recording::of("cluster", &[&bot, &format!("other={bot}")], &["side=4"]);
    assert!(recording.steps() > 4);
    recording.assert_agrees(0);
    recording.assert_agrees(1);
    // Bots that it plays against know it as well.
    let step = (recording.steps() / 2).to_string();
    let (text, code) = recording.ask(&["--step", &step, "--bot", &bot, "--against", &bot]);
    assert_eq!(code, 0);
    assert_eq!(data(&text, "result")["state_hash"], recording.result["state_hash"]);
}

#[test]
fn a_bot_that_crashes_is_shown_with_its_evidence() {
    agon_testkit::needs!("python3");
    let (_folder, bot) = remembers();
    let recording = Recording::of("cluster", &[&bot, "builtin:random"], &["side=4"]);
    let crashing = format!("{bot} 2");
    for (step, agreed, same) in [("2", 1, false), ("4", 1, false), ("0", 0, true)] {
        let (text, code) = recording.ask(&["--step", step, "--bot", &crashing]);
        let answers = data(&text, "answers");
        assert_eq!((code, &answers["same"]), (i32::from(!same), &Value::Bool(same)), "{text}");
        assert_eq!(answers["earlier"]["agreed"], agreed);
        if !same {
            let fault = data(&text, "fault");
            assert_eq!((&fault["kind"], &fault["step"]), (&"crash".into(), &2.into()), "{fault:#}");
            assert_eq!(
                fault["evidence"]["stderr_tail"].as_str().unwrap().trim(),
                "cannot think of step 2"
            );
        }
    }
    let text = run(&["replay", "ask", &recording.file, "--step", "4", "--bot", &crashing]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.contains("1 of 2 earlier decisions agree; first difference in step 2, unit 0"),
        "{text}"
    );
    assert!(
        text.contains("another answer") && text.contains(" cannot think of step 2\n"),
        "{text}"
    );
    assert!(text.contains("now       {\"action\":\"FORFEIT\"}"), "{text}");
}

#[test]
fn a_batch_with_many_differences_is_cut() {
    let recording = Recording::of("cellhack", &["builtin:swarm", "builtin:random"], BUILTIN[2].2);
    let args = [
        "replay",
        "ask",
        &recording.file,
        "--turn",
        "35",
        "--player",
        "swarm",
        "--bot",
        "builtin:random",
    ];
    let output = run(&args);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("\n  unit ").count(), 10, "{text}");
    assert!(text.contains(" more; --json shows all") && text.contains(" answers differ"), "{text}");
    assert!(text.contains("sees\n      env "), "{text}");
}

#[test]
fn three_players_with_the_last_bot_in_all_other_seats() {
    let bots = ["builtin:hunter", "builtin:swarm", "builtin:random"];
    let recording = Recording::of("cellhack", &bots, BUILTIN[2].2);
    let place = ["--turn", "20", "--player", "1", "--bot", "rosa=builtin:swarm", "--turns", "5"];
    let (text, _) = recording.ask(&[&place[..], &["--against", "builtin:random"]].concat());
    let result = data(&text, "result");
    let names: Vec<&str> = result["players"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["bot"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["random", "rosa", "random-2"]);
    assert_eq!((&result["turns"], &result["end"]), (&25.into(), &"limit".into()));
    let error = fail(
        &[
            &["replay", "ask", &recording.file][..],
            &place,
            &["--against", "builtin:random", "builtin:random", "builtin:random"],
        ]
        .concat(),
    );
    assert_eq!(error, "error: --against names 3 bots, but the match has 2 other players");
}

#[test]
fn damage_and_mistakes_get_a_sentence() {
    let recording = Recording::of("cluster", &["builtin:greedy", "builtin:random"], &["side=5"]);
    let file = &recording.file;
    let bytes = fs::read(&recording.file).unwrap();
    let ask =
        |args: &[&str]| fail(&[&["replay", "ask", file, "--bot", "builtin:greedy"], args].concat());
    let error = ask(&["--step", "2", "--against", "builtin:random", "--replay", file]);
    assert!(
        error.ends_with("this is the replay that is asked about; name another file"),
        "{error}"
    );
    assert_eq!(fs::read(file).unwrap(), bytes, "the file is as it was");

    let cut = bytes.len() - 60;
    fs::write(file, &bytes[..cut]).unwrap();
    let error = ask(&["--step", "100000"]);
    assert!(
        error.contains("there is no step 100000: the replay has ")
            && error.contains("damaged at byte"),
        "{error}"
    );
    // The steps of a short match are a small part of its file.
    let mut found = false;
    for place in (100..bytes.len()).step_by(8) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1;
        fs::write(file, &flipped).unwrap();
        let output = run(&["replay", "ask", file, "--step", "5", "--bot", "builtin:random"]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            output.status.code() == Some(2),
            error.starts_with("error: "),
            "byte {place}: {error}"
        );
        found |= error.contains(": damaged at byte");
    }
    assert!(found, "no byte of the steps was hit");
}
