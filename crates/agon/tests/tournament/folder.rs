//! The files in a tournament's folder, and the reports made of them later.

use std::fs::{self, OpenOptions};
use std::{io::Write, thread, time::Duration};

use agon_match::replay::Replay;
use rustix::process::Signal;

use super::example;
use crate::support::{Results, TestDir, end_of, root, round_robin, signal, until};

/// A short tournament: 3 bots, 6 matches, one bot a program.
fn plan() -> String {
    round_robin(3, 2, 4, &["builtin:random", "builtin:greedy", "python3 fox.py"])
}

/// A folder with this plan; the program is one of the examples.
fn dir() -> TestDir {
    let dir = TestDir::with_plan(&plan());
    dir.write("fox.py", example("greedy.py"));
    dir
}

#[test]
fn parts_of_several_machines_make_the_same_table() {
    agon_testkit::slow!();
    let dir = dir();
    let whole = dir.ok("tournament plan.toml --out whole");
    let mut parts = 0;
    for part in ["1", "2"] {
        let line = format!("tournament plan.toml --shard {part}/2 --out part-{part}");
        dir.ok(&line).tells([&format!("part {part} of 2 is played")]);
        let count = dir.records(&format!("part-{part}"));
        assert!((2..=4).contains(&count), "{count}");
        parts += count;
        // The same command continues what was stopped, and so does `resume`; nothing is left.
        for again in [line, format!("tournament resume part-{part}")] {
            dir.ok(&again).tells_not("matches played");
        }
    }
    assert_eq!(parts, 6);
    let merged = dir.ok("tournament plan.toml --out merged --reuse part-1 --reuse part-2");
    assert_eq!(merged.out, whole.out);
    merged.tells(["6 results known already"]).tells_not("played in");

    for (number, (plan, shard, words)) in [
        (plan().replace("seed = 3\n", ""), "1/2", "the plan needs a `seed`"),
        (plan().replace("round-robin", "swiss"), "1/2", "it has no parts"),
        (plan(), "3/2", "the second of five"),
        (plan(), "0/2", "the second of five"),
    ]
    .into_iter()
    .enumerate()
    {
        dir.write("plan.toml", plan);
        let line = format!("tournament plan.toml --shard {shard} --out other-{number}");
        dir.ends(2, &line).tells([words]);
    }
}

#[test]
fn what_is_known_is_not_played_again() {
    agon_testkit::slow!();
    let dir = dir();
    let first = dir.ok("tournament plan.toml");
    first.tells(["6 matches played"]);
    let results = dir.results("plan-results");
    // Runs it again, which gives the same table.
    let again = |line: &str| {
        let done = dir.ok(&format!("tournament {line}"));
        assert_eq!(done.out, first.out, "{line}");
        done
    };
    assert_eq!(again("plan.toml").err, "");

    // A bot that has changed plays again, the others do not.
    let mut fox = OpenOptions::new().append(true).open(dir.path("fox.py")).unwrap();
    fox.write_all(b"# changed\n").unwrap();
    let done = again("resume plan-results");
    done.tells(["fox changed since", "4 matches played", "2 results known already"]);
    assert!(dir.path("plan-results/journal.1.jsonl").exists());

    // As before: all is known.
    dir.write("plan.toml", plan().replace("side = 4", "side = 5"));
    dir.ok("tournament plan.toml").tells(["the plan has changed", "6 matches played"]);
    dir.write("plan.toml", plan());
    again("plan.toml").tells(["6 results known already"]).tells_not("played in");

    // Another folder may take them, with their replays.
    let done = again("plan.toml --out other --reuse plan-results");
    done.tells(["6 results known already"]).tells_not("played in");
    for record in dir.results("other").values() {
        let name = record["replay"].as_str().unwrap();
        let replay = Replay::open(dir.bytes(&format!("other/replays/{name}"))).unwrap();
        assert_eq!(serde_json::to_value(replay.header().seed).unwrap(), record["seed"]);
    }
    let done = again("plan.toml --out other --fresh");
    done.tells(["6 matches played"]).tells_not("known already");
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
    let first = dir.ok("tournament plan.toml");
    fs::remove_file(dir.path("plan-results/plan.json")).unwrap();
    let again = dir.ok("tournament plan.toml");
    assert_eq!((again.out, &*again.err), (first.out, ""));
    fs::remove_file(dir.path("plan-results/plan.json")).unwrap();
    dir.write("plan-results/diary.txt", "mine");
    dir.ends(2, "tournament plan.toml").tells(["holds other things than a tournament"]);
}

#[test]
fn a_torn_line_is_played_again() {
    agon_testkit::needs!("python3");
    let dir = dir();
    let first = dir.ok("tournament plan.toml --replays none");
    let results = dir.results("plan-results");
    let mut journal = dir.bytes("plan-results/journal.jsonl");
    journal.truncate(journal.len() - 5);
    dir.write("plan-results/journal.jsonl", &journal);
    let again = dir.ok("tournament resume plan-results --replays none");
    again.tells(["the last line of the journal is not whole", "1 match played"]);
    assert_eq!((again.out, dir.results("plan-results")), (first.out, results));
    assert_eq!(fs::read_dir(dir.path("plan-results/replays")).unwrap().count(), 0);

    // In the middle it is damage, and nothing is changed.
    let mut journal = dir.bytes("plan-results/journal.jsonl");
    let at = journal.len() / 2;
    journal[at] ^= 1;
    dir.write("plan-results/journal.jsonl", &journal);
    let done = dir.ends(2, "tournament resume plan-results");
    done.tells(["plan-results/journal.jsonl:", "damaged"]);
    assert_eq!(dir.bytes("plan-results/journal.jsonl"), journal);
}

#[test]
fn one_process_plays_at_a_time() {
    agon_testkit::needs!("python3");
    let dir = dir();
    dir.write("fox.py", "import time\ntime.sleep(60)\n");
    let mut run = dir.start("tournament plan.toml");
    until("a journal", || dir.path("plan-results/journal.jsonl").exists());
    // It has the file before it has the lock.
    until("a lock", || {
        let error = dir.fails("tournament plan.toml");
        let is_locked = error.contains("being written by another process");
        assert!(is_locked || run.try_wait().unwrap().is_none(), "{error}");
        is_locked
    });
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn faults_are_told() {
    agon_testkit::needs!("python3");
    let dir = dir();
    dir.write("fox.py", "print('nonsense')\n");
    dir.ok("tournament plan.toml --replays faults");
    for record in dir.results("plan-results").values() {
        let seats = record["seats"].as_array().unwrap();
        let fox = seats.iter().position(|name| name == "fox");
        for (seat, faults) in record["faults"].as_array().unwrap().iter().enumerate() {
            let faults = faults.as_array().unwrap();
            assert_eq!(!faults.is_empty(), Some(seat) == fox, "{record}");
            let mut texts = faults.iter().map(|fault| fault["text"].as_str().unwrap());
            assert!(texts.all(|text| text.starts_with("step ")), "{record}");
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
         bots = [\"a/fox.c\", \"b/hen.clj\", \"owl=jsonl:sh c/owl.sh\"]\n\
         [settings]\nworld_size = 20\nrounds = 5\n[format]\nkind = \"round-robin\"\n",
    );
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
    let hen = "(ns hen) (spit TRIES \"x\" :append true)
(when (not= 1 (mod (count (slurp TRIES)) 3)) (System/exit 0))
(defn Evam [e h s env d] {:cmd :rest})";
    let thinks = root().join("crates/agon/tests/bots/thinks.py");
    let owl = format!(
        "printf x >> TRIES; [ $(($(wc -c < TRIES) % 3)) = 1 ] || exit 0
exec python3 {} uniform none 0",
        thinks.display()
    );
    for (name, file, text) in [
        ("fox", "a/fox.c", fox.to_owned() + &grazer),
        ("hen", "b/hen.clj", hen.to_owned()),
        ("owl", "c/owl.sh", owl),
    ] {
        let tries = format!("{:?}", dir.path(&format!("{name}.tries")));
        dir.write(file, text.replace("TRIES", &tries));
    }
    dir.ok("tournament plan.toml");
    let results = dir.results("plan-results");
    assert_eq!(results.len(), 2 * 3);
    for bot in ["fox", "hen", "owl"] {
        let hurt = results.values().filter(|record| {
            let seat = record["seats"].as_array().unwrap().iter().position(|name| name == bot);
            seat.is_some_and(|seat| !record["faults"][seat].as_array().unwrap().is_empty())
        });
        assert!(hurt.count() > 0, "{bot}: {results:?}");
    }
}

#[test]
fn a_void_match_is_played_again() {
    agon_testkit::slow!();
    let signs = TestDir::new();
    let bot = format!("rosa=python3 BOTS/waits.py cluster {}", signs.path("").display());
    let plan = round_robin(3, 2, 4, &["builtin:random", "builtin:greedy", &bot]);
    let dir = TestDir::with_plan(&format!("{plan}\n[sandbox]\nlevel = \"off\"\n"));
    let run = dir.start("tournament plan.toml --jobs 1");
    until("a question", || signs.path("asked").exists());
    signal(&run, Signal::STOP);
    thread::sleep(Duration::from_millis(1500));
    signs.write("go", "");
    signal(&run, Signal::CONT);
    let done = end_of(run);
    assert_eq!(done.code, Some(0), "{}", done.all());
    let journal = dir.read("plan-results/journal.jsonl");
    assert_eq!(journal.matches("\"void\":1").count(), 1, "{journal}");
    assert_eq!(dir.records("plan-results"), 6);
}

#[test]
fn what_cannot_be_played_is_told_before() {
    agon_testkit::needs!("python3");
    let dir = dir();
    dir.write("ape.c", "int nothing;");
    let broken = plan().replace("bots = [", "bots = [\"ape.c\", \"builtin:randem\", ");
    dir.write("plan.toml", format!("missing = \"stop\"\n{broken}"));
    let done = dir.ends(2, "tournament plan.toml");
    done.tells(["ape: ", "randem: ", "did you mean `builtin:random`"]);
    assert_eq!(dir.records("plan-results"), 0);

    dir.write("plan.toml", plan().replace("python3 fox.py", "human"));
    for (line, words) in [
        ("plan.toml", "people play single matches"),
        ("no.toml", "no.toml: No such file"),
        ("resume nowhere", "nowhere is no folder; `agon tournament FILE.toml` begins one"),
        ("resume .", "is no folder of a tournament"),
        ("plan.toml --out .", "holds other things than a tournament"),
    ] {
        dir.ends(2, &format!("tournament {line}")).tells([words]);
    }
}
