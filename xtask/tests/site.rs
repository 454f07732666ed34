//! The program as `cargo xtask site` starts it. That the site works is tested in a browser, by the
//! tests of `agon`.

use std::path::Path;
use std::process::{Command, Output};

fn run(args: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agon-site")).args(args).output().expect("it can be started")
}

fn told(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn wrong_arguments_are_told() {
    assert!(told(&run(&[])).contains("usage: agon-site AGON REPOSITORY DIR"));
    let folder = tempfile::tempdir().expect("there is room");
    let nothing = folder.path().join("agon");
    let site = folder.path().join("site");
    let text = told(&run(&[&nothing, folder.path(), &site]));
    assert!(text.contains("there is no program `agon`; `cargo xtask site` builds it"), "{text}");
    assert!(!site.exists());
}
