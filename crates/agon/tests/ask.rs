//! `agon replay ask`: the same bot agrees with its recording in every game, another one differs,
//! the match goes on.

use agon_testkit::{needs, slow};
use serde_json::{Value, json};

use crate::support::{Done, TestDir};

/// A recorded match, `m.agon`, in a folder of its own.
struct Recording {
    dir: TestDir,
    /// The result of the match.
    result: Value,
    bots: [String; 2],
}

impl Recording {
    #[track_caller]
    fn of(game: &str, bots: [&str; 2], sets: &str) -> Recording {
        Recording::in_folder(TestDir::new(), game, bots, sets)
    }

    #[track_caller]
    fn in_folder(dir: TestDir, game: &str, bots: [&str; 2], sets: &str) -> Recording {
        let [one, other] = bots;
        let flags = "--seed 5 --time 60000 --json --replay m.agon";
        let done = dir.ok(&format!("play {game} \"{one}\" \"{other}\" {sets} {flags}"));
        let result = done.data("result");
        assert_eq!(result["faults"], json!([]), "{game}");
        Recording { dir, result, bots: bots.map(str::to_owned) }
    }

    fn steps(&self) -> u64 {
        self.result["steps"].as_u64().unwrap()
    }

    /// What asking printed as JSON Lines: with code 0 if the answers are the recorded ones, else 1.
    #[track_caller]
    fn ask(&self, code: i32, args: &str) -> Done {
        self.dir.ends(code, &format!("replay ask m.agon --time 60000 --json {args}"))
    }

    /// Goes on from a step with the recorded bots, and returns the result.
    #[track_caller]
    fn goes_on_as_recorded(&self, step: u64, more: &str) -> Value {
        let [other, asked] = &self.bots;
        let words = format!("--step {step} --player 1 --bot \"{asked}\" --against \"{other}\"");
        let done = self.ask(0, &format!("{words} {more}"));
        let result = done.data("result");
        assert_eq!(result["state_hash"], self.result["state_hash"]);
        assert_eq!(result["steps"], self.steps() - step);
        assert_eq!(done.data("recorded")["result"]["state_hash"], self.result["state_hash"]);
        result
    }

    /// The steps in which a player is asked.
    fn steps_of(&self, player: usize) -> Vec<u64> {
        let states = self.dir.ok("replay export m.agon --states -").lines();
        let asks = |line: &&Value| {
            line["answers"].as_array().unwrap().iter().any(|answer| answer["player"] == player)
        };
        states.iter().filter(asks).map(|line| line["step"].as_u64().unwrap()).collect()
    }

    /// Asks the recorded bot of a player at its first step and its last one: it agrees with all.
    #[track_caller]
    fn assert_agrees(&self, player: usize) {
        let steps = self.steps_of(player);
        let bot = &self.bots[player];
        for step in [steps[0], steps[steps.len() - 1]] {
            let done = self.ask(0, &format!("--step {step} --player {player} --bot \"{bot}\""));
            let answers = done.data("answers");
            assert_all_agree(&answers);
            assert_eq!(answers["agreed"], answers["decisions"]);
            assert_eq!(answers["faults"], json!([]));
            let earlier = answers["earlier"]["decisions"].as_u64().unwrap();
            assert_eq!(earlier > 0, step > steps[0], "step {step}");
            let decisions = done.lines().iter().filter(|line| line["type"] == "decision").count();
            assert_eq!(answers["decisions"], decisions);
        }
    }
}

/// All earlier answers are the recorded ones.
#[track_caller]
fn assert_all_agree(answers: &Value) {
    let earlier = &answers["earlier"];
    assert_eq!(earlier["agreed"], earlier["decisions"], "{answers:#}");
    assert_eq!(earlier["first_difference"], Value::Null);
}

/// Short matches of cellhack and rezzo.
const CELLHACK: &str = "--set width=24 --set height=24 --set turns=40";
const REZZO: &str = "--set width=40 --set height=40 --set max_ticks=120";

/// A short match of built-in bots in each game; all of them draw random numbers, or some do.
const BUILTIN: [(&str, [&str; 2], &str); 5] = [
    ("amoebas", ["builtin:nasty", "builtin:mutating"], "--set world_size=50 --set rounds=40"),
    (
        "binfection",
        ["builtin:general", "builtin:random"],
        "--set field_width=12 --set field_height=12 --set turns_limit=12",
    ),
    ("cellhack", ["builtin:hunter", "builtin:random"], CELLHACK),
    ("cluster", ["builtin:greedy", "builtin:random"], "--set side=5"),
    ("rezzo", ["builtin:wanderer", "builtin:random"], REZZO),
];

#[test]
fn built_in_bots_agree_with_their_recordings_and_go_on_to_the_same_end_in_every_game() {
    for (game, bots, sets) in BUILTIN {
        let recording = Recording::of(game, bots, sets);
        recording.assert_agrees(1);

        let steps = recording.steps_of(1);
        let step = steps[steps.len() / 2];
        recording.goes_on_as_recorded(step, "--replay out.agon");
        let dir = &recording.dir;
        dir.ok("replay verify out.agon");
        let position = |file: &str, step: u64| {
            let line = format!("replay export {file} --states - --step {step}");
            dir.ok(&line).lines()[0]["position"].clone()
        };
        assert_eq!(position("out.agon", 0), position("m.agon", step), "{game}");
        // The random numbers of the bots go on there, too.
        let bot = bots[1];
        let ask = format!("replay ask out.agon --step last --player 1 --bot {bot} --json");
        assert_all_agree(&dir.ok(&ask).data("answers"));
    }
}

#[test]
fn bots_of_other_kinds_agree_with_their_recordings() {
    slow!();
    let small = "--set field_width=10 --set field_height=10 --set turns_limit=4";
    for (player, game, bots, sets) in [
        (0, "cellhack", ["EXAMPLES/cellhack/pioneers.c", "builtin:random"], CELLHACK),
        (1, "cluster", ["builtin:random", "python3 EXAMPLES/cluster/greedy.py"], "--set side=5"),
        (0, "rezzo", ["python3 EXAMPLES/rezzo/guard.py", "builtin:wanderer"], REZZO),
        (0, "binfection", ["EXAMPLES/binfection/alice.sh", "builtin:general"], small),
    ] {
        Recording::of(game, bots, sets).assert_agrees(player);
    }
    let species = ["EXAMPLES/amoebas/settlers.clj", "builtin:nasty"];
    let recording = Recording::of("amoebas", species, "--set world_size=40 --set rounds=20");
    recording.assert_agrees(0);
    let middle = recording.steps() / 2;
    let step = recording.steps_of(1).into_iter().find(|step| *step >= middle).unwrap();
    recording.goes_on_as_recorded(step, "");
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

/// A match of the bot that remembers against another one.
fn remembered(other: &str) -> Recording {
    let dir = TestDir::new();
    dir.write("remembers.py", REMEMBERS);
    Recording::in_folder(dir, "cluster", ["jsonl:python3 remembers.py", other], "--set side=4")
}

#[test]
fn a_bot_that_remembers_is_told_the_whole_history() {
    needs!("python3");
    let recording = remembered("other=jsonl:python3 remembers.py");
    assert!(recording.steps() > 4);
    recording.assert_agrees(0);
    recording.assert_agrees(1);
    // Bots that it plays against know it as well.
    let steps = recording.steps_of(1);
    recording.goes_on_as_recorded(steps[steps.len() / 2], "");
}

#[test]
fn a_bot_that_crashes_is_shown_with_its_evidence() {
    needs!("python3");
    let recording = remembered("builtin:random");
    let crashing = "--bot 'jsonl:python3 remembers.py 2'";
    for (step, agreed, same) in [(2, 1, false), (4, 1, false), (0, 0, true)] {
        let done = recording.ask(i32::from(!same), &format!("--step {step} {crashing}"));
        let answers = done.data("answers");
        assert_eq!(
            (&answers["same"], &answers["earlier"]["agreed"]),
            (&same.into(), &agreed.into())
        );
        if !same {
            let fault = done.data("fault");
            assert_eq!((&fault["kind"], &fault["step"]), (&"crash".into(), &2.into()), "{fault:#}");
            let tail = fault["evidence"]["stderr_tail"].as_str().unwrap();
            assert_eq!(tail.trim(), "cannot think of step 2");
        }
    }
    let done = recording.dir.ends(1, &format!("replay ask m.agon --step 4 {crashing}"));
    done.says("1 of 2 earlier decisions agree; first difference in step 2, unit 0");
    done.says("another answer").says(" cannot think of step 2\n");
    done.says("now       {\"action\":\"FORFEIT\"}");
}

#[test]
fn a_batch_with_many_differences_is_cut() {
    let recording = Recording::of("cellhack", ["builtin:swarm", "builtin:random"], CELLHACK);
    let ask = "replay ask m.agon --turn 35 --player swarm --bot builtin:random";
    let done = recording.dir.ends(1, ask);
    assert_eq!(done.out.matches("\n  unit ").count(), 10, "{}", done.out);
    done.says(" more; --json shows all").says(" answers differ").says("sees\n      env ");
}

#[test]
fn three_players_with_the_last_bot_in_all_other_seats() {
    let dir = TestDir::new();
    let bots = "builtin:hunter builtin:swarm builtin:random";
    dir.ok(&format!("play cellhack {bots} {CELLHACK} --seed 5 --replay m.agon"));
    let ask = "replay ask m.agon --turn 20 --player 1 --bot rosa=builtin:swarm --turns 5 --json \
               --against builtin:random";
    let result = dir.run(ask).data("result");
    let players = result["players"].as_array().unwrap();
    let names: Vec<&str> = players.iter().map(|p| p["bot"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["random", "rosa", "random-2"]);
    assert_eq!((&result["turns"], &result["end"]), (&25.into(), &"limit".into()));
    let error = dir.fails(&format!("{ask} builtin:random builtin:random"));
    assert_eq!(error, "error: --against names 3 bots, but the match has 2 other players\n");
}

#[test]
fn damage_and_mistakes_get_a_sentence() {
    let recording = Recording::of("cluster", ["builtin:greedy", "builtin:random"], "--set side=5");
    let dir = &recording.dir;
    let bytes = dir.bytes("m.agon");
    let ask = |args: &str| dir.fails(&format!("replay ask m.agon --bot builtin:greedy {args}"));
    let error = ask("--step 2 --against builtin:random --replay m.agon");
    assert!(error.ends_with("is the replay that is asked about; name another file\n"), "{error}");
    assert_eq!(dir.bytes("m.agon"), bytes, "the file is as it was");

    dir.write("m.agon", &bytes[..bytes.len() - 60]);
    let error = ask("--step 100000");
    assert!(error.contains("there is no step 100000: the replay has "), "{error}");
    assert!(error.contains("damaged at byte"), "{error}");
    // The steps of a short match are a small part of its file.
    let mut found = false;
    for place in (100..bytes.len()).step_by(8) {
        let mut flipped = bytes.clone();
        flipped[place] ^= 1;
        dir.write("m.agon", &flipped);
        let done = dir.run("replay ask m.agon --step 5 --bot builtin:random");
        assert_eq!(done.code == Some(2), done.err.starts_with("error: "), "{place}: {done:?}");
        found |= done.err.contains(": damaged at byte");
    }
    assert!(found, "no byte of the steps was hit");
}
