//! `agon compare` with real bots: verdicts, exit codes, and what they rest on. With `--out` a
//! comparison that is killed continues, and ends as if it had not been.

use std::io::{BufRead, BufReader, Read};
use std::{fs, process::Child};

use agon_testkit::slow;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Done, TestDir, names, signal, until};

const STRONG: &str = "builtin:searcher?width=8";

/// A line that compares on a small board of cluster.
fn line(args: &str) -> String {
    let seed = if args.contains("--seed") { "" } else { "--seed 0" };
    format!("compare --game cluster --set side=5 {seed} {args}")
}

#[track_caller]
fn compare(code: i32, args: &str) -> Done {
    TestDir::new().ends(code, &line(args))
}

/// A lead that no chance explains is a verdict, with an estimate and an interval.
#[test]
fn json_has_the_verdict_and_what_it_rests_on() {
    let data = compare(0, &format!("{STRONG} builtin:random --max 60 --json")).data("verdict");
    assert_eq!((&data["verdict"], &data["decided"]), (&json!("better"), &json!(true)));
    assert!(data["matches"].as_u64().unwrap() <= 20, "{data}");
    let state = &data["state"]["sprt"];
    let number = |key: &str| state[key].as_f64().unwrap();
    assert!(number("llr") >= number("upper") && number("lower") < 0.0, "{state}");
    assert_eq!(state["pairs"].as_array().unwrap().len(), 5);
    let estimate = |key: &str| state["estimate"][key].as_f64().unwrap();
    assert!(estimate("elo_low") >= 0.0 && estimate("elo_low") < estimate("elo"), "{state}");
    assert!(estimate("elo") < estimate("elo_high") && estimate("score") == 1.0, "{state}");
    assert!((estimate("confidence") - 0.9).abs() < 1e-9, "{state}");

    let last = |args: &str| compare(1, &format!("{args} --json")).data("verdict");
    let worse = last(&format!("builtin:random {STRONG}"));
    assert_eq!((&worse["verdict"], &worse["decided"]), (&json!("not_better"), &json!(true)));
    let open = last("builtin:random v1=builtin:random --max 8");
    assert_eq!((&open["verdict"], &open["decided"]), (&json!("most"), &json!(false)));
    assert_eq!(open["different"], 4, "each seed is another match");
}

#[test]
fn faults_are_defeats_and_are_told() {
    let done = compare(1, "\"v2=sh -c 'echo lost >&2; exit 3'\" builtin:random --elo1 300");
    assert!(done.out.starts_with("v2 is not better than random by 300 Elo or more"), "{done:?}");
    done.says("\nfaults\n  v2 crashed in ").says("first: seed ").says(" lost\n");
}

#[test]
fn many_players_are_a_field_of_the_old_version() {
    let board = "--set width=12 --set height=12 --set turns=30";
    let bots = "builtin:grower builtin:random --players 3 --score1 0.3";
    let done = TestDir::new().ok(&format!("compare --game cellhack --seed 0 {board} {bots}"));
    let start = "grower is better than random among copies of random: ";
    assert!(done.out.starts_with(start), "{done:?}");
    done.says("seeds of 3 matches, score +0.");
}

#[test]
fn seeds_that_change_nothing_are_noticed() {
    slow!();
    let dir = TestDir::new();
    let bot =
        "import sys\nfor line in sys.stdin:\n  if line == '\\n': print('ROTATE 1', flush=True)\n";
    dir.write("turner.py", bot);
    let bots = "'python3 turner.py a' 'python3 turner.py b' --set bag=4";
    let done = dir.ends(1, &line(bots));
    done.says("not decided: the same two matches were played, move for move");
    done.says("with each of 10 seeds").says("warning: ");
}

#[test]
fn ctrl_c_ends_with_what_is_known() {
    let dir = TestDir::new();
    let bots = "builtin:random v1=builtin:random --elo1 0.01 --json";
    let mut child = dir.start(&format!("compare --game cluster {bots}"));
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..3 {
        out.read_line(&mut text).unwrap();
    }
    signal(&child, Signal::INT);
    out.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["type"], &last["data"]["verdict"]),
        (&json!("verdict"), &json!("interrupted"))
    );
    assert_eq!(last["data"]["seeds"].as_u64().unwrap() as usize, text.lines().count() - 2);
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_remedy() {
    for (args, words) in [
        ("--alpha 1.5", ["--alpha", "between 0 and 1"]),
        ("--players 3", ["--players 3", "cluster is played by 2 to 2 players"]),
        ("--max 1", ["--max 1", "give 2 or more"]),
        ("--against 'no/such/*.c'", ["no/such/*.c", "finds no file"]),
        ("--against human", ["agon play", ""]),
        ("--against builtin:gredy", ["gredy", "greedy"]),
    ] {
        let done = compare(2, &format!("builtin:greedy builtin:random {args}"));
        done.says(words[0]).says(words[1]);
        assert_eq!(done.out, "", "{args}");
    }
    let bots = "builtin:random builtin:raider --players 4 --against builtin:random";
    let done = TestDir::new().ends(2, &format!("compare --game rezzo {bots}"));
    done.tells(["--players 4 needs 3 others"]);
}

/// Versions that differ too little to be told apart by so few matches.
const CLOSE: &str = "builtin:random v1=builtin:random --seed 0 --elo1 1";

/// A comparison with `--out` that ends without a verdict after so many matches.
fn kept(folder: &str, most: u32, more: &str) -> String {
    line(&format!("--out {folder} {CLOSE} --max {most} {more}"))
}

fn journal(dir: &TestDir, folder: &str) -> String {
    fs::read_to_string(dir.path(folder).join("compare.jsonl")).unwrap_or_default()
}

/// Starts a comparison and waits until its journal has so many lines.
#[track_caller]
fn started(dir: &TestDir, folder: &str, least: usize) -> Child {
    let mut child = dir.start(&kept(folder, 160, ""));
    let has_ended = |child: &mut Child| child.try_wait().unwrap().is_some();
    until("a match", || journal(dir, folder).lines().count() >= least || has_ended(&mut child));
    child
}

#[test]
fn kills_change_nothing() {
    let dir = TestDir::new();
    // The report without the name of the folder.
    let run = |folder: &str, more: &str| {
        let done = dir.ends(1, &kept(folder, 160, &format!("--json {more}")));
        Done { out: done.out.replace(folder, "FOLDER"), ..done }
    };
    let expected = run("whole", "");
    for least in [2, 20, 50] {
        let mut child = started(&dir, "killed", least);
        child.kill().unwrap();
        child.wait().unwrap();
        // The line that was being written.
        let text = journal(&dir, "killed") + "{\"seed\":7,\"mat";
        dir.write("killed/compare.jsonl", text);
    }
    let done = run("killed", "-j 1");
    assert_eq!(done.says("continuing after ").out, expected.out);
    assert_eq!(journal(&dir, "killed"), journal(&dir, "whole"));
    // One that is over reports again, and plays nothing.
    assert_eq!(run("killed", "").out, expected.out);
    assert_eq!(journal(&dir, "killed"), journal(&dir, "whole"));
    // With more matches it plays on.
    dir.ends(1, &kept("killed", 180, ""));
    assert_eq!(journal(&dir, "killed").lines().count(), 91);

    // After Ctrl-C it continues as well.
    let mut child = started(&dir, "results", 5);
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let before = journal(&dir, "results").lines().count();
    assert!((5..81).contains(&before), "{before}");
    dir.ends(1, &kept("results", 160, ""));
    assert_eq!(journal(&dir, "results"), journal(&dir, "whole"));
}

#[test]
fn another_comparison_and_damaged_lines_are_refused() {
    let dir = TestDir::new();
    let short = kept("results", 8, "");
    let expected = dir.ends(1, &short).out;
    let other = |line: &str, words: &str| {
        dir.ends(2, line).tells(["compare.jsonl", words]);
    };
    for (line, words) in [
        (short.replace("--seed 0", "--seed 1"), "another seed"),
        (short.replace("--seed 0", "--seed 1"), "--out"),
        (format!("{short} --alpha 0.01"), "another alpha"),
        (format!("{short} --set bag=4"), "another settings"),
        (format!("{short} --time 900"), "another time"),
        (short.replace("builtin:random v1", "builtin:greedy v1"), "another new"),
        (short.replace("v1=builtin:random", "builtin:greedy"), "another old"),
    ] {
        other(&line, words);
    }

    let text = journal(&dir, "results");
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 5);
    // A line is missing.
    let gap = [rows[0], rows[1], rows[3], rows[4]].join("\n");
    dir.write("results/compare.jsonl", format!("{gap}\n"));
    other(&short, "compare.jsonl:3: this line is damaged");
    dir.write("results/compare.jsonl", format!("{}\n", rows[..2].join("\n")));
    assert_eq!(dir.ends(1, &short).out, expected);
    assert_eq!(journal(&dir, "results"), text);
}

#[test]
fn replays_continue_with_the_results() {
    let dir = TestDir::new();
    let line = |most: u32| kept("results", most, "--replays replays");
    for most in [4, 8] {
        dir.ends(1, &line(most)).says("replays: replays");
        assert_eq!(names(dir.path("replays")).len(), most as usize);
    }
    dir.ok("replay verify replays/00001-2.agon");
    // Of the seed after them a killed process may have left some, but not of later ones.
    dir.write("replays/00005-1.agon", "torn");
    dir.ends(1, &line(10));
    assert_eq!(names(dir.path("replays")).len(), 10);
    dir.write("replays/00009-1.agon", "");
    let refused = || dir.ends(2, &line(12));
    refused().tells(["00009-1.agon is not a replay of the seeds that count"]);
    fs::remove_file(dir.path("replays/00009-1.agon")).unwrap();
    fs::remove_file(dir.path("replays/00002-1.agon")).unwrap();
    refused().tells(["00002-1.agon is missing", "--replays"]);
    // One without `--out` wants an empty folder.
    let fresh = self::line("builtin:random builtin:greedy --replays replays");
    dir.ends(2, &fresh).tells(["--replays", "not empty"]);
}
