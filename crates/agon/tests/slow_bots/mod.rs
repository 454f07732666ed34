//! Bots that are slow, on the command line: who a match waits for, and `--strikes` for bots of
//! every kind.

mod strikes;
mod waiting;

use serde_json::Value;

use crate::support::{Done, TestDir};

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
fn dir() -> TestDir {
    let dir = TestDir::new();
    dir.write("slow.py", JSONL);
    dir
}

/// Plays with `--json`; returns the result, and what was printed.
#[track_caller]
fn play(dir: &TestDir, line: &str) -> (Value, Done) {
    let done = dir.run(&format!("play {line} --json --seed 1"));
    (done.data("result"), done)
}
