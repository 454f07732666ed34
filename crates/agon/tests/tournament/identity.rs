//! The identity of a bot: a bot that is edited while it plays, files beside it, versions, results
//! of older programs.

use std::fs::{self, File};
use std::{thread, time::Duration};

use agon_contest::journal::{self, Header};
use agon_contest::{MatchKey, Plan, Record};
use agon_match::replay::Replay;
use serde_json::Value;

use super::example;
use crate::support::{TestDir, end_of, round_robin};

/// A tournament with a program whose moves come from a module beside it. The bot has a folder of
/// its own.
fn dir(matches: u32) -> TestDir {
    let bots = ["builtin:random", "builtin:greedy", "python3 bot/fox.py"];
    let dir = TestDir::with_plan(&round_robin(3, matches, 4, &bots));
    let fox = "import runpy, helper\nrunpy.run_path(helper.BRAIN, run_name='__main__')\n";
    let helper = "import os\nBRAIN = os.path.join(os.path.dirname(__file__), 'brain.py')\n";
    dir.write("bot/fox.py", fox);
    dir.write("bot/helper.py", helper);
    dir.write("bot/brain.py", example("greedy.py"));
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
    let dir = dir(6);
    let mut run = dir.start("tournament plan.toml --jobs 1");
    dir.wait_for("plan-results", 3, &mut run);
    dir.write("bot/fox.py", "raise SystemExit(3)\n");
    fs::remove_file(dir.path("bot/helper.py")).unwrap();
    fs::remove_file(dir.path("bot/brain.py")).unwrap();
    let before = dir.records("plan-results");
    let done = end_of(run);
    assert_eq!(done.code, Some(0), "{}", done.all());
    let all = dir.records("plan-results");
    assert!(before < 18 && all == 18, "{before} matches were over when it was edited");
    assert_eq!(faults(&dir), 0);

    let done = dir.ok("tournament resume plan-results");
    let line = "fox changed since they played; the results so far are kept in \
        plan-results/journal.1.jsonl";
    assert!(done.err.lines().any(|text| text == line), "{}", done.err);
    done.tells(["12 matches played", "6 results known already"]);
    assert!(faults(&dir) >= 12);
}

/// What a bot reads beside the files that its text names is part of it, or at least looked at.
#[test]
fn a_change_beside_a_bot_plays_its_matches_again() {
    agon_testkit::slow!();
    let dir = dir(2);
    dir.write("bot/node_modules/one.js", "1");
    let table = dir.ok("tournament plan.toml").out;
    let again = |name: &str, text: &str| {
        dir.write(name, text);
        dir.ok("tournament resume plan-results")
    };
    for (name, text) in [
        ("bot/helper.py", dir.read("bot/helper.py") + "# changed\n"),
        ("bot/weights.json", "[1]".to_owned()),
        ("bot/node_modules/one.js", "12".to_owned()),
    ] {
        again(name, &text).tells(["fox changed since", "4 matches played"]);
    }
    // What is merely there is no part of a bot.
    for name in ["bot/.git/HEAD", "bot/old.agon", "beside.py"] {
        assert_eq!(again(name, "x").err, "", "{name}");
    }
    assert_eq!(dir.ok("tournament resume plan-results").out, table);
}

#[test]
fn reports_say_what_digests_cover() {
    agon_testkit::needs!("python3");
    let dir = dir(2);
    dir.ok("tournament plan.toml").prints(["known by", "version 1", "folder"]);
    let report = dir.ok("tournament report plan-results --json").out;
    let report: Value = serde_json::from_str(&report).unwrap();
    let [builtin, program] = [&report["bots"][0], &report["bots"][2]];
    let facts = ["version", "covers", "digest"].map(|key| &builtin[key]);
    assert_eq!(facts, [&1.into(), &Value::Null, &Value::Null]);
    assert_eq!([&program["version"], &program["covers"]], [&Value::Null, &"folder".into()]);
    let digest = program["digest"].as_str().unwrap();
    assert_eq!(digest.len(), 64);
    for record in dir.results("plan-results").values() {
        let name = record["replay"].as_str().unwrap();
        let replay = Replay::open(dir.bytes(&format!("plan-results/replays/{name}"))).unwrap();
        for player in &replay.header().players {
            let builtin = player.kind == "builtin";
            assert_eq!((player.version, player.covers.is_some()), (builtin.then_some(1), !builtin));
            assert_eq!(player.digest.as_deref(), (!builtin).then_some(digest));
        }
    }
}

/// A folder as an older version wrote it, whose keys knew versions of nothing but Agon.
#[test]
fn results_of_older_versions_are_kept_and_played_again() {
    let dir = TestDir::with_plan(&round_robin(3, 2, 4, &["builtin:random", "builtin:greedy"]));
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
    dir.write("old/journal.jsonl", &old);
    // Reports of it can be read as before.
    let report = dir.ok("tournament report old --json").out;
    let report: Value = serde_json::from_str(&report).unwrap();
    let facts = [&report["bots"][0]["version"], &report["state"]["over"]];
    assert_eq!(facts, [&Value::Null, &2.into()]);

    let done = dir.ok("tournament resume old");
    done.tells(["an older Agon played it", "all is played again", "2 matches played"]);
    assert_eq!(dir.bytes("old/journal.1.jsonl"), old);
    assert_eq!(dir.ok("tournament resume old").err, "");
}

#[test]
fn a_folder_that_is_too_large_is_read_as_it_is() {
    agon_testkit::slow!();
    let dir = dir(2);
    let large = File::create(dir.path("bot/weights.bin")).unwrap();
    large.set_len(129 << 20).unwrap();
    // Plays, and returns what the bot's digest covers, and whether it has none.
    let covers = || {
        let done = dir.ok("tournament plan.toml --replays none");
        let bots: Value = serde_json::from_str(&dir.read("plan-results/bots.json")).unwrap();
        assert_eq!(faults(&dir), 0);
        (done, bots[2]["covers"].as_str().unwrap().to_owned(), bots[2]["digest"].is_null())
    };
    let (done, kind, no_digest) = covers();
    done.tells(["note: fox: ", "4096 files or 128 MiB"]);
    assert_eq!((&*kind, no_digest), ("file", false));
    // What is read as it is counts by names, lengths and times.
    thread::sleep(Duration::from_millis(20));
    dir.write("bot/helper.py", dir.read("bot/helper.py") + "# changed\n");
    covers().0.tells(["fox changed since"]);

    let plan = dir.read("plan.toml").replace("bot/fox.py", "bot/fox.py 7 bot/weights.bin");
    dir.write("plan.toml", plan);
    let (done, kind, no_digest) = covers();
    done.tells(["weights.bin is larger than 128 MiB: it is not digested"]);
    assert_eq!((&*kind, no_digest), ("none", true));
}
