//! The files in a tournament's folder, and the reports made of them later.

use std::{
    fs::{self, OpenOptions},
    io::Write,
    thread,
    time::Duration,
};

use agon_match::replay::Replay;

use super::test_dir::{Results, TestDir, interrupt, root, signal};
use crate::support::hears;

/// A short tournament: 3 bots, 6 matches, one bot a program.
const PLAN: &str = r#"
game = "cluster"
seed = 3
bots = ["builtin:random", "builtin:greedy", "python3 fox.py"]

[settings]
side = 4

[format]
kind = "round-robin"
"#;

/// A folder with this plan; the program is one of the examples.
fn dir() -> TestDir {
    let dir = TestDir::with_plan(PLAN);
    let fox = fs::read_to_string(root().join("examples/bots/cluster/greedy.py")).unwrap();
    dir.write("fox.py", &fox);
    dir
}

#[test]
fn parts_of_several_machines_make_the_same_table() {
    agon_testkit::slow!();
    let dir = dir();
    let (table, _) = dir.succeed(&["plan.toml", "--out", "whole"]);
    let mut parts = 0;
    for part in ["1", "2"] {
        let (shard, out) = (format!("{part}/2"), format!("part-{part}"));
        let (_, talk) = dir.succeed(&["plan.toml", "--shard", &shard, "--out", &out]);
        assert!(talk.contains(&format!("part {part} of 2 is played")), "{talk}");
        let count = dir.records(&out);
        assert!((2..=4).contains(&count), "{count}");
        parts += count;
        // The same command continues what was stopped, and so does `resume`; nothing is left.
        for again in [&["plan.toml", "--shard", &shard, "--out", &out][..], &["resume", &out]] {
            let (_, talk) = dir.succeed(again);
            assert!(!talk.contains("matches played"), "{talk}");
        }
    }
    assert_eq!(parts, 6);
    let merge = ["plan.toml", "--out", "merged", "--reuse", "part-1", "--reuse", "part-2"];
    let (merged, talk) = dir.succeed(&merge);
    assert_eq!(merged, table);
    assert!(talk.contains("6 results known already") && !talk.contains("played in"), "{talk}");

    dir.write("plan.toml", &PLAN.replace("seed = 3\n", ""));
    let error = dir.fail(&["plan.toml", "--shard", "1/2", "--out", "other"]);
    assert!(error.contains("the plan needs a `seed`"), "{error}");
    dir.write("plan.toml", &PLAN.replace("round-robin", "swiss"));
    let error = dir.fail(&["plan.toml", "--shard", "1/2", "--out", "another"]);
    assert!(error.contains("it has no parts"), "{error}");
    let error = dir.fail(&["plan.toml", "--shard", "3/2"]);
    assert!(error.contains("the second of five"), "{error}");
    let error = dir.fail(&["plan.toml", "--shard", "0/2"]);
    assert!(error.contains("the second of five"), "{error}");
}

#[test]
fn what_is_known_is_not_played_again() {
    agon_testkit::slow!();
    let dir = dir();
    let (table, talk) = dir.succeed(&["plan.toml"]);
    assert!(talk.contains("6 matches played"), "{talk}");
    let results = dir.results("plan-results");
    let (again, talk) = dir.succeed(&["plan.toml"]);
    assert_eq!((again, talk.as_str()), (table.clone(), ""));

    // A bot that has changed plays again, the others do not.
    let fox = dir.path("fox.py");
    OpenOptions::new().append(true).open(&fox).unwrap().write_all(b"# changed\n").unwrap();
    let (again, talk) = dir.succeed(&["resume", "plan-results"]);
    assert_eq!(again, table);
    assert!(talk.contains("fox changed since"), "{talk}");
    assert!(
        talk.contains("4 matches played") && talk.contains("2 results known already"),
        "{talk}"
    );
    assert!(dir.path("plan-results/journal.1.jsonl").exists());

    // As before: all is known.
    dir.write("plan.toml", &PLAN.replace("side = 4", "side = 5"));
    let (_, talk) = dir.succeed(&["plan.toml"]);
    assert!(talk.contains("the plan has changed") && talk.contains("6 matches played"), "{talk}");
    dir.write("plan.toml", PLAN);
    let (again, talk) = dir.succeed(&["plan.toml"]);
    assert_eq!(again, table);
    assert!(talk.contains("6 results known already") && !talk.contains("played in"), "{talk}");

    // Another folder may take them, with their replays.
    let (again, talk) = dir.succeed(&["plan.toml", "--out", "other", "--reuse", "plan-results"]);
    assert_eq!(again, table);
    assert!(talk.contains("6 results known already") && !talk.contains("played in"), "{talk}");
    for record in dir.results("other").values() {
        let name = record["replay"].as_str().unwrap();
        let replay = Replay::open(fs::read(dir.path("other/replays").join(name)).unwrap()).unwrap();
        assert_eq!(serde_json::to_value(replay.header().seed).unwrap(), record["seed"]);
    }
    let (again, talk) = dir.succeed(&["plan.toml", "--out", "other", "--fresh"]);
    assert_eq!(again, table);
    assert!(talk.contains("6 matches played") && !talk.contains("known already"), "{talk}");
    // Only the key and the replay's name tell that the bot is another one.
    let plain = |mut results: Results| {
        for record in results.values_mut() {
            record.as_object_mut().unwrap().retain(|field, _| field != "key" && field != "replay");
        }
        results
    };
    assert_eq!(plain(dir.results("other")), plain(results));
}

/// As after `kill -9` before the plan was saved.
#[test]
fn a_folder_without_its_plan_is_begun_again() {
    agon_testkit::needs!("python3");
    let dir = dir();
    let (table, _) = dir.succeed(&["plan.toml"]);
    fs::remove_file(dir.path("plan-results/plan.json")).unwrap();
    let (again, talk) = dir.succeed(&["plan.toml"]);
    assert_eq!((again, talk.as_str()), (table, ""));
    fs::remove_file(dir.path("plan-results/plan.json")).unwrap();
    dir.write("plan-results/diary.txt", "mine");
    assert!(dir.fail(&["plan.toml"]).contains("holds other things than a tournament"));
}

#[test]
fn a_torn_line_is_played_again() {
    agon_testkit::needs!("python3");
    let dir = dir();
    let (table, _) = dir.succeed(&["plan.toml", "--replays", "none"]);
    let results = dir.results("plan-results");
    let path = dir.path("plan-results/journal.jsonl");
    let journal = fs::read(&path).unwrap();
    fs::write(&path, &journal[..journal.len() - 5]).unwrap();
    let (again, talk) = dir.succeed(&["resume", "plan-results", "--replays", "none"]);
    assert_eq!((again, dir.results("plan-results")), (table, results));
    assert!(talk.contains("the last line of the journal is not whole"), "{talk}");
    assert!(talk.contains("1 match played"), "{talk}");
    assert_eq!(fs::read_dir(dir.path("plan-results/replays")).unwrap().count(), 0);

    // In the middle it is damage, and nothing is changed.
    let mut journal = fs::read(&path).unwrap();
    let at = journal.len() / 2;
    journal[at] ^= 1;
    fs::write(&path, &journal).unwrap();
    let error = dir.fail(&["resume", "plan-results"]);
    assert!(error.contains("plan-results/journal.jsonl:") && error.contains("damaged"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), journal);
}

#[test]
fn one_process_plays_at_a_time() {
    agon_testkit::needs!("python3", "kill");
    let dir = dir();
    dir.write("fox.py", "import time\ntime.sleep(60)\n");
    let mut run = dir.agon(&["plan.toml"]).spawn().unwrap();
    while !dir.path("plan-results/journal.jsonl").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    let mut error = dir.fail(&["plan.toml"]);
    // It has the file before it has the lock.
    while !error.contains("being written by another process") && run.try_wait().unwrap().is_none() {
        error = dir.fail(&["plan.toml"]);
    }
    assert!(error.contains("being written by another process"), "{error}");
    interrupt(&run);
    interrupt(&run);
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn faults_are_told() {
    agon_testkit::needs!("python3");
    let dir = dir();
    dir.write("fox.py", "print('nonsense')\n");
    dir.succeed(&["plan.toml", "--replays", "faults"]);
    for record in dir.results("plan-results").values() {
        let seats = record["seats"].as_array().unwrap();
        let fox = seats.iter().position(|name| name == "fox");
        let faults = record["faults"].as_array().unwrap();
        for (seat, faults) in faults.iter().enumerate() {
            let faults = faults.as_array().unwrap();
            assert_eq!(!faults.is_empty(), Some(seat) == fox, "{record}");
            assert!(
                faults.iter().all(|fault| fault["text"].as_str().unwrap().starts_with("step ")),
                "{record}"
            );
        }
        assert_eq!(record["replay"].is_string(), fox.is_some(), "{record}");
    }
}

#[test]
fn bots_that_sometimes_end_while_they_are_loaded_end_no_tournament() {
    agon_testkit::slow!();
    agon_testkit::needs_clojure!();
    let dir = TestDir::with_plan(
        "game = \"amoebas\"\nseed = 5\nmatches = 2\nsandbox = { level = \"off\" }\n\
         bots = [\"a/fox.c\", \"b/hen.clj\", \"owl=jsonl:sh c/owl.sh\", \"builtin:mindless\"]\n\
         [settings]\nworld_size = 20\nrounds = 5\n[format]\nkind = \"round-robin\"\n",
    );
    for folder in ["a", "b", "c"] {
        fs::create_dir(dir.path(folder)).unwrap();
    }
    let tries = |name: &str| format!("{:?}", dir.path(&format!("{name}.tries")));
    // Each ends itself two of three times that it is loaded, and never at the first time.
    let fox = r#"#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void load(void) {
    FILE *file = fopen(TRIES, "a");
    fputc('x', file);
    fflush(file);
    if (ftell(file) % 3 != 1)
        _Exit(0);
    fclose(file);
}
"#;
    let grazer = fs::read_to_string(root().join("examples/bots/amoebas/grazer.c")).unwrap();
    dir.write("a/fox.c", &format!("{}{grazer}", fox.replace("TRIES", &tries("fox"))));
    let hen = "(ns hen) (spit TRIES \"x\" :append true)
(when (not= 1 (mod (count (slurp TRIES)) 3)) (System/exit 0))
(defn Evam [e h s env d] {:cmd :rest})";
    dir.write("b/hen.clj", &hen.replace("TRIES", &tries("hen")));
    let thinks = root().join("crates/agon/tests/bots/thinks.py").canonicalize().unwrap();
    let owl = format!(
        "printf x >> TRIES; [ $(($(wc -c < TRIES) % 3)) = 1 ] || exit 0
exec python3 {} uniform none 0",
        thinks.display()
    );
    dir.write("c/owl.sh", &owl.replace("TRIES", &tries("owl")));
    dir.succeed(&["plan.toml"]);
    let results = dir.results("plan-results");
    assert_eq!(results.len(), 2 * 6);
    let text = format!("{results:?}");
    for bot in ["fox", "hen", "owl"] {
        let hurt = results.values().filter(|record| {
            let seat = record["seats"].as_array().unwrap().iter().position(|name| name == bot);
            seat.is_some_and(|seat| !record["faults"][seat].as_array().unwrap().is_empty())
        });
        assert!(hurt.count() > 0, "{bot}: {text}");
    }
}

#[test]
fn a_void_match_is_played_again() {
    agon_testkit::slow!();
    let dir = dir();
    let script = root().join("crates/agon/tests/bots/waits.py").canonicalize().unwrap();
    let bot = format!("python3 {} cluster {}", script.display(), dir.path("").display());
    let plan = PLAN.replace("python3 fox.py", &format!("rosa={bot}"));
    dir.write("plan.toml", &format!("{plan}\n[sandbox]\nlevel = \"off\"\n"));
    let run = dir.agon(&["plan.toml", "--jobs", "1"]).spawn().unwrap();
    while !dir.path("asked").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    signal(&run, "STOP");
    thread::sleep(Duration::from_millis(2500));
    dir.write("go", "");
    signal(&run, "CONT");
    let output = run.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let journal = fs::read_to_string(dir.path("plan-results/journal.jsonl")).unwrap();
    assert_eq!(journal.matches("\"void\":1").count(), 1, "{journal}");
    assert_eq!(dir.records("plan-results"), 6);
}

#[test]
fn what_cannot_be_played_is_told_before() {
    agon_testkit::needs!("python3");
    let dir = dir();
    dir.write("ape.c", "int nothing;");
    let plan = PLAN.replace("bots = [", "bots = [\"ape.c\", \"builtin:randem\", ");
    dir.write("plan.toml", &format!("missing = \"stop\"\n{plan}"));
    let error = dir.fail(&["plan.toml"]);
    for part in ["ape: ", "randem: ", "did you mean `builtin:random`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert_eq!(dir.records("plan-results"), 0);

    dir.write("plan.toml", &PLAN.replace("python3 fox.py", "human"));
    let error = dir.fail(&["plan.toml"]);
    assert!(error.contains("people play single matches"), "{error}");
    let error = dir.fail(&["no.toml"]);
    assert!(error.contains("no.toml: No such file"), "{error}");
    let error = dir.fail(&["resume", "nowhere"]);
    assert!(
        error.contains("nowhere is no folder; `agon tournament FILE.toml` begins one"),
        "{error}"
    );
    let error = dir.fail(&["resume", "."]);
    assert!(error.contains("is no folder of a tournament"), "{error}");
    let error = dir.fail(&["plan.toml", "--out", "."]);
    assert!(error.contains("holds other things than a tournament"), "{error}");
}

#[test]
fn twice_interrupted_it_ends_at_once() {
    agon_testkit::needs!("pgrep");
    let dir = dir();
    dir.write("fox.py", "import time\ntime.sleep(600)\n");
    dir.write("plan.toml", &format!("{PLAN}\n[time]\nclock = false\n"));
    let mut run = dir.agon(&["plan.toml", "--jobs", "2"]).spawn().unwrap();
    while !dir.is_running("fox.py") {
        assert!(run.try_wait().unwrap().is_none(), "it ended");
        thread::sleep(Duration::from_millis(5));
    }
    interrupt(&run);
    hears(&mut run, "Ctrl-C again ends them at once");
    assert!(run.try_wait().unwrap().is_none(), "it waits for the matches that have begun");
    interrupt(&run);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(dir.records("plan-results") <= 2, "two matches are without the sleeper");
    assert!(!dir.is_running("fox.py"));
}
