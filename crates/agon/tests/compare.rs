//! `agon compare` with real bots: verdicts, exit codes, and what they rest on.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

const STRONG: &str = "builtin:searcher?width=8";

fn agon(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.args(["compare"]).args(args).current_dir(root).env("NO_COLOR", "1");
    if !args.contains(&"--seed") {
        command.args(["--seed", "0"]);
    }
    command
}

/// Runs a comparison in cluster on a small board; it has to end with this exit code.
#[track_caller]
fn compare(code: i32, args: &[&str]) -> (String, String) {
    let args = [&["--game", "cluster", "--set", "side=5"], args].concat();
    let output = agon(&args).output().unwrap();
    check(code, &args, &output)
}

#[track_caller]
fn check(code: i32, args: &[&str], output: &Output) -> (String, String) {
    let [out, err] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}: {out}{err}");
    (out, err)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_better_version_is_found_and_a_worse_one_is_not() {
    let (better, _) = compare(0, &[STRONG, "builtin:random"]);
    assert!(better.starts_with("searcher is better than random: "), "{better}");
    assert!(better.lines().next().unwrap().ends_with("error probability at most 5 %"), "{better}");
    let matches = matches_of(&better);
    assert!(matches <= 20, "who wins everything is found at once: {better}");
    let (worse, _) = compare(1, &["builtin:random", STRONG]);
    assert!(worse.starts_with("random is not better than searcher by 20 Elo or more: "), "{worse}");
}

#[test]
fn the_same_version_is_not_decided_by_a_few_matches() {
    let (out, err) = compare(1, &["builtin:greedy", "builtin:greedy", "--max", "41"]);
    assert!(out.starts_with("not decided: 20 pairs, Elo 0 (−"), "{out}");
    assert!(out.contains("matches of new: 20 won, 0 tied for the first place, 20 lost"), "{out}");
    assert!(err.contains("new and old seem to be the same bot"), "{err}");
}

/// How many matches the report counts.
#[track_caller]
fn matches_of(out: &str) -> u64 {
    out.split(" · ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
}

/// A lead that no chance explains is a verdict, with an estimate and an interval.
#[test]
fn sixty_wins_of_sixty_are_decided() {
    let (out, _) = compare(0, &[STRONG, "builtin:random", "--max", "60", "--json"]);
    let lines = lines(&out);
    let data = &lines.last().unwrap()["data"];
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
}

#[test]
fn json_tells_not_better_from_undecided() {
    let last = |args: &[&str]| {
        let (out, _) = compare(1, &[args, &["--json"]].concat());
        lines(&out).pop().unwrap()["data"].clone()
    };
    let worse = last(&["builtin:random", STRONG]);
    assert_eq!((&worse["verdict"], &worse["decided"]), (&json!("not_better"), &json!(true)));
    let open = last(&["builtin:random", "v1=builtin:random", "--max", "8"]);
    assert_eq!((&open["verdict"], &open["decided"]), (&json!("most"), &json!(false)));
}

#[test]
fn programs_are_compared() {
    agon_testkit::slow!();
    let python = "python3 examples/bots/cluster/greedy.py";
    let (out, err) = compare(0, &[python, "builtin:random", "--elo1", "200"]);
    assert!(out.starts_with("greedy is better than random"), "{out}");
    assert!(!out.contains("faults") && !err.contains("warning: greedy"), "{out}{err}");
}

#[test]
fn faults_are_defeats_and_are_told() {
    let (out, _) =
        compare(1, &["v2=sh -c 'echo lost >&2; exit 3'", "builtin:random", "--elo1", "300"]);
    assert!(out.starts_with("v2 is not better than random by 300 Elo or more"), "{out}");
    assert!(out.contains("\nfaults\n  v2 crashed in "), "{out}");
    assert!(out.contains("first: seed ") && out.contains(" lost\n"), "{out}");
}

#[test]
fn a_pool_is_the_measure_of_both() {
    let args =
        [STRONG, "builtin:random", "--score1", "0.3", "--json", "--against", "builtin:greedy"];
    let (out, _) = compare(0, &[&args[..], &["builtin:random"]].concat());
    let lines = lines(&out);
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
    let verdict = &lines.last().unwrap()["data"];
    assert_eq!(verdict["verdict"], "better");
    assert!(verdict["interval"][0].as_f64().unwrap() >= 0.0, "the interval agrees: {verdict}");
}

#[test]
fn many_players_are_a_field_of_the_old_version() {
    let args =
        ["--game", "cellhack", "--set", "width=12", "--set", "height=12", "--set", "turns=30"];
    let args =
        [&args[..], &["builtin:grower", "builtin:random", "--players", "3", "--score1", "0.3"]]
            .concat();
    let (out, _) = check(0, &args, &agon(&args).output().unwrap());
    assert!(out.starts_with("grower is better than random among copies of random: "), "{out}");
    assert!(out.contains("seeds of 3 matches, score +0."), "{out}");
}

#[test]
fn the_numbers_do_not_depend_on_how_many_matches_are_played_at_a_time() {
    let run = |jobs: &str, seed: &str| {
        let bots = ["builtin:random", "v1=builtin:random"];
        let args = [&bots[..], &["--max", "60", "--json", "-j", jobs, "--seed", seed]].concat();
        let output = agon(&[&["--game", "cluster", "--set", "side=5"], &args[..]].concat())
            .output()
            .unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
        lines(&String::from_utf8(output.stdout).unwrap())
    };
    let one = run("1", "7");
    assert_eq!(one.len(), 32, "a line for each of 30 pairs, one before and one behind");
    assert_eq!(one, run("4", "7"));
    assert_eq!(one.last().unwrap()["data"]["different"], 30, "each seed is another match");
    assert_ne!(one[1..], run("4", "8")[1..]);
}

#[test]
fn seeds_that_change_nothing_are_noticed() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let bot = folder.path().join("turner.py");
    fs::write(
        &bot,
        "import sys\nfor line in sys.stdin:\n  if line == '\\n': print('ROTATE 1', flush=True)\n",
    )
    .unwrap();
    let bot = format!("python3 {}", bot.display());
    let (out, _) = compare(1, &[&format!("{bot} a"), &format!("{bot} b"), "--set", "bag=4"]);
    assert!(
        out.starts_with("not decided: the same two matches were played, move for move"),
        "{out}"
    );
    assert!(out.contains("with each of 10 seeds") && out.contains("warning: "), "{out}");
}

#[test]
fn replays_are_kept_of_what_counts() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("replays");
    let text = path.to_str().unwrap();
    let args = [STRONG, "builtin:random", "--elo1", "400", "--replays", text];
    let (out, _) = compare(0, &args);
    assert!(out.contains(&format!("replays: {text}")), "{out}");
    let mut names: Vec<_> = fs::read_dir(&path)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len() as u64, matches_of(&out), "{out}");
    assert_eq!(names[..2], ["00001-1.agon", "00001-2.agon"]);
    let mut verify = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    assert!(
        verify
            .args(["replay", "verify"])
            .arg(path.join("00001-2.agon"))
            .output()
            .unwrap()
            .status
            .success()
    );
    let (_, err) = compare(2, &args);
    assert!(err.contains("--replays") && err.contains("not empty"), "{err}");
}

#[test]
fn ctrl_c_ends_with_what_is_known() {
    agon_testkit::needs!("kill");
    let args =
        ["--game", "cluster", "builtin:random", "v1=builtin:random", "--elo1", "0.01", "--json"];
    let mut child = agon(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..3 {
        out.read_line(&mut text).unwrap();
    }
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    out.read_to_string(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let lines = lines(&text);
    let verdict = lines.last().unwrap();
    assert_eq!(
        (&verdict["type"], &verdict["data"]["verdict"]),
        (&json!("verdict"), &json!("interrupted"))
    );
    assert_eq!(verdict["data"]["seeds"].as_u64().unwrap() as usize, lines.len() - 2);
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_remedy() {
    let two = ["builtin:greedy", "builtin:random"];
    let refused = |args: &[&str], words: &[&str]| {
        let (out, err) = compare(2, &[&two, args].concat());
        assert!(out.is_empty() && words.iter().all(|word| err.contains(word)), "{args:?}: {err}");
    };
    refused(&["--elo0", "30"], &["--elo0 30", "below elo1"]);
    refused(&["--alpha", "1.5"], &["--alpha", "between 0 and 1"]);
    refused(&["--alpha", "0.6", "--beta", "0.6"], &["--alpha + --beta"]);
    refused(&["--score1", "0.1"], &["--score1", "--elo1"]);
    refused(&["--elo1", "5", "--against", "builtin:random"], &["--elo1", "--score1"]);
    refused(&["--players", "3"], &["--players 3", "cluster is played by 2 to 2 players"]);
    refused(&["--max", "1"], &["--max 1", "give 2 or more"]);
    refused(&["--against", "no/such/*.c"], &["no/such/*.c", "finds no file"]);
    refused(&["--against", "human"], &["agon play"]);
    refused(&["--against", "builtin:gredy"], &["gredy", "greedy"]);
    let args = ["builtin:random", "builtin:random"];
    let (_, err) = check(2, &args, &agon(&args).output().unwrap());
    assert!(err.contains("--game GAME") && err.contains("cluster"), "{err}");
    let args = [
        "--game",
        "rezzo",
        "builtin:random",
        "builtin:raider",
        "--players",
        "4",
        "--against",
        "builtin:random",
    ];
    let (_, err) = check(2, &args, &agon(&args).output().unwrap());
    assert!(err.contains("--players 4 needs 3 others"), "{err}");
}
