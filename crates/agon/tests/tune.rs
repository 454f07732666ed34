//! `agon tune`, with real matches.

use std::{fs, path::Path};

use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Done, TestDir, end_of, root, signal, until};

/// A small dish, in which a match takes some milliseconds.
const DISH: &str = "tune --game amoebas builtin:mindless-divider --set world_size=16 --set \
    rounds=120 --seed 0 --json --out";

const SHORT: &str = "--param probability=5..60 --matches 160 --verify 20";

#[track_caller]
fn result(done: &Done) -> Value {
    assert_eq!(done.code, Some(0), "{}", done.all());
    done.lines().remove(0)["data"].take()
}

fn count_lines(folder: &Path) -> usize {
    let text = fs::read(folder.join("tune.jsonl")).unwrap_or_default();
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// Who hardly ever divides is soon crowded out.
#[test]
fn a_value_that_matters_is_found() {
    let dir = TestDir::new();
    let line = format!(
        "{DISH} out --param probability=0..40 --start probability=1 --matches 400 --verify 80"
    );
    let data = result(&dir.run(&line));
    let best: i64 = data["params"][0]["best"].as_str().unwrap().parse().unwrap();
    assert!(best >= 8, "{data}");
    assert!(data["verdict"]["low"].as_f64().unwrap() > 0.0, "{data}");
    let counts = ["matches", "tuned_with", "faulty_matches"].map(|key| data[key].as_u64());
    assert_eq!(counts, [Some(480), Some(400), Some(0)]);
    assert_eq!(data["bot"], format!("builtin:mindless-divider?probability={best}"));
    assert_eq!(data["params"][0]["deviation"], Value::Null, "one run has no error");
    let chart = dir.read("out/tune.svg");
    assert!(chart.contains("probability=0..40") && chart.contains("<polyline"), "{chart}");
    // The report for people, of the same tuning: nothing is played again.
    let before = dir.bytes("out/tune.jsonl");
    let done = dir.ok(&line.replace(" --json", "").replace(" --seed 0", ""));
    done.says("The values found are better than the starting ones.");
    done.says("Measured in 80 new matches, with 95 % intervals: +");
    done.says(&format!("builtin:mindless-divider?probability={best}\n"));
    done.says("only in runs with other seeds").hides("±");
    done.says("going on after 480 matches");
    assert!(dir.bytes("out/tune.jsonl") == before);
}

#[test]
fn neither_jobs_nor_kills_change_the_result() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let run = |name: &str, jobs: &str| {
        let data = result(&dir.run(&format!("{DISH} {name} {SHORT} --jobs {jobs}")));
        (data, dir.bytes(&format!("{name}/tune.svg")))
    };
    let one = run("one", "1");
    assert!(one == run("four", "4"), "four at a time find something else");
    // Killed again and again, as soon as there are some more lines.
    let killed = dir.path("killed");
    for least in [3, 40, 90] {
        let mut child = dir.start(&format!("{DISH} killed {SHORT}"));
        until("a match", || count_lines(&killed) >= least || child.try_wait().unwrap().is_some());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(count_lines(&killed) >= least);
    }
    // A line that was being written.
    dir.write("killed/tune.jsonl", dir.read("killed/tune.jsonl") + "{\"match\":1");
    assert!(one == run("killed", "2"), "killed in between it finds something else");
    assert_eq!(count_lines(&killed), count_lines(&dir.path("one")));
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    let dir = TestDir::new();
    let child = dir.start(&format!("{DISH} out --param probability=5..60 --matches 100000"));
    until("a match", || count_lines(&dir.path("out")) >= 20);
    signal(&child, Signal::INT);
    let done = end_of(child);
    assert_eq!(done.code, Some(130), "{}", done.err);
    let data = &done.lines()[0]["data"];
    assert_eq!((&data["interrupted"], &data["verdict"]), (&true.into(), &Value::Null));
    done.says("continue with: agon tune --game amoebas builtin:mindless-divider");
    assert!(dir.path("out/tune.svg").exists());
}

#[test]
fn what_cannot_be_played_is_told_before_anything_is() {
    let dir = TestDir::new();
    let slightly = "amoebas builtin:slightly-brainy --param";
    let random = "cluster builtin:random --param rotate=0..20";
    for (args, expected) in [
        (format!("{slightly} hight=5..40"), "there is no parameter `hight`"),
        (format!("{slightly} low=5..5"), "the range of `low=5..5` is empty"),
        (format!("{slightly} low=5..20000"), "a number from 0 to 10000"),
        (format!("{random} --matches 1"), "compared by 2 matches"),
        (format!("{random} --players 3 --against builtin:greedy"), "cluster is for 2 to 2"),
    ] {
        dir.refuses(&format!("tune --out out --game {args}"), [expected]);
        assert!(!dir.path("out").exists(), "nothing is written");
    }
}

/// A bot that ends at once with values above 5.
#[test]
fn a_program_that_refuses_a_value_is_named() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let body = fs::read_to_string(root().join("examples/bots/cluster/greedy.py")).unwrap();
    let check = "import sys\nif int(sys.argv[1]) > 5:\n    sys.exit('at most five, please')\n";
    dir.write("picky.py", check.to_owned() + &body);
    let line = "tune --game cluster 'python3 picky.py {x}' --param x=0..9 --start x=2 --set side=4 \
        --out out";
    dir.refuses(line, ["9` crashed", "at most five, please"]);
    assert!(!dir.path("out").exists(), "nothing is written");
    let narrow = line.replace("x=0..9", "x=0..5") + " --matches 8 --verify 0 --json";
    let data = result(&dir.run(&narrow));
    assert_eq!((&data["matches"], &data["faulty_matches"]), (&8.into(), &0.into()));
    // Another bot in the same folder is another tuning.
    dir.refuses(&format!("{line} --json"), ["belongs to another tuning, with another params"]);
}
