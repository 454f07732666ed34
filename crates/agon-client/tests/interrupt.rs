//! Ctrl-C, and servers that go away in the middle.

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    shell::{Running, Shell, ladder},
    support::{python_bot, wait_for},
};

/// Starts to hand in a bot whose build takes a while, and returns when the server has it.
fn hand_in(shell: &Shell) -> Running {
    shell.write_bot("fox", &python_bot("cluster"));
    shell.change_manifest("fox", |text| text + "build = \"sleep 4\"\n");
    shell.start(&["submit", "fox"]).wait_for("version 1 of fox")
}

#[test]
fn an_interrupt_ends_only_the_watching() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let (server, shell) = ladder(folder.path());
    let running = hand_in(&shell);
    kill_process(Pid::from_child(&running.child), Signal::INT).unwrap();
    assert_eq!(running.done().code, 130);
    assert_eq!(shell.run(&["status"]).code, 1, "it does not play yet");
    wait_for("the bot", || (shell.run(&["status"]).code == 0).then_some(()));
    assert!(server.stop());
}

#[test]
fn the_watching_survives_a_new_start_of_the_server() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let (server, shell) = ladder(folder.path());
    let running = hand_in(&shell);
    let server = server.kill_and_start();
    running.done().ends(0).prints("fox v1 can play");
    assert!(server.stop());
}
