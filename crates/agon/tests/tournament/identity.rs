//! The identity of a bot: a bot that is edited while it plays, files beside it, versions, results
//! of older programs.

use std::{
    fs::{self, File},
    thread,
    time::Duration,
};

use agon_contest::{
    MatchKey, Plan, Record,
    journal::{self, Header},
};
use agon_match::replay::Replay;
use serde_json::Value;

use super::test_dir::{TestDir, root};

/// A tournament with a program whose moves come from a module beside it.
const PLAN: &str = r#"
game = "cluster"
seed = 3
matches = 12
bots = ["builtin:random", "builtin:greedy", "python3 bot/fox.py"]

[settings]
side = 4

[format]
kind = "round-robin"
"#;

/// A test folder with this plan. The bot has a folder of its own.
fn dir() -> TestDir {
    let dir = TestDir::with_plan(PLAN);
    fs::create_dir(dir.path("bot")).unwrap();
    let fox = fs::read_to_string(root().join("examples/bots/cluster/greedy.py")).unwrap();
    dir.write(
        "bot/fox.py",
        "import runpy, helper\nrunpy.run_path(helper.BRAIN, run_name='__main__')\n",
    );
    dir.write(
        "bot/helper.py",
        "import os\nBRAIN = os.path.join(os.path.dirname(__file__), 'brain.py')\n",
    );
    dir.write("bot/brain.py", &fox);
    dir
}

fn faults(dir: &TestDir) -> usize {
    let count = |record: &Value| {
        let seats = record["faults"].as_array().unwrap().iter();
        seats.map(|faults| faults.as_array().unwrap().len()).sum::<usize>()
    };
    dir.results("plan-results").values().map(count).sum()
}

#[test]
fn a_bot_that_is_edited_plays_on_as_it_was() {
    agon_testkit::slow!();
    let dir = dir();
    let mut run = dir.agon(&["plan.toml", "--jobs", "1"]).spawn().unwrap();
    dir.wait_for("plan-results", 3, &mut run);
    dir.write("bot/fox.py", "raise SystemExit(3)\n");
    fs::remove_file(dir.path("bot/helper.py")).unwrap();
    fs::remove_file(dir.path("bot/brain.py")).unwrap();
    let before = dir.records("plan-results");
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        before < 36 && dir.records("plan-results") == 36,
        "{before} matches were over when it was edited"
    );
    assert_eq!(faults(&dir), 0);

    let (_, talk) = dir.succeed(&["resume", "plan-results"]);
    let line = "fox changed since they played; the results so far are kept in \
        plan-results/journal.1.jsonl";
    assert!(talk.lines().any(|text| text == line), "{talk}");
    assert!(
        talk.contains("24 matches played") && talk.contains("12 results known already"),
        "{talk}"
    );
    assert!(faults(&dir) >= 24);
}

/// What a bot reads beside the files that its text names is part of it, or at least looked at.
#[test]
fn a_change_beside_a_bot_plays_its_matches_again() {
    agon_testkit::slow!();
    let dir = dir();
    fs::create_dir_all(dir.path("bot/node_modules")).unwrap();
    dir.write("bot/node_modules/one.js", "1");
    let (table, _) = dir.succeed(&["plan.toml"]);
    let again = |name: &str, text: &str| {
        dir.write(name, text);
        let (_, talk) = dir.succeed(&["resume", "plan-results"]);
        talk
    };
    let helper = fs::read_to_string(dir.path("bot/helper.py")).unwrap() + "# changed\n";
    for (name, text) in [
        ("bot/helper.py", helper.as_str()),
        ("bot/weights.json", "[1]"),
        ("bot/node_modules/one.js", "12"),
    ] {
        let talk = again(name, text);
        assert!(
            talk.contains("fox changed since") && talk.contains("24 matches played"),
            "{name}: {talk}"
        );
    }
    // What is merely there is no part of a bot.
    fs::create_dir(dir.path("bot/.git")).unwrap();
    for name in ["bot/.git/HEAD", "bot/old.agon", "beside.py"] {
        assert_eq!(again(name, "x"), "", "{name}");
    }
    assert_eq!(dir.succeed(&["resume", "plan-results"]).0, table);
}

#[test]
fn reports_say_what_digests_cover() {
    agon_testkit::slow!();
    let dir = dir();
    let (table, _) = dir.succeed(&["plan.toml"]);
    for words in ["known by", "version 1", "folder"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let (json, _) = dir.succeed(&["report", "plan-results", "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let bots = report["bots"].as_array().unwrap();
    assert_eq!(
        (&bots[0]["version"], &bots[0]["covers"], &bots[0]["digest"]),
        (&1.into(), &Value::Null, &Value::Null)
    );
    assert_eq!((&bots[2]["version"], &bots[2]["covers"]), (&Value::Null, &"folder".into()));
    let digest = bots[2]["digest"].as_str().unwrap();
    assert_eq!(digest.len(), 64);
    for record in dir.results("plan-results").values() {
        let name = record["replay"].as_str().unwrap();
        let replay =
            Replay::open(fs::read(dir.path("plan-results/replays").join(name)).unwrap()).unwrap();
        let players = &replay.header().players;
        for player in players {
            let builtin = player.kind == "builtin";
            assert_eq!((player.version, player.covers.is_some()), (builtin.then_some(1), !builtin));
            assert_eq!(player.digest.as_deref(), (!builtin).then_some(digest));
        }
    }
}

/// A folder as an older version wrote it, whose keys knew versions of nothing but Agon.
#[test]
fn results_of_older_versions_are_kept_and_played_again() {
    let text = PLAN.replace(", \"python3 bot/fox.py\"", "").replace("12", "2");
    let dir = TestDir::with_plan(&text);
    let plan = Plan::load(&dir.path("plan.toml")).unwrap();
    fs::create_dir_all(dir.path("old/replays")).unwrap();
    plan.save(&dir.path("old").join(Plan::SAVED), &[], &plan.digest()).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let contents: Vec<String> =
        plan.bots.iter().map(|bot| format!("builtin {} {version}", bot.text)).collect();
    let record = |game: &agon_contest::Match| Record {
        id: game.id,
        key: MatchKey::new(&plan, game, &contents).to_string(),
        seats: game.seats.iter().map(|entrant| plan.bots[entrant.index()].name.clone()).collect(),
        seed: game.seed,
        places: vec![1, 2],
        scores: vec![1, 0],
        faults: vec![Vec::new(), Vec::new()],
        void: 0,
        ms: 1,
        replay: None,
        machine: None,
        forfeits: Vec::new(),
    };
    let records: Vec<Record> = plan.schedule().missing().iter().map(record).collect();
    let old = journal::write(&Header::new(&plan.digest()), &records);
    fs::write(dir.path("old/journal.jsonl"), &old).unwrap();
    // Reports of it can be read as before.
    let (json, _) = dir.succeed(&["report", "old", "--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&report["bots"][0]["version"], &report["state"]["over"]),
        (&Value::Null, &2.into())
    );

    let (_, talk) = dir.succeed(&["resume", "old"]);
    assert!(
        talk.contains("an older Agon played it") && talk.contains("all is played again"),
        "{talk}"
    );
    assert!(talk.contains("2 matches played"), "{talk}");
    assert_eq!(fs::read(dir.path("old/journal.1.jsonl")).unwrap(), old);
    assert_eq!(dir.succeed(&["resume", "old"]).1, "");
}

#[test]
fn a_folder_that_is_too_large_is_read_as_it_is() {
    agon_testkit::slow!();
    let dir = dir();
    let large = File::create(dir.path("bot/weights.bin")).unwrap();
    large.set_len(129 << 20).unwrap();
    let covers = || {
        let (_, talk) = dir.succeed(&["plan.toml", "--replays", "none"]);
        let bots = fs::read(dir.path("plan-results/bots.json")).unwrap();
        let bots: Value = serde_json::from_slice(&bots).unwrap();
        (talk, bots[2]["covers"].as_str().unwrap().to_owned(), bots[2]["digest"].is_null())
    };
    let (talk, kind, no_digest) = covers();
    assert!(talk.contains("note: fox: ") && talk.contains("4096 files or 128 MiB"), "{talk}");
    assert_eq!((kind.as_str(), no_digest, faults(&dir)), ("file", false, 0));
    // What is read as it is counts by names, lengths and times.
    thread::sleep(Duration::from_millis(20));
    dir.write(
        "bot/helper.py",
        &(fs::read_to_string(dir.path("bot/helper.py")).unwrap() + "# changed\n"),
    );
    assert!(covers().0.contains("fox changed since"));

    dir.write("plan.toml", &PLAN.replace("bot/fox.py", "bot/fox.py 7 bot/weights.bin"));
    let (talk, kind, no_digest) = covers();
    assert!(talk.contains("weights.bin is larger than 128 MiB: it is not digested"), "{talk}");
    assert_eq!((kind.as_str(), no_digest, faults(&dir)), ("none", true, 0));
}
