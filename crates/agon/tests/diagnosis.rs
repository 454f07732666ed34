//! Each loss has a reason: the summary after a match, `--log DIR`,
//! `agon replay info FILE --bot NAME`; and diagnostics for those who want them.

use std::fs;

use agon_testkit::needs;
use serde_json::Value;

use crate::support::{Done, TestDir, names, until};

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

/// The same, but it does not answer any more after so many turns, if it is told how many.
const TALKS: &str = "import sys, time
turns = 0
for line in sys.stdin:
    if line == '\\n':
        if str(turns) in sys.argv:
            time.sleep(600)
        print('a turn', file=sys.stderr)
        print('ROTATE 1', flush=True)
        turns += 1
";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Plays the bot that fails, with a replay and a log. Returns the summary.
fn play_failing(dir: &TestDir) -> Done {
    dir.write("fails.py", FAILS);
    let bots = "'fox=python3 fails.py' builtin:random --time 60000";
    dir.ok(&format!("play cluster {bots} --seed 1 --replay m.agon --log log"))
}

#[test]
fn a_crash_is_told_in_the_summary_the_log_and_the_replay() {
    needs!("python3");
    let dir = TestDir::new();
    let text = play_failing(&dir).out;
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

    let turns = dir.read("log/1-fox/turns.csv");
    let rows: Vec<Vec<&str>> = turns.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0].join(","), "step,turn,decisions,cpu_us,wall_us,stderr_bytes,faults");
    let picked: Vec<_> = rows[1..].iter().map(|row| [row[0], row[1], row[2], row[6]]).collect();
    assert_eq!(picked, [["0", "0", "1", "0"], ["2", "2", "1", "0"], ["4", "4", "1", "1"]]);
    for row in &rows[1..] {
        let number = |at: usize| row[at].parse::<u64>().unwrap_or_else(|_| panic!("{row:?}"));
        assert!(number(4) > 0 && number(3) < 60_000_000 && number(5) >= 7, "{row:?}");
    }
    let stderr = dir.read("log/1-fox/stderr.txt");
    let begin = "== step 0, turn 0, 7 bytes\nturn 1\n== step 2, turn 2, 7 bytes\nturn 2\n== step \
        4, turn 4, ";
    assert!(stderr.starts_with(begin), "{stderr}");
    assert!(stderr.ends_with("IndexError: list index out of range\n"), "{stderr}");
    let fault = json(&dir.read("log/1-fox/faults.jsonl"));
    assert_eq!((&fault["kind"], &fault["evidence"]["exit_status"]), (&"crash".into(), &1.into()));
    let bot = json(&dir.read("log/1-fox/bot.json"));
    assert_eq!((&bot["totals"]["exit_status"], &bot["totals"]["answers"]), (&1.into(), &3.into()));
    assert_eq!((&bot["faults"]["crash"], &bot["standing"]["place"]), (&1.into(), &2.into()));
    let about = json(&dir.read("log/match.json"));
    assert_eq!((&about["game"], &about["players"][1]), (&"cluster".into(), &"random".into()));
    assert_eq!(about["result"]["players"][0]["totals"], bot["totals"]);
    // A bot without a process has no turns to tell of.
    assert_eq!(names(dir.path("log")), ["1-fox", "2-random", "match.json"]);
    assert_eq!(names(dir.path("log/1-fox")).len(), 4);
    assert_eq!(names(dir.path("log/2-random")), ["bot.json"]);
    // A log is never written over.
    dir.refuses(
        "play cluster --seed 2 --log log",
        ["log is not empty; name a new folder for --log, or delete"],
    );
    assert_eq!(json(&dir.read("log/match.json")), about);
    dir.fails("play cluster --seed 2 --log m.agon");

    let info = dir.ok("replay info m.agon --bot fox");
    for part in [
        "fox · cluster, player 0 · place 2, score 0, out\npython3 fails.py ",
        " ended     exit status 1\n memory    at most ",
        " asked     3 answers with 3 decisions\n CPU time  ",
        " slowest: step  decisions  CPU time  wall time\n",
        "\n1 fault\n  crashed\n    step 4: its process ended before it answered\n    ended:       \
         exit status 1\n",
        "\n  step 0\n    turn 1\n  step 2\n    turn 2\n  step 4\n    turn 3\n    Traceback",
    ] {
        info.says(part);
    }
    let recorded = dir.ok("replay info m.agon --bot fox --json").data("bot");
    assert_eq!(recorded["record"]["totals"], bot["totals"]);
    assert_eq!(recorded["record"]["stderr"]["first"][0]["text"], "turn 1\n");
    assert_eq!(recorded["faults"][0]["evidence"]["exit_status"], 1);
    let other = dir.ok("replay info m.agon --bot random --json").data("bot");
    assert_eq!((&other["record"], &other["fault_count"]), (&Value::Null, &0.into()));
    let builtin = dir.ok("replay info m.agon --bot random");
    builtin.says("a built-in bot has no process\n\nno faults\n");
    dir.refuses(
        "replay info m.agon --bot foxx",
        ["no bot `foxx` played this match; did you mean `fox`?"],
    );
    dir.ok("replay verify m.agon").says("proven");
}

#[test]
fn classic_commands_write_logs_too() {
    needs!("python3");
    let dir = TestDir::new();
    dir.write("talks.py", TALKS);
    dir.ok("cluster 'python3 talks.py' builtin:random --seed 1 --log deep/log");
    let said = dir.read("deep/log/1-talks/stderr.txt");
    assert!(said.starts_with("== step 0, turn 0, 7 bytes\na turn\n"), "{said}");
    assert!(json(&dir.read("deep/log/match.json"))["result"].is_object());
}

#[test]
fn a_killed_arena_leaves_a_log_up_to_there() {
    needs!("python3");
    let dir = TestDir::new();
    dir.write("talks.py", TALKS);
    let bots = "'a=python3 talks.py' 'b=python3 talks.py 50' --no-clock";
    let mut child = dir.start(&format!("play cluster {bots} --seed 1 --log log"));
    let text = || fs::read_to_string(dir.path("log/2-b/turns.csv")).unwrap_or_default();
    // A line for the names of the columns.
    until("a log of fifty turns", || text().lines().count() > 50);
    child.kill().unwrap();
    child.wait().unwrap();
    for bot in ["1-a", "2-b"] {
        let turns = dir.read(&format!("log/{bot}/turns.csv"));
        let rows = turns.lines().count() - 1;
        let is_whole = turns.lines().all(|line| line.split(',').count() == 7);
        assert!(turns.ends_with('\n') && is_whole, "{turns}");
        // The arena may have been killed between the two files.
        let talks = dir.read(&format!("log/{bot}/stderr.txt"));
        let told = talks.lines().filter(|line| *line == "a turn").count();
        assert!(told == rows || told + 1 == rows, "{told} turns are told of {rows}");
        assert_eq!(json(&dir.read(&format!("log/{bot}/bot.json")))["totals"], Value::Null);
    }
    assert_eq!(json(&dir.read("log/match.json"))["result"], Value::Null);
}

#[test]
fn long_talk_is_shortened_unless_all_is_wanted() {
    needs!("python3");
    let dir = TestDir::new();
    dir.write("talks.py", TALKS.replace("'a turn'", "'a turn\\n' * 9"));
    dir.ok("play cluster 'python3 talks.py' builtin:random --seed 1 --replay m.agon");
    let short = dir.ok("replay info m.agon --bot talks");
    let all = dir.ok("replay info m.agon --bot talks --stderr");
    let lines = |of: &Done| of.out.lines().filter(|line| *line == "    a turn").count();
    assert!(lines(&all) > 90 && (20..40).contains(&lines(&short)), "{short:?}");
    short.says(" more; --stderr shows all …");
    all.hides("--stderr");
}

#[test]
fn crashes_of_native_code_are_told_with_the_signal() {
    let dir = TestDir::new();
    let source = "uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)
        { volatile int zero = 0; return 100 / zero; }";
    dir.write("divides.c", source);
    let small = "--set width=20 --set height=20 --turns 6 --seed 1 --replay m.agon";
    let done = dir.ok(&format!("play cellhack divides.c builtin:hunter {small}"));
    let signal = "SIGFPE (arithmetic error, such as a division by zero)";
    done.says("  divides crashed, 4 times\n").says(&format!("    ended:      {signal}\n"));
    done.says("    last input: step 0: a decision for unit ");
    let info = dir.ok("replay info m.agon --bot divides");
    info.says(&format!("{signal}; 4 processes were started"));
}

#[test]
fn diagnostics_are_for_those_who_want_them() {
    let dir = TestDir::new();
    dir.program("a\u{1b}[2J.sh", "#!/bin/sh\nexec cat\n");
    let play = "play cluster './a\u{1b}[2J.sh' builtin:random --turns 2";
    let run = |args: &str, filter: &str| {
        Done::of(dir.agon(&format!("{play} {args}")).env("AGON_LOG", filter))
    };
    assert_eq!(run("", "").hides("DEBUG").code, Some(0));
    for (args, filter) in [("--verbose", ""), ("", "debug")] {
        let done = run(args, filter);
        for part in [
            "DEBUG agon_match::referee: begins game=\"cluster\"",
            "DEBUG agon_bots::process: starts a program program=",
            "DEBUG agon_match::referee: ends game=\"cluster\" end=Over",
        ] {
            done.says(part);
        }
        assert_eq!(done.hides("\u{1b}").code, Some(0));
    }
    run("--verbose", "agon_match=debug").says("agon_match").hides("agon_bots");
    let refused = run("", "agon_bots=loud");
    assert_eq!(refused.says("AGON_LOG=agon_bots=loud: expected").code, Some(2));
}

/// Reads a question of cluster, up to an empty line.
const READ: &str = "while read line && [ -n \"$line\" ]; do :; done;";

/// Bots that do one thing wrong when they are asked for the first time: the kind of the fault, a
/// shell script, a field of the evidence that must be there, and what the summary must say.
const WRONG: [(&str, &str, &str, &str); 10] = [
    ("start", "", "stderr_tail", "cannot be started"),
    ("timeout", "echo thinking >&2; sleep 1000", "stderr_tail", "the limit is 200 ms"),
    ("crash", "echo oops >&2; exit 3", "exit_status", "exit status 3"),
    ("crash", "kill -SEGV $$", "signal", "segmentation fault"),
    ("closed", "exec >&-; sleep 1000", "last_input", "closed its standard output"),
    ("garbage", "echo nonsense; sleep 1000", "last_output", "nonsense"),
    ("illegal", "echo PLACE 99 0; sleep 1000", "last_output", "PLACE 99 0"),
    ("flood", "exec tr '\\0' x </dev/zero", "last_output", "xxxx"),
    ("early", "", "last_output", "ROTATE 1"),
    (
        "memory",
        // Each of four processes has less than the limit.
        "exec python3 -c 'import os, time; os.fork(); os.fork(); m = b\"x\" * (40 << 20); \
         time.sleep(100)'",
        "peak_memory",
        "the limit is 64 MiB",
    ),
];

#[test]
fn every_kind_of_fault_shows_its_evidence_everywhere() {
    needs!("python3");
    for (kind, script, field, words) in WRONG {
        let dir = TestDir::new();
        let script = match kind {
            "start" => "#!/no/such/interpreter\n".to_owned(),
            "early" => "#!/bin/sh\necho ROTATE 1; sleep 1000\n".to_owned(),
            _ => format!("#!/bin/sh\n{READ} {script}\n"),
        };
        dir.program("bot", script);
        // Memory that is not the process's own is only counted, and it takes a while to fill it.
        let time = if kind == "memory" { 60_000 } else { 200 };
        let play = "play cluster fox=./bot builtin:random --set side=4 --bot-memory 64";
        dir.run(&format!("{play} --time {time} --log log --replay m.agon")).says(words);

        let logged = dir.read("log/1-fox/faults.jsonl");
        let logged = json(logged.lines().next().unwrap());
        let recorded = dir.ok("replay info m.agon --bot fox --json").data("bot");
        for fault in [&logged, &recorded["faults"][0]] {
            assert_eq!(fault["kind"], kind, "{fault:#}");
            let shown = &fault["evidence"][field];
            let is_there = kind == "start" || !(shown.is_null() || shown == "");
            assert!(is_there, "{kind}: {field} is missing in: {fault:#}");
        }
    }
}
