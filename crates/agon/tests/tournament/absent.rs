//! Bots that cannot be opened, are withdrawn or disqualified: the tournament goes on.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use serde_json::Value;

use super::test_dir::{TestDir, root};

const PLAN: &str = r#"
game = "cluster"
seed = 3
bots = ["builtin:random", "builtin:greedy", "a/fox.py", "b/broken.cpp", "./gone"]

[settings]
side = 4

[format]
kind = "round-robin"
"#;

/// A folder with this plan: `fox` plays, `broken` does not compile, `gone` is not there.
fn dir(more: &str) -> TestDir {
    let dir = TestDir::with_plan(&format!("{more}\n{PLAN}"));
    // Each has a folder of its own, so that a change to one is none to the other.
    ["a", "b"].iter().for_each(|name| fs::create_dir(dir.path(name)).unwrap());
    dir.write("a/fox.py", &format!("#!/usr/bin/env python3\n{}", example("greedy.py")));
    fs::set_permissions(dir.path("a/fox.py"), Permissions::from_mode(0o755)).unwrap();
    dir.write("b/broken.cpp", "int agon_decide() { return 1 +; }\n");
    dir
}

fn example(name: &str) -> String {
    fs::read_to_string(root().join("examples/bots/cluster").join(name)).unwrap()
}

fn json(dir: &TestDir) -> Value {
    let (report, _) = dir.succeed(&["report", "plan-results", "--json"]);
    serde_json::from_str(&report).unwrap()
}

fn names(list: &Value, key: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
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
    let (table, talk) = dir.succeed(&["plan.toml"]);
    assert!(talk.contains("broken does not play") && talk.contains("gone does not play"), "{talk}");
    assert!(talk.contains("6 matches played"), "{talk}");
    assert!(table.contains("Spring cup: cluster, round robin"), "{table}");
    assert!(table.contains("gone did not play: there is no file `./gone`"), "{table}");
    assert!(table.contains("broken did not play") && table.contains("does not compile"), "{table}");
    let report = json(&dir);
    assert_eq!(report["tournament"]["title"], "Spring cup");
    assert_eq!(report["tournament"]["notes"], "Room 12");
    assert_eq!(names(&report["absent"], "name"), ["broken", "gone"]);
    assert_eq!(names(&report["bots"], "name"), ["random", "greedy", "fox"]);
    dir.succeed(&["report", "plan-results", "--html", "page.html"]);
    let page = fs::read_to_string(dir.path("page.html")).unwrap();
    assert!(page.contains("did not play") && page.contains("Room 12"), "{page}");

    // All is played, and those who were left out are tried again.
    let (again, talk) = dir.succeed(&["resume", "plan-results"]);
    assert_eq!(again, table);
    assert!(talk.contains("gone does not play") && !talk.contains("played in"), "{talk}");

    // A bot that is mended takes part, in a new schedule.
    dir.write("b/broken.cpp", &example("planner.cpp"));
    let (table, talk) = dir.succeed(&["plan.toml"]);
    assert!(talk.contains("the plan has changed"), "{talk}");
    // Nothing of the others is played again.
    assert!(talk.contains("6 matches played") && talk.contains("6 results known"), "{talk}");
    assert_eq!(dir.records("plan-results"), 12);
    assert!(!table.contains("broken did not play"), "{table}");
    assert_eq!(names(&json(&dir)["bots"], "name"), ["random", "greedy", "fox", "broken"]);
}

#[test]
fn with_forfeit_they_lose_all_matches_unplayed() {
    agon_testkit::needs!("python3", "cc");
    let dir = dir("missing = \"forfeit\"");
    let (table, talk) = dir.succeed(&["plan.toml"]);
    assert!(talk.contains("gone forfeits all open matches: there is no file"), "{talk}");
    assert!(talk.contains("6 matches played"), "{talk}");
    assert_eq!(dir.records("plan-results"), 20);
    // Both forfeit the two matches between them.
    let each = |name: &str| forfeits(&dir).iter().filter(|other| *other == name).count();
    assert_eq!([each("gone"), each("broken"), each("fox")], [8, 8, 0]);
    let report = json(&dir);
    for place in report["standing"].as_array().unwrap() {
        let sum: u64 =
            ["wins", "ties", "losses"].iter().map(|key| place[*key].as_u64().unwrap()).sum();
        assert_eq!(sum, 8, "{place}");
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
    assert!(table.contains("gone forfeits what it has not played: there is no file"), "{table}");
    assert_eq!(names(&report["absent"], "name"), ["broken", "gone"]);
    assert_eq!(report["absent"][0]["forfeits"], true);
    dir.succeed(&["report", "plan-results", "--html", "page.html"]);
    let page = fs::read_to_string(dir.path("page.html")).unwrap();
    assert!(page.contains("does not compile"), "{page}");

    // What was forfeited is played when the bot is there.
    dir.write("b/broken.cpp", &example("planner.cpp"));
    let (_, talk) = dir.succeed(&["plan.toml"]);
    assert!(talk.contains("6 matches played") && talk.contains("6 results known"), "{talk}");
    assert_eq!(forfeits(&dir), ["gone"; 8]);
}

#[test]
fn with_stop_nothing_is_played_and_all_errors_are_told() {
    agon_testkit::needs!("python3", "cc");
    let dir = dir("missing = \"stop\"");
    let error = dir.fail(&["plan.toml"]);
    assert!(error.contains("broken: ") && error.contains("gone: there is no file"), "{error}");
    assert_eq!(dir.records("plan-results"), 0);
}

#[test]
fn too_few_bots_are_an_error_with_the_reasons() {
    let dir = TestDir::with_plan(
        "game = \"cluster\"\nbots = [\"builtin:random\", \"./gone\"]\n[format]\n\
         kind = \"round-robin\"\n",
    );
    let error = dir.fail(&["plan.toml"]);
    assert!(error.contains("only 1 of 2 bots can play"), "{error}");
    assert!(error.contains("gone: there is no file `./gone`"), "{error}");
}

#[test]
fn whoever_is_disqualified_keeps_results_but_no_place() {
    agon_testkit::needs!("python3", "cc");
    let dir = dir("");
    dir.succeed(&["plan.toml"]);
    let results = dir.results("plan-results");
    let best = json(&dir)["standing"][0]["bot"].as_str().unwrap().to_owned();
    let out = format!("[[bot]]\nname = \"{best}\"\ndisqualified = \"copied\"\nauthor = \"Eve\"\n");
    dir.write("plan.toml", &format!("{PLAN}\n{out}"));
    let (table, talk) = dir.succeed(&["plan.toml"]);
    assert!(talk.contains(&format!("{best} forfeits all open matches: disqualified")), "{talk}");
    assert!(!talk.contains("played in"), "{talk}");
    assert_eq!(dir.results("plan-results"), results);
    assert!(table.contains(&format!("{best} disqualified: copied")), "{table}");
    let report = json(&dir);
    let last = report["standing"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["bot"], &last["disqualified"]), (&Value::from(best), &Value::from(true)));
    assert_eq!(report["standing"][0]["place"], 1);
    let bot = report["bots"].as_array().unwrap().iter().find(|bot| bot["name"] == last["bot"]);
    assert_eq!(
        (&bot.unwrap()["author"], &bot.unwrap()["disqualified"]),
        (&"Eve".into(), &"copied".into())
    );
}

#[test]
fn who_is_disqualified_keeps_results_when_another_bot_changes() {
    agon_testkit::needs!("python3");
    let plan = "game = \"cluster\"\nbots = [\"builtin:random\", \"builtin:greedy\", \
                \"a/fox.py\", \"b/hen.py\"]\n[settings]\nside = 4\n[format]\n\
                kind = \"round-robin\"\n";
    let dir = dir("");
    dir.write("plan.toml", plan);
    let script = format!("#!/usr/bin/env python3\n{}", example("greedy.py"));
    dir.write("b/hen.py", &script);
    fs::set_permissions(dir.path("b/hen.py"), Permissions::from_mode(0o755)).unwrap();
    dir.succeed(&["plan.toml"]);
    let before = dir.results("plan-results");
    // Even if the files of the disqualified bot are gone or others since.
    for (fox, hen) in [("", "# mended\n"), ("# another\n", "# mended twice\n")] {
        dir.write("a/fox.py", &format!("{script}{fox}"));
        dir.write("b/hen.py", &format!("{script}{hen}"));
        dir.write("plan.toml", &format!("{plan}[[bot]]\nname = \"fox\"\ndisqualified = \"x\"\n"));
        let (_, talk) = dir.succeed(&["plan.toml"]);
        assert!(talk.contains("hen changed since they played"), "{talk}");
        assert!(talk.contains("4 matches played"), "{talk}");
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
    let path = dir.path("plan-results/journal.jsonl");
    let journal = fs::read_to_string(&path).unwrap();
    let mut seen = 0;
    let kept = journal.split_inclusive('\n').filter(|line| {
        let is_of = line.contains(&format!("\"{name}\""));
        seen += usize::from(is_of);
        !is_of || seen <= keep
    });
    fs::write(&path, kept.collect::<String>()).unwrap();
}

#[test]
fn whoever_leaves_midway_keeps_results_and_forfeits_the_rest() {
    agon_testkit::needs!("python3", "cc");
    for leaves in ["withdrawn", "gone"] {
        let dir = dir("");
        dir.succeed(&["plan.toml"]);
        forget_matches_of(&dir, "fox", 1);
        let before = dir.results("plan-results");
        if leaves == "withdrawn" {
            let out = "[[bot]]\nname = \"fox\"\nwithdrawn = \"ill\"\n";
            dir.write("plan.toml", &format!("{PLAN}\n{out}"));
        } else {
            fs::remove_file(dir.path("a/fox.py")).unwrap();
        }
        let (_, talk) = dir.succeed(&["plan.toml"]);
        assert!(talk.contains("fox forfeits all open matches"), "{leaves}: {talk}");
        assert!(!talk.contains("the plan has changed"), "{leaves}: {talk}");
        assert!(!talk.contains("played in"), "{leaves}: {talk}");
        assert_eq!(forfeits(&dir), ["fox"; 3], "{leaves}");
        let after = dir.results("plan-results");
        assert!(before.iter().all(|(id, record)| after[id] == *record), "{leaves}");
    }
}

#[test]
fn a_ladder_without_end_ends_when_nobody_is_left() {
    let dir = TestDir::with_plan(
        "game = \"cluster\"\nmissing = \"forfeit\"\nbots = [\"builtin:random\", \"./gone\"]\n\
         [format]\nkind = \"ladder\"\n",
    );
    let (table, _) = dir.succeed(&["plan.toml"]);
    assert!(table.contains("0 matches over"), "{table}");
}

#[test]
fn texts_of_a_plan_are_checked() {
    let plan = |more: &str| format!("{PLAN}\n{more}");
    let cases = [
        ("[[bot]]\nname = \"foxx\"\nnote = \"late\"\n", "did you mean `fox`?"),
        ("[[bot]]\nname = \"fox\"\n", "needs one of `command`"),
        (
            "[[bot]]\nname = \"fox\"\ndisqualified = \"a\"\nwithdrawn = \"b\"\n",
            "either `disqualified` or `withdrawn`",
        ),
        ("[[bot]]\nname = \"fox\"\nnote = \" \"\n", "`note` is empty"),
    ];
    for (more, expected) in cases {
        let dir = TestDir::with_plan(&plan(more));
        let error = dir.fail(&["plan.toml"]);
        assert!(error.contains(expected), "{error}");
    }
    let dir = TestDir::with_plan(&format!("missing = \"skipp\"\ntitle = 5\n{PLAN}"));
    let error = dir.fail(&["plan.toml"]);
    assert!(
        error.contains("did you mean `skip`?") && error.contains("`title` is a text"),
        "{error}"
    );
}
