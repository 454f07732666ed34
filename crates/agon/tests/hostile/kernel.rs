//! Bots that misuse system calls: other users' programs, shared memory that would outlive the
//! match, more than the usual descriptors, signals to others.

use super::TestDir;

#[test]
fn the_kernel_refuses_what_could_harm() {
    for attack in ["kernel", "setuid", "shared_memory", "descriptors", "signals"] {
        eprintln!("{attack}");
        let dir = TestDir::new();
        dir.play(&dir.attacker(attack), &[]).assert_harmless();
    }
}
