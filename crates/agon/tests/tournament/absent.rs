//! Bots that cannot be opened, are withdrawn or disqualified: the tournament goes on.

use std::fs;

use serde_json::Value;

use super::example;
use crate::support::{Done, TestDir, round_robin};

/// `fox` plays, `broken` does not compile, `gone` is not there.
fn plan() -> String {
    let bots = ["builtin:random", "builtin:greedy", "a/fox.py", "b/broken.cpp", "./gone"];
    round_robin(3, 2, 4, &bots)
}

/// A folder with this plan, below some more lines.
fn dir(more: &str) -> TestDir {
    let dir = TestDir::with_plan(&format!("{more}\n{}", plan()));
    // Each has a folder of its own, so that a change to one is none to the other.
    dir.program("a/fox.py", script(""));
    dir.write("b/broken.cpp", "int agon_decide() { return 1 +; }\n");
    dir
}

/// A bot that can be executed.
fn script(more: &str) -> String {
    format!("#!/usr/bin/env python3\n{}{more}", example("greedy.py"))
}

fn play(dir: &TestDir) -> Done {
    dir.ok("tournament plan.toml")
}

fn json(dir: &TestDir) -> Value {
    let report = dir.ok("tournament report plan-results --json").out;
    serde_json::from_str(&report).unwrap()
}

fn page(dir: &TestDir) -> String {
    dir.ok("tournament report plan-results --html page.html");
    dir.read("page.html")
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|bot| bot["name"].as_str().unwrap()).collect()
}

/// Bots that forfeited, match by match.
fn forfeits(dir: &TestDir) -> Vec<String> {
    let mut names = Vec::new();
    for record in dir.results("plan-results").values() {
        for seat in record["forfeits"].as_array().into_iter().flatten() {
            names.push(record["seats"][seat.as_u64().unwrap() as usize].as_str().unwrap().into());
        }
    }
    names.sort();
    names
}

#[test]
fn bots_that_cannot_be_opened_are_left_out_and_listed() {
    agon_testkit::needs!("python3", "cc");
    let dir = dir("title = \"Spring cup\"\nnotes = \"Room 12\"");
    let done = play(&dir);
    done.tells(["broken does not play", "gone does not play", "6 matches played"]);
    done.prints(["Spring cup: cluster, round robin", "broken did not play", "does not compile"]);
    done.prints(["gone did not play: there is no file `./gone`"]);
    let report = json(&dir);
    assert_eq!(report["tournament"]["title"], "Spring cup");
    assert_eq!(report["tournament"]["notes"], "Room 12");
    assert_eq!(names(&report["absent"]), ["broken", "gone"]);
    assert_eq!(names(&report["bots"]), ["random", "greedy", "fox"]);
    let page = page(&dir);
    assert!(page.contains("did not play") && page.contains("Room 12"), "{page}");

    // All is played, and those who were left out are tried again.
    let again = dir.ok("tournament resume plan-results");
    assert_eq!(again.tells(["gone does not play"]).tells_not("played in").out, done.out);

    // A bot that is mended takes part, in a new schedule. Nothing of the others is played again.
    dir.write("b/broken.cpp", example("planner.cpp"));
    let done = play(&dir);
    done.tells(["the plan has changed", "6 matches played", "6 results known"]);
    assert_eq!(dir.records("plan-results"), 12);
    assert!(!done.out.contains("broken did not play"), "{}", done.out);
    assert_eq!(names(&json(&dir)["bots"]), ["random", "greedy", "fox", "broken"]);
}

#[test]
fn with_forfeit_they_lose_all_matches_unplayed() {
    agon_testkit::needs!("python3", "cc");
    let dir = dir("missing = \"forfeit\"");
    let done = play(&dir);
    done.tells(["gone forfeits all open matches: there is no file", "6 matches played"]);
    assert_eq!(dir.records("plan-results"), 20);
    // Both forfeit the two matches between them.
    let each = |name: &str| forfeits(&dir).iter().filter(|other| *other == name).count();
    assert_eq!([each("gone"), each("broken"), each("fox")], [8, 8, 0]);
    let report = json(&dir);
    for place in report["standing"].as_array().unwrap() {
        let counts = ["wins", "ties", "losses"].map(|key| place[key].as_u64().unwrap());
        assert_eq!(counts.iter().sum::<u64>(), 8, "{place}");
        let out = ["gone", "broken"].contains(&place["bot"].as_str().unwrap());
        assert_eq!(place["forfeits"], if out { 8 } else { 0 });
        assert!(!out || place["points"] == 1.0, "{place}");
    }
    // Forfeits say nothing of how strong a bot is.
    let rated = |name: &str| {
        let ratings = report["ratings"].as_array().unwrap();
        ratings.iter().find(|rating| rating["bot"] == name).unwrap()["matches"].as_u64()
    };
    assert_eq!([rated("gone"), rated("fox")], [Some(0), Some(4)]);
    // The reasons are in every form of the report.
    done.prints(["gone forfeits what it has not played: there is no file"]);
    assert_eq!(names(&report["absent"]), ["broken", "gone"]);
    assert_eq!(report["absent"][0]["forfeits"], true);
    assert!(page(&dir).contains("does not compile"));

    // What was forfeited is played when the bot is there.
    dir.write("b/broken.cpp", example("planner.cpp"));
    play(&dir).tells(["6 matches played", "6 results known"]);
    assert_eq!(forfeits(&dir), ["gone"; 8]);
}

#[test]
fn with_stop_or_too_few_bots_nothing_is_played_and_all_errors_are_told() {
    agon_testkit::needs!("python3", "cc");
    let dir = dir("missing = \"stop\"");
    dir.ends(2, "tournament plan.toml").tells(["broken: ", "gone: there is no file"]);
    assert_eq!(dir.records("plan-results"), 0);

    let dir = TestDir::with_plan(&round_robin(3, 2, 4, &["builtin:random", "./gone"]));
    let done = dir.ends(2, "tournament plan.toml");
    done.tells(["only 1 of 2 bots can play", "gone: there is no file `./gone`"]);

    // A ladder without end ends when nobody is left.
    let ladder = "game = \"cluster\"\nmissing = \"forfeit\"\nbots = [\"builtin:random\", \
                  \"./gone\"]\n[format]\nkind = \"ladder\"\n";
    play(&TestDir::with_plan(ladder)).prints(["0 matches over"]);
}

#[test]
fn whoever_is_disqualified_keeps_results_but_no_place() {
    agon_testkit::needs!("python3", "cc");
    let dir = dir("");
    play(&dir);
    let results = dir.results("plan-results");
    let best = json(&dir)["standing"][0]["bot"].as_str().unwrap().to_owned();
    let out = format!("[[bot]]\nname = \"{best}\"\ndisqualified = \"copied\"\nauthor = \"Eve\"\n");
    dir.write("plan.toml", format!("{}\n{out}", plan()));
    let done = play(&dir);
    done.tells([&format!("{best} forfeits all open matches: disqualified")]).tells_not("played in");
    assert_eq!(dir.results("plan-results"), results);
    done.prints([&format!("{best} disqualified: copied")]);
    let report = json(&dir);
    let last = report["standing"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["bot"], &last["disqualified"]), (&Value::from(best), &Value::from(true)));
    assert_eq!(report["standing"][0]["place"], 1);
    let bot = report["bots"].as_array().unwrap().iter().find(|bot| bot["name"] == last["bot"]);
    let bot = bot.unwrap();
    assert_eq!((&bot["author"], &bot["disqualified"]), (&"Eve".into(), &"copied".into()));
}

#[test]
fn who_is_disqualified_keeps_results_when_another_bot_changes() {
    agon_testkit::needs!("python3");
    let dir = dir("");
    let plan = round_robin(3, 2, 4, &["builtin:random", "builtin:greedy", "a/fox.py", "b/hen.py"]);
    dir.write("plan.toml", &plan);
    dir.program("b/hen.py", script(""));
    play(&dir);
    let before = dir.results("plan-results");
    // Even if the files of the disqualified bot are gone or others since.
    for (fox, hen) in [("", "# mended\n"), ("# another\n", "# mended twice\n")] {
        dir.write("a/fox.py", script(fox));
        dir.write("b/hen.py", script(hen));
        dir.write("plan.toml", format!("{plan}[[bot]]\nname = \"fox\"\ndisqualified = \"x\"\n"));
        play(&dir).tells(["hen changed since they played", "4 matches played"]);
        // Only the two matches against the mended bot are forfeited.
        assert_eq!(forfeits(&dir), ["fox"; 2]);
        let after = dir.results("plan-results");
        for (id, record) in &before {
            let seats = record["seats"].as_array().unwrap();
            assert!(seats.contains(&"hen".into()) || after[id] == *record, "{record}");
        }
    }
}

/// Leaves only the matches of a journal in which a bot did not play, and some in which it did.
fn forget_matches_of(dir: &TestDir, name: &str, keep: usize) {
    let journal = dir.read("plan-results/journal.jsonl");
    let mut seen = 0;
    let kept = journal.split_inclusive('\n').filter(|line| {
        let is_of = line.contains(&format!("\"{name}\""));
        seen += usize::from(is_of);
        !is_of || seen <= keep
    });
    dir.write("plan-results/journal.jsonl", kept.collect::<String>());
}

#[test]
fn whoever_leaves_midway_keeps_results_and_forfeits_the_rest() {
    agon_testkit::needs!("python3", "cc");
    for leaves in ["withdrawn", "gone"] {
        let dir = dir("");
        play(&dir);
        forget_matches_of(&dir, "fox", 1);
        let before = dir.results("plan-results");
        if leaves == "withdrawn" {
            let out = "[[bot]]\nname = \"fox\"\nwithdrawn = \"ill\"\n";
            dir.write("plan.toml", format!("{}\n{out}", plan()));
        } else {
            fs::remove_file(dir.path("a/fox.py")).unwrap();
        }
        let done = play(&dir);
        done.tells(["fox forfeits all open matches"]).tells_not("the plan has changed");
        done.tells_not("played in");
        assert_eq!(forfeits(&dir), ["fox"; 3], "{leaves}");
        let after = dir.results("plan-results");
        assert!(before.iter().all(|(id, record)| after[id] == *record), "{leaves}");
    }
}

#[test]
fn texts_of_a_plan_are_checked() {
    for (start, end, expected) in [
        ("", "[[bot]]\nname = \"foxx\"\nnote = \"late\"\n", "did you mean `fox`?"),
        ("", "[[bot]]\nname = \"fox\"\n", "needs one of `command`"),
        (
            "",
            "[[bot]]\nname = \"fox\"\ndisqualified = \"a\"\nwithdrawn = \"b\"\n",
            "either `disqualified` or `withdrawn`",
        ),
        ("", "[[bot]]\nname = \"fox\"\nnote = \" \"\n", "`note` is empty"),
        ("missing = \"skipp\"\n", "", "did you mean `skip`?"),
        ("title = 5\n", "", "`title` is a text"),
    ] {
        let dir = TestDir::with_plan(&format!("{start}{}\n{end}", plan()));
        dir.ends(2, "tournament plan.toml").tells([expected]);
    }
}
