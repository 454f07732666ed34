//! Bots that read and write files of others.

use super::{
    TestDir, mode,
    test_dir::{Mode, SECRET},
};
use crate::support::names;

#[test]
fn nothing_is_read_that_is_not_its_own() {
    let dir = TestDir::new();
    let attacker = dir.attacker("read");
    dir.play(&attacker, &[]).assert_harmless();
    dir.play(&format!("jsonl:{attacker}"), &[]).assert_harmless();
    // Without a sandbox the same bot reads it all: otherwise this would tell nothing.
    let play = ["play", "cluster", &attacker, "builtin:greedy", "--json", "--sandbox", "off"];
    let text = String::from_utf8(dir.agon(&play).output().unwrap().stdout).unwrap();
    for harm in ["hen/notes", "home/.ssh/id_rsa", "environment", "users", "environment of others"] {
        assert!(text.contains(harm), "{harm}: {text}");
    }
    assert!(!text.contains(SECRET), "it tells only what it has found");
}

#[test]
fn nothing_is_written_that_is_not_its_own() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("write"), &[]).assert_harmless();
    assert_eq!(names(dir.path("fox")), ["attacker.py", "bait.json"]);
}

#[test]
fn the_usual_streams_have_their_names_and_are_nobody_elses() {
    let dir = TestDir::new();
    let outcome = dir.play(&dir.attacker("streams"), &[]);
    outcome.assert_harmless();
    assert!(outcome.everything.contains("stderr by its name"), "{outcome:?}");
}

#[test]
fn no_disk_is_filled() {
    let dir = TestDir::new();
    let outcome = dir.play(&dir.attacker("disk"), &["--time", "10000"]);
    assert_eq!(names(dir.path("fox")), ["attacker.py", "bait.json"]);
    // Where the scratch folder is one of the machine's, the arena ends who fills it.
    if mode() == Mode::Full {
        outcome.assert_harmless();
    } else {
        outcome.expect("crash", "MiB of files; the limit is 64 MiB");
    }
}
