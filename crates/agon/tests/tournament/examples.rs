//! The example plans: interrupted and taken up again they end as if nothing had been.

use super::test_dir::{TestDir, interrupt, root};

/// Plays a plan in one go, and again with an interruption after some matches.
#[track_caller]
fn check(name: &str, matches: usize, interrupted_after: usize) {
    let dir = TestDir::new();
    let plan = root().join("examples/tournaments").join(name).canonicalize().unwrap();
    let plan = plan.to_str().unwrap();
    let (table, _) = dir.succeed(&[plan, "--out", "whole"]);
    assert_eq!(dir.records("whole"), matches);

    let mut run = dir.agon(&[plan, "--out", "parts", "--jobs", "3"]).spawn().unwrap();
    dir.wait_for("parts", interrupted_after, &mut run);
    interrupt(&run);
    let output = run.wait_with_output().unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{talk}");
    assert!(talk.contains("`agon tournament resume parts` continues"), "{talk}");
    let before = dir.records("parts");
    assert!((interrupted_after..matches).contains(&before), "{before} of {matches}");

    let (again, talk) = dir.succeed(&["resume", "parts", "--jobs", "1"]);
    assert_eq!(again, table, "{talk}");
    assert_eq!(dir.results("parts"), dir.results("whole"));
}

#[test]
fn round_robin() {
    agon_testkit::slow!();
    check("cluster-round-robin.toml", 132, 20);
}

#[test]
fn swiss() {
    agon_testkit::slow!();
    check("cellhack-swiss.toml", 384, 70);
}

#[test]
fn double_elimination() {
    agon_testkit::slow!();
    check("cluster-double-elimination.toml", 88, 10);
}

#[test]
fn groups() {
    agon_testkit::needs!("kill");
    check("cellhack-groups.toml", 5, 2);
}

#[test]
fn league_of_species() {
    agon_testkit::slow!();
    check("amoebas-league.toml", 12, 3);
}

#[test]
fn ladder() {
    agon_testkit::slow!();
    check("ladder.toml", 480, 50);
}
