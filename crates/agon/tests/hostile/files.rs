//! Bots that read and write what is not theirs.

use super::{
    TestDir,
    test_dir::{SECRET, names},
};

#[test]
fn nothing_is_read_that_is_not_its_own() {
    let yard = TestDir::new();
    yard.play(&yard.attacker("read"), &[]).assert_harmless();
}

#[test]
fn a_program_of_the_uniform_protocol_reads_as_little() {
    let yard = TestDir::new();
    yard.play(&format!("jsonl:{}", yard.attacker("read")), &[]).assert_harmless();
}

#[test]
fn without_a_sandbox_the_same_bot_reads_it_all() {
    // Otherwise the tests before would tell nothing.
    let yard = TestDir::new();
    let outcome = yard
        .agon(&[
            "play",
            "cluster",
            &yard.attacker("read"),
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
    let yard = TestDir::new();
    yard.play(&yard.attacker("write"), &[]).assert_harmless();
    assert_eq!(names(&yard.path("fox")), ["attacker.py", "bait.json"]);
}

#[test]
fn the_usual_streams_have_their_names_and_are_nobody_elses() {
    let yard = TestDir::new();
    let outcome = yard.play(&yard.attacker("streams"), &[]);
    outcome.assert_harmless();
    assert!(outcome.everything.contains("stderr by its name"), "{outcome:?}");
}

#[test]
fn no_disk_is_filled() {
    let yard = TestDir::new();
    let outcome = yard.play(&yard.attacker("disk"), &["--time", "10000"]);
    assert_eq!(names(&yard.path("fox")), ["attacker.py", "bait.json"]);
    // Where the scratch folder is one of the machine's, the arena ends who fills it.
    if super::mode() == super::test_dir::Mode::Full {
        outcome.assert_harmless();
    } else {
        outcome.expect("crash", "MiB of files; the limit is 64 MiB");
    }
}
