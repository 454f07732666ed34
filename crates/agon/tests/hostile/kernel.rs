//! Bots that misuse system calls.

use super::TestDir;

#[test]
fn the_kernel_refuses_what_could_harm() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("kernel"), &[]).assert_harmless();
}

#[test]
fn programs_of_other_users_give_no_rights() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("setuid"), &[]).assert_harmless();
}

#[test]
fn shared_memory_does_not_outlive_the_match() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("shared_memory"), &[]).assert_harmless();
}

#[test]
fn there_are_no_descriptors_but_the_usual_and_not_many_more() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("descriptors"), &[]).assert_harmless();
}

#[test]
fn signals_reach_nobody_else() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("signals"), &[]).assert_harmless();
}
