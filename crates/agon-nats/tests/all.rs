//! The program `agon-nats`: alone, and with a server and users of all roles.
//! `crates/agon/tests/remote` tests it with whole tournaments.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod credentials;
mod setup;
mod signatures;
mod workers;

use std::io::Read;
use std::process::{Command, Stdio};

/// The program. As long as there is such a test, `cargo test` builds it for other crates' tests.
const PROGRAM: &str = env!("CARGO_BIN_EXE_agon-nats");

#[test]
fn as_a_part_it_greets_and_ends_with_its_input() {
    let mut child = Command::new(PROGRAM)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdin.take());
    let mut said = Vec::new();
    let mut out = child.stdout.take().expect("it has an output");
    out.read_to_end(&mut said).expect("it can be read");
    assert!(child.wait().expect("it ends").success());
    let name = b"agon-nats";
    assert!(said.windows(name.len()).any(|part| part == name), "{said:?}");
}

#[test]
fn as_a_worker_it_says_what_is_wrong_with_an_address() {
    let output = Command::new(PROGRAM).arg("http://a").output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("`http://a` is no address of a NATS server"), "{said}");
}
