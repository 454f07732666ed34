//! `agon compare` with real bots: verdicts, exit codes, and what they rest on. With `--out` a
//! comparison that is killed continues, and ends as if it had not been.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::Child,
};

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

/// How many matches the report counts.
#[track_caller]
fn matches_of(out: &str) -> u64 {
    out.split(" · ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_better_version_is_found_and_a_worse_one_is_not() {
    let better = compare(0, &format!("{STRONG} builtin:random")).out;
    assert!(better.starts_with("searcher is better than random: "), "{better}");
    assert!(better.lines().next().unwrap().ends_with("error probability at most 5 %"), "{better}");
    assert!(matches_of(&better) <= 20, "who wins everything is found at once: {better}");
    let worse = compare(1, &format!("builtin:random {STRONG}")).out;
    assert!(worse.starts_with("random is not better than searcher by 20 Elo or more: "), "{worse}");
    // The same version is not decided by a few matches.
    let same = compare(1, "builtin:greedy builtin:greedy --max 41");
    assert!(same.out.starts_with("not decided: 20 pairs, Elo 0 (−"), "{same:?}");
    same.says("matches of new: 20 won, 0 tied for the first place, 20 lost");
    same.says("new and old seem to be the same bot");
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
}

#[test]
fn programs_are_compared() {
    slow!();
    let done = compare(0, "'python3 EXAMPLES/cluster/greedy.py' builtin:random --elo1 200");
    assert!(done.out.starts_with("greedy is better than random"), "{done:?}");
    done.hides("faults").hides("warning: greedy");
}

#[test]
fn faults_are_defeats_and_are_told() {
    let done = compare(1, "\"v2=sh -c 'echo lost >&2; exit 3'\" builtin:random --elo1 300");
    assert!(done.out.starts_with("v2 is not better than random by 300 Elo or more"), "{done:?}");
    done.says("\nfaults\n  v2 crashed in ").says("first: seed ").says(" lost\n");
}

#[test]
fn a_pool_is_the_measure_of_both() {
    let pool = "--against builtin:greedy builtin:random";
    let done = compare(0, &format!("{STRONG} builtin:random --score1 0.3 --json {pool}"));
    let lines = done.lines();
    let head = &lines[0]["data"];
    assert_eq!(head["design"], json!({ "pool": { "players": 2, "pool": 2 } }));
    assert_eq!(head["others"][1]["name"], "random-2");
    for line in &lines[1..lines.len() - 1] {
        let matches = line["data"]["matches"].as_array().unwrap();
        let seats: Vec<_> = matches.iter().map(|one| one["seats"].as_array().unwrap()).collect();
        assert_eq!(seats.len(), 4);
        // The same opponent in the same seat for both versions, then the seats exchanged.
        assert!(seats[0][0] == "searcher" && seats[1][0] == "random" && seats[0][1] == seats[1][1]);
        assert!(seats[2][1] == "searcher" && seats[3][1] == "random" && seats[2][0] == seats[0][1]);
    }
    let verdict = done.data("verdict");
    assert_eq!(verdict["verdict"], "better");
    assert!(verdict["interval"][0].as_f64().unwrap() >= 0.0, "the interval agrees: {verdict}");
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
fn the_numbers_do_not_depend_on_how_many_matches_are_played_at_a_time() {
    let run = |jobs: u32, seed: u32| {
        let bots = "builtin:random v1=builtin:random --max 60 --json";
        TestDir::new().run(&line(&format!("{bots} -j {jobs} --seed {seed}"))).lines()
    };
    let one = run(1, 7);
    assert_eq!(one.len(), 32, "a line for each of 30 pairs, one before and one behind");
    assert_eq!(one, run(4, 7));
    assert_eq!(one.last().unwrap()["data"]["different"], 30, "each seed is another match");
    assert_ne!(one[1..], run(4, 8)[1..]);
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
fn replays_are_kept_of_what_counts() {
    let dir = TestDir::new();
    let line = line(&format!("{STRONG} builtin:random --elo1 400 --replays replays"));
    let done = dir.ok(&line);
    done.says("replays: replays");
    let names = names(dir.path("replays"));
    assert_eq!(names.len() as u64, matches_of(&done.out), "{done:?}");
    assert_eq!(names[..2], ["00001-1.agon", "00001-2.agon"]);
    dir.ok("replay verify replays/00001-2.agon");
    let error = dir.fails(&line);
    assert!(error.contains("--replays") && error.contains("not empty"), "{error}");
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
        ("--elo0 30", ["--elo0 30", "below elo1"]),
        ("--alpha 1.5", ["--alpha", "between 0 and 1"]),
        ("--alpha 0.6 --beta 0.6", ["--alpha + --beta", ""]),
        ("--score1 0.1", ["--score1", "--elo1"]),
        ("--elo1 5 --against builtin:random", ["--elo1", "--score1"]),
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
    let dir = TestDir::new();
    let error = dir.fails("compare builtin:random builtin:random");
    assert!(error.contains("--game GAME") && error.contains("cluster"), "{error}");
    let bots = "builtin:random builtin:raider --players 4 --against builtin:random";
    let error = dir.fails(&format!("compare --game rezzo {bots}"));
    assert!(error.contains("--players 4 needs 3 others"), "{error}");
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
    let mut child = dir.start(&kept(folder, 300, ""));
    let has_ended = |child: &mut Child| child.try_wait().unwrap().is_some();
    until("a match", || journal(dir, folder).lines().count() >= least || has_ended(&mut child));
    child
}

#[test]
fn kills_change_nothing() {
    let dir = TestDir::new();
    // The report without the name of the folder.
    let run = |folder: &str, more: &str| {
        let done = dir.ends(1, &kept(folder, 300, &format!("--json {more}")));
        Done { out: done.out.replace(folder, "FOLDER"), ..done }
    };
    let expected = run("whole", "");
    for least in [2, 30, 80] {
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
    dir.ends(1, &kept("killed", 320, ""));
    assert_eq!(journal(&dir, "killed").lines().count(), 161);

    // After Ctrl-C it continues as well.
    let mut child = started(&dir, "results", 5);
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let before = journal(&dir, "results").lines().count();
    assert!((5..151).contains(&before), "{before}");
    dir.ends(1, &kept("results", 300, ""));
    assert_eq!(journal(&dir, "results"), journal(&dir, "whole"));
}

#[test]
fn another_comparison_and_damaged_lines_are_refused() {
    let dir = TestDir::new();
    let short = kept("results", 8, "");
    let expected = dir.ends(1, &short).out;
    let other = |line: &str, words: &str| {
        let error = dir.fails(line);
        assert!(error.contains("compare.jsonl") && error.contains(words), "{words}: {error}");
    };
    other(&short.replace("--seed 0", "--seed 1"), "another seed");
    other(&short.replace("--seed 0", "--seed 1"), "--out");
    other(&format!("{short} --alpha 0.01"), "another alpha");
    other(&format!("{short} --set bag=4"), "another settings");
    other(&format!("{short} --time 900"), "another time");
    other(&short.replace("builtin:random v1", "builtin:greedy v1"), "another new");
    other(&short.replace("v1=builtin:random", "builtin:greedy"), "another old");

    let text = journal(&dir, "results");
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 5);
    for bad in [
        [rows[0], rows[1], "{}", rows[3]],
        [rows[0], rows[1], rows[3], rows[4]],
        [rows[0], rows[1], &rows[2].replace("\"places\":[", "\"places\":[3,"), rows[3]],
    ] {
        dir.write("results/compare.jsonl", format!("{}\n", bad.join("\n")));
        other(&short, "compare.jsonl:3: this line is damaged");
    }
    dir.write("results/compare.jsonl", "notes\n");
    other(&short, "not a journal of a comparison");
    dir.write("results/compare.jsonl", format!("{}\n", rows[..2].join("\n")));
    assert_eq!(dir.ends(1, &short).out, expected);
    assert_eq!(journal(&dir, "results"), text);
}

#[test]
fn replays_continue_with_the_results() {
    let dir = TestDir::new();
    let line = |most: u32| kept("results", most, "--replays replays");
    for most in [4, 8] {
        dir.ends(1, &line(most));
        assert_eq!(names(dir.path("replays")).len(), most as usize);
    }
    // Of the seed after them a killed process may have left some, but not of later ones.
    dir.write("replays/00005-1.agon", "torn");
    dir.ends(1, &line(10));
    assert_eq!(names(dir.path("replays")).len(), 10);
    dir.write("replays/00009-1.agon", "");
    let error = dir.fails(&line(12));
    assert!(error.contains("00009-1.agon is not a replay of the seeds that count"), "{error}");
    fs::remove_file(dir.path("replays/00009-1.agon")).unwrap();
    fs::remove_file(dir.path("replays/00002-1.agon")).unwrap();
    let error = dir.fails(&line(12));
    assert!(error.contains("00002-1.agon is missing") && error.contains("--replays"), "{error}");
}
