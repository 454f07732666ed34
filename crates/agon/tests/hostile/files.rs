//! Bots that read and write files of others.

use super::{
    TestDir,
    test_dir::{SECRET, names},
};

#[test]
fn nothing_is_read_that_is_not_its_own() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("read"), &[]).assert_harmless();
}

#[test]
fn a_jsonl_program_reads_as_little() {
    let dir = TestDir::new();
    dir.play(&format!("jsonl:{}", dir.attacker("read")), &[]).assert_harmless();
}

#[test]
fn without_a_sandbox_the_same_bot_reads_it_all() {
    // Otherwise the tests before would tell nothing.
    let dir = TestDir::new();
    let outcome = dir
        .agon(&[
            "play",
            "cluster",
            &dir.attacker("read"),
            "builtin:greedy",
            "--json",
            "--sandbox",
            "off",
        ])
        .output()
        .unwrap();
    let text = String::from_utf8(outcome.stdout).unwrap();
    for harm in ["hen/notes", "home/.ssh/id_rsa", "environment", "users", "environment of others"] {
        assert!(text.contains(harm), "{harm}: {text}");
    }
    assert!(!text.contains(SECRET), "it tells only what it has found");
}

#[test]
fn nothing_is_written_that_is_not_its_own() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("write"), &[]).assert_harmless();
    assert_eq!(names(&dir.path("fox")), ["attacker.py", "bait.json"]);
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
    assert_eq!(names(&dir.path("fox")), ["attacker.py", "bait.json"]);
    // Where the scratch folder is one of the machine's, the arena ends who fills it.
    if super::mode() == super::test_dir::Mode::Full {
        outcome.assert_harmless();
    } else {
        outcome.expect("crash", "MiB of files; the limit is 64 MiB");
    }
}
