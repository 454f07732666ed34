//! Every kind of fault shows its evidence: in the summary of the match, in its log, and in its
//! replay.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A bot that does one thing wrong when it is asked for the first time.
struct Bad {
    /// The kind of its fault.
    kind: &'static str,
    /// A shell script, after it has read its first question.
    script: &'static str,
    /// What the fault's evidence must hold, by field.
    field: &'static str,
    /// What the summary must say.
    words: &'static str,
}

const fn bad(
    kind: &'static str,
    script: &'static str,
    field: &'static str,
    words: &'static str,
) -> Bad {
    Bad { kind, script, field, words }
}

/// Reads a question of cluster, up to an empty line.
const READ: &str = "while read line && [ -n \"$line\" ]; do :; done;";

const ALL: [Bad; 10] = [
    bad("start", "", "stderr_tail", "cannot be started"),
    bad("timeout", "echo thinking >&2; sleep 1000", "stderr_tail", "the limit is 200 ms"),
    bad("crash", "echo oops >&2; exit 3", "exit_status", "exit status 3"),
    bad("crash", "kill -SEGV $$", "signal", "segmentation fault"),
    bad("closed", "exec >&-; sleep 1000", "last_input", "closed its standard output"),
    bad("garbage", "echo nonsense; sleep 1000", "last_output", "nonsense"),
    bad("illegal", "echo PLACE 99 0; sleep 1000", "last_output", "PLACE 99 0"),
    bad("flood", "exec tr '\\0' x </dev/zero", "last_output", "xxxx"),
    bad("early", "", "last_output", "ROTATE 1"),
    bad(
        "memory",
        // Each of four processes has less than the limit.
        "exec python3 -c 'import os, time; os.fork(); os.fork(); m = b\"x\" * (40 << 20); \
         time.sleep(100)'",
        "peak_memory",
        "the limit is 64 MiB",
    ),
];

fn agon(args: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).env("NO_COLOR", "1").stdin(Stdio::null()).output().unwrap()
}

#[test]
fn every_kind_of_fault_shows_its_evidence_everywhere() {
    agon_testkit::needs!("python3");
    for Bad { kind, script, field, words } in ALL {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let script = match kind {
            "start" => "#!/no/such/interpreter\n".to_owned(),
            "early" => "#!/bin/sh\necho ROTATE 1; sleep 1000\n".to_owned(),
            _ => format!("#!/bin/sh\n{READ} {script}\n"),
        };
        fs::write(path("bot"), script).unwrap();
        assert!(Command::new("chmod").args(["+x", &path("bot")]).status().unwrap().success());
        let bot = format!("fox={}", path("bot"));
        let log = path("log");
        let replay = path("match.agon");
        // Memory that is not the process's own is only counted, and it takes a while to fill it.
        let time = if kind == "memory" { "60000" } else { "200" };
        let args =
            ["play", "cluster", &bot, "builtin:random", "--set", "side=4", "--bot-memory", "64"];
        let output =
            agon(&[&args[..], &["--time", time, "--log", &log, "--replay", &replay]].concat());
        let summary = String::from_utf8(output.stdout).unwrap();
        assert!(summary.contains(words), "{kind}: {words} is missing in: {summary}");

        let logged = fs::read_to_string(format!("{log}/1-fox/faults.jsonl")).unwrap();
        let logged: Value = serde_json::from_str(logged.lines().next().unwrap()).unwrap();
        let info = agon(&["replay", "info", &replay, "--bot", "fox", "--json"]).stdout;
        let info = String::from_utf8(info).unwrap();
        let recorded: Value = serde_json::from_str(info.lines().next().unwrap()).unwrap();
        let recorded = &recorded["data"]["faults"][0];
        for fault in [&logged, recorded] {
            assert_eq!(fault["kind"], kind, "{fault:#}");
            let shown = &fault["evidence"][field];
            let is_there = kind == "start" || !(shown.is_null() || shown == "");
            assert!(is_there, "{kind}: {field} is missing in: {fault:#}");
        }
    }
}
