//! Ctrl-C, and servers that go away in the middle.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    os::unix::process::ExitStatusExt,
    process::{Child, ChildStderr, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    shell::Shell,
    support::{Server, python_bot, wait_for},
};

/// A folder with a bot whose build takes a while.
fn slow_bot(shell: &Shell) {
    shell.write_bot("fox", &python_bot("cluster"));
    let manifest = shell.folder().join("fox/agon.toml");
    let text = fs::read_to_string(&manifest).unwrap() + "build = \"sleep 4\"\n";
    fs::write(manifest, text).unwrap();
}

/// Starts to hand it in, and returns when the server has it.
fn hand_in(shell: &Shell) -> (Child, BufReader<ChildStderr>) {
    let mut child = shell
        .command(env!("CARGO_BIN_EXE_agon-client"), &["submit", "fox"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("version 1 of fox") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "the version is handed in");
    }
    (child, said)
}

#[test]
fn an_interrupt_ends_only_the_watching() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    server.author(&mut root, "ada");
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    slow_bot(&shell);
    let (mut child, _said) = hand_in(&shell);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    // Shells report 130.
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::INT.as_raw()));
    assert_eq!(shell.run(&["status"]).code, 1, "it does not play yet");
    wait_for("the bot", || (shell.run(&["status"]).code == 0).then_some(()));
    assert!(server.stop());
}

#[test]
fn the_watching_survives_a_new_start_of_the_server() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    server.author(&mut root, "ada");
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    slow_bot(&shell);
    let (mut child, mut said) = hand_in(&shell);
    let server = server.kill_and_start();
    assert!(child.wait().unwrap().success());
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    said.read_to_string(&mut err).unwrap();
    assert!(out.contains("fox v1 can play"), "{out}{err}");
    assert!(server.stop());
}
