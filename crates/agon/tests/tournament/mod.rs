//! Tournaments from the command line: their folder, bots that change or are gone, `kill -9` at any
//! moment, the example plans, and the queries of `docs/tournaments.md`.

mod absent;
mod folder;
mod identity;

use std::{fs, process::Command, thread, time::Duration};

use agon_core::{Purpose, Seed};
use rustix::process::Signal;

use crate::support::{TestDir, end_of, root, round_robin, signal};

/// Returns the text of an example bot for cluster.
fn example(name: &str) -> String {
    fs::read_to_string(root().join("examples/bots/cluster").join(name)).unwrap()
}

/// Plays a plan in one go, and again with an interruption after some matches.
#[track_caller]
fn check_example(name: &str, matches: usize, interrupted_after: usize) {
    let dir = TestDir::new();
    let plan = root().join("examples/tournaments").join(name).display().to_string();
    let whole = dir.ok(&format!("tournament {plan} --out whole"));
    assert_eq!(dir.records("whole"), matches);

    let mut run = dir.start(&format!("tournament {plan} --out parts --jobs 3"));
    dir.wait_for("parts", interrupted_after, &mut run);
    signal(&run, Signal::INT);
    let done = end_of(run);
    assert_eq!(done.code, Some(130), "{}", done.err);
    done.tells(["`agon tournament resume parts` continues"]);
    let before = dir.records("parts");
    assert!((interrupted_after..matches).contains(&before), "{before} of {matches}");

    let again = dir.ok("tournament resume parts --jobs 1");
    assert_eq!(again.out, whole.out, "{}", again.err);
    assert_eq!(dir.results("parts"), dir.results("whole"));
}

/// The example plans, interrupted and continued, end as if nothing had been.
mod examples {
    use super::check_example;

    #[test]
    fn round_robin() {
        agon_testkit::slow!();
        check_example("cluster-round-robin.toml", 132, 20);
    }

    #[test]
    fn swiss() {
        agon_testkit::slow!();
        check_example("cellhack-swiss.toml", 384, 70);
    }

    #[test]
    fn double_elimination() {
        agon_testkit::slow!();
        check_example("cluster-double-elimination.toml", 88, 10);
    }

    #[test]
    fn groups() {
        check_example("cellhack-groups.toml", 5, 2);
    }

    #[test]
    fn league_of_species() {
        agon_testkit::slow!();
        check_example("amoebas-league.toml", 12, 3);
    }

    #[test]
    fn ladder() {
        agon_testkit::slow!();
        check_example("ladder.toml", 480, 50);
    }
}

mod kill {
    use super::*;

    /// Kills a tournament again and again and lets it end.
    #[track_caller]
    fn check(dir: &TestDir, kills: usize, pause: u64) {
        let whole = dir.ok("tournament plan.toml --out whole");
        let mut rng = Seed(5).stream(Purpose::Setup, 0);
        for killed in 0..kills {
            let goes_on = dir.path("parts/plan.json").exists();
            let line = if goes_on { "resume parts" } else { "plan.toml --out parts" };
            let mut run = dir.start(&format!("tournament {line}"));
            // A little after it has begun to play, or before.
            dir.wait_for("parts", dir.records("parts") + rng.below(3) as usize, &mut run);
            thread::sleep(Duration::from_micros(rng.below(pause * 1000)));
            run.kill().unwrap();
            let done = end_of(run);
            assert_ne!(done.code, Some(2), "{}", done.err);
            assert_ne!(done.code, Some(0), "too short: it was killed {killed} times");
        }
        let again = dir.ok("tournament resume parts");
        assert_eq!(again.out, whole.out);
        assert_eq!(dir.results("parts"), dir.results("whole"));
    }

    #[test]
    fn a_hundred_times_nothing_is_lost() {
        agon_testkit::slow!();
        let bots = ["builtin:random", "builtin:greedy", "builtin:random?rotate=50"];
        check(&TestDir::with_plan(&round_robin(9, 4000, 3, &bots)), 100, 15);
    }

    #[test]
    fn programs_neither() {
        agon_testkit::slow!();
        // Whoever answers before having read all, or ends by itself, makes another fault at times.
        let script = "import sys\nfor line in sys.stdin:\n    if line == '\\n':\n        break\n\
            print('x', flush=True)\nsys.stdin.read()\n";
        let bots = ["builtin:random", "python3 fox.py"];
        let dir = TestDir::with_plan(&round_robin(9, 40, 3, &bots));
        dir.write("fox.py", script);
        check(&dir, 5, 100);
        assert!(!dir.is_running("fox.py"));
    }
}

#[test]
fn the_queries_of_the_page_run_on_the_table_of_matches() {
    agon_testkit::needs!("sqlite3", "python3");
    // Three bots of which the first one commits faults, and six matches.
    let bots = ["greedy=python3 bad.py", "builtin:random", "third=builtin:random?rotate=50"];
    let dir = TestDir::with_plan(&round_robin(3, 2, 4, &bots));
    dir.write("bad.py", "while input():\n    print('x', flush=True)\n");
    dir.ok("tournament plan.toml --out cup");
    dir.write("matches.csv", dir.ok("tournament report cup --csv matches").out);
    let page = fs::read_to_string(root().join("docs/tournaments.md")).unwrap();
    let ask = |query: &str| {
        let mut sqlite = Command::new("sqlite3");
        sqlite.args([":memory:", ".mode list", ".import --csv matches.csv matches", query]);
        let output = sqlite.current_dir(dir.path("")).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{query}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let queries = page.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let [points, losses, seats, faults, longest] =
        <[String; 5]>::try_from(queries.map(ask).collect::<Vec<_>>()).unwrap();
    // Each of the six matches gives a point. The bot with faults may still win by chance.
    let sum = |text: &str, column: usize| -> f64 {
        text.lines().map(|line| line.split('|').nth(column).unwrap().parse::<f64>().unwrap()).sum()
    };
    assert_eq!((points.lines().count(), sum(&points, 1), sum(&points, 2)), (3, 12.0, 6.0));
    let standing = dir.ok("tournament report cup --csv standing").out;
    for line in points.lines() {
        let cells: Vec<&str> = line.split('|').collect();
        let row = standing.lines().find(|row| row.split(',').nth(1) == Some(cells[0])).unwrap();
        let expected: f64 = row.split(',').nth(2).unwrap().parse().unwrap();
        assert_eq!(cells[2].parse::<f64>().unwrap(), expected, "{line}");
    }
    assert_eq!((losses.lines().count(), sum(&losses, 2)), (2, 4.0), "{losses}");
    assert_eq!(seats.lines().map(|line| &line[..2]).collect::<Vec<_>>(), ["1|", "2|"]);
    let is_told = |line: &str| line.starts_with("greedy|") && line.ends_with(".agon");
    assert!(faults.lines().count() == 4 && faults.lines().all(is_told), "{faults}");
    assert!(longest.lines().count() == 5 && longest.contains(" against "), "{longest}");
}
