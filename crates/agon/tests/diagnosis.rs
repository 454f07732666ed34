//! Each loss has a reason: the summary after a match, `--log DIR`,
//! `agon replay info FILE --bot NAME`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

/// A bot for cluster that tells its turns and fails in its third one.
const FAILS: &str = "import sys
for line in sys.stdin:
    if line == '\\n':
        turn = locals().get('turn', 0) + 1
        print('turn', turn, file=sys.stderr)
        if turn == 3:
            [][turn]
        print('ROTATE 1', flush=True)
";

/// The same without the failure.
const TALKS: &str = "import sys
for line in sys.stdin:
    if line == '\\n':
        print('a turn', file=sys.stderr)
        print('ROTATE 1', flush=True)
";

/// The same, but it does not answer any more after so many turns.
const STOPS: &str = "import sys, time
turns = 0
for line in sys.stdin:
    if line == '\\n':
        if turns == 50:
            time.sleep(600)
        print('a turn', file=sys.stderr)
        print('ROTATE 1', flush=True)
        turns += 1
";
const STOPS_AFTER: usize = 50;

fn agon(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1");
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command
}

fn run(folder: &TempDir, args: &[&str]) -> Output {
    agon(folder, args).output().unwrap()
}

#[track_caller]
fn succeed(folder: &TempDir, args: &[&str]) -> String {
    let output = run(folder, args);
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{args:?}: {out}{err}");
    out
}

fn read(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Plays the bot that fails, with a replay and a log. Returns the summary.
fn play_failing(folder: &TempDir) -> String {
    fs::write(folder.path().join("fails.py"), FAILS).unwrap();
    let bots = ["fox=python3 fails.py", "builtin:random", "--time", "60000"];
    succeed(
        folder,
        &[&["play", "cluster"][..], &bots, &["--seed", "1", "--replay", "m.agon", "--log", "log"]]
            .concat(),
    )
}

#[test]
fn the_summary_names_the_reason() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    let text = play_failing(&folder);
    let lines: Vec<&str> = text.lines().skip_while(|line| *line != "faults").collect();
    let starts = [
        "faults",
        "  fox crashed",
        "    step 4: its process ended before it answered",
        "    ended:       exit status 1",
        "    used:        ",
        "    last input:  …",
        "    last output: ROTATE 1\\n",
        "    stderr:      turn 1",
    ];
    for (line, start) in lines.iter().zip(starts) {
        assert!(line.starts_with(start), "{text}");
    }
    assert!(lines[4].contains(" of CPU time in ") && lines[4].contains("MiB"), "{text}");
    assert!(lines.contains(&"                 IndexError: list index out of range"), "{text}");
}

#[test]
fn the_log_holds_all_of_it() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    play_failing(&folder);
    let turns = read(&folder, "log/1-fox/turns.csv");
    let rows: Vec<Vec<&str>> = turns.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "step,turn,decisions,cpu_us,wall_us,stderr_bytes,faults");
    let picked: Vec<_> = rows[1..].iter().map(|row| [row[0], row[1], row[2], row[6]]).collect();
    assert_eq!(picked, [["0", "0", "1", "0"], ["2", "2", "1", "0"], ["4", "4", "1", "1"]]);
    for row in &rows[1..] {
        let number = |at: usize| row[at].parse::<u64>().unwrap_or_else(|_| panic!("{row:?}"));
        assert!(number(4) > 0 && number(3) < 60_000_000 && number(5) >= 7, "{row:?}");
    }
    let stderr = read(&folder, "log/1-fox/stderr.txt");
    let begin = "== step 0, turn 0, 7 bytes\nturn 1\n== step 2, turn 2, 7 bytes\nturn 2\n== step \
        4, turn 4, ";
    assert!(
        stderr.starts_with(begin) && stderr.ends_with("IndexError: list index out of range\n"),
        "{stderr}"
    );
    let fault = json(&read(&folder, "log/1-fox/faults.jsonl"));
    assert_eq!((&fault["kind"], &fault["evidence"]["exit_status"]), (&"crash".into(), &1.into()));
    let bot = json(&read(&folder, "log/1-fox/bot.json"));
    assert_eq!((&bot["totals"]["exit_status"], &bot["totals"]["answers"]), (&1.into(), &3.into()));
    assert_eq!((&bot["faults"]["crash"], &bot["standing"]["place"]), (&1.into(), &2.into()));
    let about = json(&read(&folder, "log/match.json"));
    assert_eq!((&about["game"], &about["players"][1]), (&"cluster".into(), &"random".into()));
    assert_eq!(about["result"]["players"][0]["totals"], bot["totals"]);
    // A bot without a process has no turns to tell of.
    let names = |path: &str| {
        let entries = fs::read_dir(folder.path().join(path)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names("log"), ["1-fox", "2-random", "match.json"]);
    assert_eq!((names("log/1-fox").len(), names("log/2-random")), (4, vec!["bot.json".to_owned()]));
}

#[test]
fn a_log_is_never_written_over() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    play_failing(&folder);
    let before = read(&folder, "log/match.json");
    let again = run(&folder, &["play", "cluster", "--seed", "2", "--log", "log"]);
    let error = String::from_utf8(again.stderr).unwrap();
    assert_eq!(again.status.code(), Some(2));
    assert!(
        error.contains("log is not empty; name a new folder for --log, or delete it first"),
        "{error}"
    );
    assert_eq!(read(&folder, "log/match.json"), before);
    fs::write(folder.path().join("file"), "").unwrap();
    let file = run(&folder, &["play", "cluster", "--seed", "2", "--log", "file"]);
    assert_eq!(file.status.code(), Some(2));
}

#[test]
fn classic_commands_write_logs_too() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("talks.py"), TALKS).unwrap();
    succeed(
        &folder,
        &["cluster", "python3 talks.py", "builtin:random", "--seed", "1", "--log", "deep/log"],
    );
    assert!(
        read(&folder, "deep/log/1-talks/stderr.txt")
            .starts_with("== step 0, turn 0, 7 bytes\na turn\n")
    );
    assert!(json(&read(&folder, "deep/log/match.json"))["result"].is_object());
}

#[test]
fn a_killed_arena_leaves_a_log_up_to_there() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("talks.py"), TALKS).unwrap();
    fs::write(folder.path().join("stops.py"), STOPS).unwrap();
    let bots = ["a=python3 talks.py", "b=python3 stops.py", "--no-clock"];
    let args = [&["play", "cluster"][..], &bots, &["--seed", "1", "--log", "log"]].concat();
    let mut child = agon(&folder, &args).spawn().unwrap();
    let begun = Instant::now();
    let rows = || {
        fs::read_to_string(folder.path().join("log/2-b/turns.csv"))
            .unwrap_or_default()
            .lines()
            .count()
    };
    // A line for the names of the columns.
    while rows() < 1 + STOPS_AFTER {
        assert!(begun.elapsed() < Duration::from_secs(120), "the log does not grow");
        assert!(child.try_wait().unwrap().is_none(), "the match is over before it can be killed");
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for bot in ["1-a", "2-b"] {
        let turns = read(&folder, &format!("log/{bot}/turns.csv"));
        let rows = turns.lines().count() - 1;
        let talks = read(&folder, &format!("log/{bot}/stderr.txt"));
        assert!(
            turns.ends_with('\n') && turns.lines().all(|line| line.split(',').count() == 7),
            "{turns}"
        );
        // The arena may have been killed between the two files.
        let told = talks.lines().filter(|line| *line == "a turn").count();
        assert!(told == rows || told + 1 == rows, "{told} turns are told of {rows}");
        assert_eq!(json(&read(&folder, &format!("log/{bot}/bot.json")))["totals"], Value::Null);
    }
    assert_eq!(json(&read(&folder, "log/match.json"))["result"], Value::Null);
}

#[test]
fn a_replay_tells_all_of_a_bot() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    play_failing(&folder);
    let text = succeed(&folder, &["replay", "info", "m.agon", "--bot", "fox"]);
    for part in [
        "fox · cluster, player 0 · place 2, score 0, out\npython3 fails.py ",
        " ended     exit status 1\n memory    at most ",
        " asked     3 answers with 3 decisions\n CPU time  ",
        " slowest: step  decisions  CPU time  wall time\n",
        "\n1 fault\n  crashed\n    step 4: its process ended before it answered\n    ended:       \
         exit status 1\n",
        "\n  step 0\n    turn 1\n  step 2\n    turn 2\n  step 4\n    turn 3\n    Traceback",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let bot = json(&succeed(&folder, &["replay", "info", "m.agon", "--bot", "fox", "--json"]));
    assert_eq!(bot["type"], "bot");
    assert_eq!(
        bot["data"]["record"]["totals"],
        json(&read(&folder, "log/1-fox/bot.json"))["totals"]
    );
    assert_eq!(bot["data"]["record"]["stderr"]["first"][0]["text"], "turn 1\n");
    assert_eq!(bot["data"]["faults"][0]["evidence"]["exit_status"], 1);
    let other = json(&succeed(&folder, &["replay", "info", "m.agon", "--bot", "random", "--json"]));
    assert_eq!(
        (&other["data"]["record"], &other["data"]["fault_count"]),
        (&Value::Null, &0.into())
    );
    let builtin = succeed(&folder, &["replay", "info", "m.agon", "--bot", "random"]);
    assert!(builtin.contains("a built-in bot has no process\n\nno faults\n"), "{builtin}");
    let unknown = run(&folder, &["replay", "info", "m.agon", "--bot", "foxx"]);
    let error = String::from_utf8(unknown.stderr).unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        error.contains("m.agon: no bot `foxx` played this match; did you mean `fox`?"),
        "{error}"
    );
    assert!(succeed(&folder, &["replay", "verify", "m.agon"]).contains("proven"));
}

#[test]
fn long_talk_is_shortened_unless_all_is_wanted() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("talks.py"), TALKS.replace("'a turn'", "'a turn\\n' * 9"))
        .unwrap();
    let bots = ["python3 talks.py", "builtin:random"];
    succeed(
        &folder,
        &[&["play", "cluster"][..], &bots, &["--seed", "1", "--replay", "m.agon"]].concat(),
    );
    let info = ["replay", "info", "m.agon", "--bot", "talks"];
    let short = succeed(&folder, &info);
    let all = succeed(&folder, &[&info[..], &["--stderr"]].concat());
    let lines = |text: &str| text.lines().filter(|line| *line == "    a turn").count();
    assert!(
        lines(&all) > 90 && (20..40).contains(&lines(&short)),
        "{} and {}",
        lines(&all),
        lines(&short)
    );
    assert!(short.contains(" more; --stderr shows all …") && !all.contains("--stderr"), "{short}");
}

/// Nothing in it depends on time or place: the same bytes each time, and nothing about processes.
#[test]
fn replays_of_built_in_bots_are_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    for name in ["one.agon", "two.agon"] {
        succeed(
            &folder,
            &[
                "play",
                "cluster",
                "builtin:greedy",
                "builtin:random",
                "--seed",
                "1",
                "--replay",
                name,
            ],
        );
    }
    let [one, two] =
        ["one.agon", "two.agon"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert_eq!(one, two);
    let result = succeed(
        &folder,
        &["play", "cluster", "builtin:greedy", "builtin:random", "--seed", "1", "--json"],
    );
    assert!(!result.contains("totals"), "{result}");
}

#[test]
fn crashes_of_native_code_are_told_with_the_signal() {
    let folder = TempDir::new().unwrap();
    let source = "uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)
        { volatile int zero = 0; return 100 / zero; }";
    fs::write(folder.path().join("divides.c"), source).unwrap();
    let small = [
        "--set",
        "width=20",
        "--set",
        "height=20",
        "--turns",
        "6",
        "--seed",
        "1",
        "--replay",
        "m.agon",
    ];
    let text = succeed(
        &folder,
        &[&["play", "cellhack", "divides.c", "builtin:hunter"][..], &small].concat(),
    );
    for part in [
        "  divides crashed, 4 times\n",
        "    ended:      SIGFPE (arithmetic error, such as a division by zero)\n",
        "    last input: step 0: a decision for unit ",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let info = succeed(&folder, &["replay", "info", "m.agon", "--bot", "divides"]);
    assert!(
        info.contains(
            "SIGFPE (arithmetic error, such as a division by zero); 4 processes were started"
        ),
        "{info}"
    );
}

#[test]
fn diagnostics_are_for_those_who_want_them() {
    let folder = TempDir::new().unwrap();
    let bot = "./a\u{1b}[2J.sh";
    fs::write(folder.path().join(bot), "#!/bin/sh\nexec cat\n").unwrap();
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path().join(bot), executable).unwrap();
    let play = ["play", "cluster", bot, "builtin:random", "--turns", "2"];
    let stderr = |args: &[&str], filter: &str| {
        let output = agon(&folder, &[&play[..], args].concat()).env("AGON_LOG", filter).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, quiet) = stderr(&[], "");
    assert!(code == Some(0) && !quiet.contains("DEBUG"), "{quiet}");
    for (args, filter) in [(&["--verbose"][..], ""), (&[], "debug")] {
        let (code, text) = stderr(args, filter);
        for part in [
            "DEBUG agon_match::referee: begins game=\"cluster\"",
            "DEBUG agon_bots::process: starts a program program=",
            "DEBUG agon_match::referee: ends game=\"cluster\" end=Over",
        ] {
            assert!(code == Some(0) && text.contains(part), "{part:?} is not in {text}");
        }
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    let (_, some) = stderr(&["--verbose"], "agon_match=debug");
    assert!(some.contains("agon_match") && !some.contains("agon_bots"), "{some}");
    let (code, error) = stderr(&[], "agon_bots=loud");
    assert!(code == Some(2) && error.contains("AGON_LOG=agon_bots=loud: expected"), "{error}");
}
