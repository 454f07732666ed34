//! Time limits and banks: each bot's time ends with its own answer, even if the arena waits for
//! others, and the wall limit is for bots that do not use the CPU they could have.

use std::process::{Child, Command};
use std::thread;

use agon_testkit::{needs, slow};
use serde_json::{Value, json};

use crate::support::{TestDir, until};

fn jsonl(manner: &str, ms: u64) -> String {
    format!("'jsonl:python3 BOTS/thinks.py uniform {manner} {ms}'")
}

fn rezzo(manner: &str, ms: u64) -> String {
    format!("'python3 BOTS/thinks.py rezzo {manner} {ms}'")
}

/// A runner: the name of the file comes last.
fn runner(dir: &TestDir, manner: &str, ms: u64) -> String {
    let script = dir.write("thinks.py", include_str!("bots/thinks.py"));
    let text = match manner {
        // Without Python, which takes long to start.
        "sleep" => format!("sleep {ms}e-3; echo '{{\"moves\": [], \"blob\": {{}}}}' > \"$1\"\n"),
        _ => format!("exec python3 {} \"$1\" {manner} {ms}\n", script.display()),
    };
    let name = format!("runner-{manner}-{ms}");
    dir.write(&name, text);
    format!("'sh {name}'")
}

/// A library with a cell.
fn cell(dir: &TestDir, sleep: u64, work: u64) -> String {
    let name = format!("./cell-{sleep}-{work}.so");
    let mut command = Command::new("cc");
    command.args(["-shared", "-fPIC", &format!("-DSLEEP={sleep}"), &format!("-DWORK={work}")]);
    command.arg("-o").arg(dir.path(&name));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/thinks.c");
    assert!(command.arg(source).status().unwrap().success());
    name
}

/// Plays, and returns the result.
#[track_caller]
fn play(dir: &TestDir, line: &str) -> Value {
    dir.run(&format!("play {line} --json --seed 1")).data("result")
}

/// Programs that run until this is dropped.
struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It may have ended.
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// How long the first one sleeps, and the others.
const SLOW: u64 = 1200;
const QUICK: u64 = 20;

/// A slow first one is waited for, and the others have their own times.
#[track_caller]
fn check(dir: &TestDir, game: &str, bots: &[&str], flags: &str) {
    let result = play(dir, &format!("{game} {} --turns 3 {flags}", bots.join(" ")));
    assert_eq!(result["faults"], json!([]), "{result:#}");
    let median = |player: usize| {
        let spread = &result["players"][player]["totals"]["wall_per_answer"];
        spread["median_ns"].as_u64().unwrap_or_else(|| panic!("{result:#}")) / 1_000_000
    };
    // It may begin to sleep a moment before the arena, which waits for a core, begins to measure.
    assert!(median(0) >= SLOW * 3 / 4, "{result:#}");
    for (player, bot) in bots.iter().enumerate().skip(1) {
        let time = median(player);
        assert!((QUICK..SLOW * 3 / 4).contains(&time), "{game}, {bot}: {time} ms");
    }
}

#[test]
fn whoever_is_quick_has_a_clock_of_its_own_behind_a_slow_first_one() {
    slow!();
    let dir = TestDir::new();
    let [slow, quick] = [SLOW, QUICK].map(|ms| jsonl("sleep", ms));
    check(&dir, "binfection", &[&slow, &runner(&dir, "sleep", QUICK), &quick], "");
    check(&dir, "rezzo", &[&slow, &rezzo("sleep", QUICK), &quick], "--time 60000");
    let [slow_cell, quick_cell] = [SLOW, QUICK].map(|ms| cell(&dir, ms, 0));
    check(&dir, "cellhack", &[&slow_cell, &quick_cell, &quick], "");
    let socket = dir.path("socket");
    let mut peer = Command::new("python3");
    peer.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots/thinks.py"));
    peer.args(["uniform", "sleep", &QUICK.to_string()]).arg(&socket);
    let _running = Running(vec![peer.spawn().unwrap()]);
    until("a peer", || socket.exists());
    let bots = [&runner(&dir, "sleep", SLOW), "connect:./socket", &quick];
    check(&dir, "binfection", &bots, "");
}

#[test]
fn single_bots_have_limits_of_their_own() {
    let dir = TestDir::new();
    let bots = format!("slow={0} late={0}", jsonl("work", 400));
    let timeouts = |flags: &str| {
        let result = play(&dir, &format!("cluster {bots} {flags}"));
        [0, 1].map(|player| {
            let faults = result["faults"].as_array().unwrap().iter();
            faults.filter(|fault| fault["player"] == player && fault["kind"] == "timeout").count()
        })
    };
    let [own, general] = timeouts("--turns 6 --time 150 --bank 0 --bot-time slow=9000");
    assert!(own == 0 && general > 0, "{own} and {general}");
    let own_start = timeouts("--turns 2 --time 2 --start-up 2 --bot-start-up slow=9000");
    assert_eq!(own_start, [0, 1]);
    assert_eq!(timeouts("--turns 2 --time 2"), [0, 0]);
    dir.refuses(
        "play cluster hunter=builtin:random builtin:greedy --bot-time huntr=5",
        ["no bot has the name `huntr`; did you mean `hunter`?"],
    );
}

#[test]
fn whoever_takes_too_long_behind_a_slow_first_one_is_late_as_it_is_alone() {
    slow!();
    let dir = TestDir::new();
    // The first one sleeps for less than three times the limit, and the other one is done by then.
    let slow = jsonl("sleep", 1000);
    let work = 800;
    for (game, bot) in [
        ("binfection", jsonl("work", work)),
        ("binfection", runner(&dir, "work", work)),
        ("rezzo", jsonl("work", work)),
        ("rezzo", rezzo("work", work)),
        ("cellhack", jsonl("work", work)),
        ("cellhack", cell(&dir, 0, work)),
    ] {
        // The faults, without what is measured.
        let faults = |first: &str| {
            let result = play(&dir, &format!("{game} {first} {bot} --turns 2 --time 400"));
            let facts = |fault: &Value| ["player", "kind", "step"].map(|key| fault[key].clone());
            result["faults"].as_array().unwrap().iter().map(facts).collect::<Vec<_>>()
        };
        let alone = faults("builtin:random");
        assert!(
            alone.iter().any(|[player, kind, _]| kind == "timeout" && player == 1),
            "{alone:?}"
        );
        assert_eq!(faults(&slow), alone, "{game}, {bot}");
    }
}

#[test]
fn a_bank_that_is_used_up_is_told() {
    slow!();
    let dir = TestDir::new();
    // Each answer draws 500 ms at least, the first one more, for the start of Python. The third
    // answer is never paid for. On a busy machine the start may leave too little for the second.
    let program = "cluster 'python3 BOTS/cluster.py near-limit' builtin:random --set side=6 \
                   --time 200 --bank 1490";
    let result = play(&dir, program);
    let fault = &result["faults"][0];
    assert_eq!(fault["kind"], "timeout", "{result:#}");
    assert!([2, 4].contains(&fault["step"].as_u64().unwrap()), "{result:#}");
    let detail = fault["detail"].as_str().unwrap();
    assert!(detail.contains("the limit is 200 ms, and 1490 of 1490 ms of the bank"), "{detail}");
    assert!(detail.contains("ms of CPU time in"), "{detail}");

    // A cell that sleeps: each answer is 1 s beyond the wall limit of 3 times 300 ms.
    let bots = format!("builtin:random {}", cell(&dir, 2000, 0));
    let result = play(&dir, &format!("cellhack {bots} --time 300 --bank 2500 --turns 9"));
    let fault = &result["faults"][0];
    assert_eq!((&fault["kind"], &fault["step"]), (&"timeout".into(), &2.into()), "{result:#}");
    let detail = fault["detail"].as_str().unwrap();
    assert!(detail.contains("and 900 ms for a bot that waits for something"), "{detail}");
    assert!(detail.contains("2500 of 2500 ms of the bank are used"), "{detail}");
}

#[test]
fn a_steady_tick_has_no_bank() {
    let line = "rezzo --bank 100 builtin:random builtin:random";
    TestDir::new().refuses(line, ["--bank: a steady tick waits for nobody"]);
}

// One after the other: what starts in the background at the same time can hold locks that the other
// needs.
#[test]
fn a_bot_that_gets_no_core_has_time_and_one_that_sleeps_has_not() {
    needs!("python3");
    let dir = TestDir::new();
    let faults = |mode: &str| {
        let bot = format!("cluster 'python3 BOTS/cluster.py {mode}' builtin:random");
        play(&dir, &format!("{bot} --set side=5 --turns 1 --time 500"))["faults"].clone()
    };
    assert_eq!(faults("sleeps")[0]["kind"], "timeout");

    // Programs that keep all cores busy; they also end when this program does.
    let script = "while kill -0 $0 2> /dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); \
                  done; done";
    let own = std::process::id().to_string();
    let busy = |_| Command::new("sh").args(["-c", script, &own]).spawn().unwrap();
    let cores = thread::available_parallelism().unwrap().get();
    let busy = Running((0..4 * cores).map(busy).collect());
    // Bots are less urgent than other programs: beside these it gets a fortieth of a core or less.
    let found = faults("thinks");
    drop(busy);
    assert_eq!(found, json!([]));
}
