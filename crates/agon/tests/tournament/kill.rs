//! `kill -9` at any moment.

use std::{thread, time::Duration};

use agon_core::{Purpose, Seed};

use super::test_dir::TestDir;

const PLAN: &str = r#"
game = "cluster"
seed = 9
matches = MATCHES
bots = [BOTS]

[settings]
side = 3

[format]
kind = "round-robin"
"#;

fn plan(bots: &str, matches: u32) -> TestDir {
    TestDir::with_plan(&PLAN.replace("BOTS", bots).replace("MATCHES", &matches.to_string()))
}

/// Kills a tournament again and again and lets it end; how often it was killed.
#[track_caller]
fn check(dir: &TestDir, kills: usize, pause: u64) -> usize {
    let (table, _) = dir.succeed(&["plan.toml", "--out", "whole"]);
    let mut rng = Seed(5).stream(Purpose::Setup, 0);
    let mut killed = 0;
    let begin = ["plan.toml", "--out", "parts"];
    while killed < kills {
        let go_on = dir.path("parts/plan.json").exists();
        let args = if go_on { &["resume", "parts"][..] } else { &begin };
        let mut run = dir.agon(args).spawn().unwrap();
        // A little after it has begun to play, or before.
        dir.wait_for("parts", dir.records("parts") + rng.below(3) as usize, &mut run);
        thread::sleep(Duration::from_micros(rng.below(pause * 1000)));
        run.kill().unwrap();
        let output = run.wait_with_output().unwrap();
        assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
        if output.status.success() {
            break;
        }
        killed += 1;
    }
    let (again, _) = dir.succeed(&["resume", "parts"]);
    assert_eq!(again, table);
    assert_eq!(dir.results("parts"), dir.results("whole"));
    killed
}

#[test]
fn a_hundred_times_nothing_is_lost() {
    agon_testkit::slow!();
    let dir = plan(r#""builtin:random", "builtin:greedy", "builtin:random?rotate=50""#, 4000);
    assert_eq!(check(&dir, 100, 15), 100, "the tournament is too short");
}

#[test]
fn programs_neither() {
    agon_testkit::slow!();
    // Whoever answers before having read all, or ends by itself, makes another fault at times.
    let script = "import sys\nfor line in sys.stdin:\n    if line == '\\n':\n        break\n\
        print('x', flush=True)\nsys.stdin.read()\n";
    let dir = plan(r#""builtin:random", "python3 fox.py""#, 60);
    dir.write("fox.py", script);
    assert_eq!(check(&dir, 10, 100), 10, "the tournament is too short");
    assert!(!dir.is_running("fox.py"));
}
