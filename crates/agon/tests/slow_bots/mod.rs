//! Bots that are slow, on the command line: who a match waits for, and `--strikes` for bots of
//! every kind.

mod strikes;
mod waiting;

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

/// A program for JSON Lines in `cellhack` or `rezzo` that answers some questions.
///
/// Its arguments: how many it answers, what it does then (`loop`, `sleep`, or a number of seconds
/// for each further answer), and the port file of one that listens.
pub(crate) const JSONL: &str = r#"
import json, socket, sys, time

answered, then, game = int(sys.argv[1]), sys.argv[2], None
source, out = sys.stdin, sys.stdout
if len(sys.argv) > 3:
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[3])
    server.listen()
    connection = server.accept()[0]
    source, out = connection.makefile("r"), connection.makefile("w")
for line in source:
    message = json.loads(line)
    game = message.get("game", None) or game
    if message["type"] != "decide":
        continue
    if answered == 0:
        while then == "loop":
            pass
        time.sleep(1000 if then == "sleep" else float(then))
    answered = max(answered - 1, 0)
    answers = [{"action": "NOP" if game == "rezzo" else "NOTHING"} for _ in message["decisions"]]
    print(json.dumps({"step": message["step"], "answers": answers}), file=out, flush=True)
"#;

/// A folder with the program above.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("slow.py"), JSONL).unwrap();
    folder
}

/// Runs `agon` in a folder.
fn agon(folder: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.output().unwrap()
}

/// Plays with `--json`; returns the result, and what was said on stderr.
#[track_caller]
fn play(folder: &TempDir, args: &[&str]) -> (Value, String) {
    let output = agon(folder, &[&["play", "--json", "--seed", "1"][..], args].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let last = text.lines().last().unwrap_or_default();
    let result: Value = serde_json::from_str(last).unwrap_or_default();
    assert_eq!(result["type"], "result", "{args:?}: {text}{said}");
    (result["data"].clone(), said)
}
