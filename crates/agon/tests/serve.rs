//! `agon serve` becomes the ladder server; the tests of `agon-server` are about what that does.

use std::{
    fs::Permissions,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
};

use rustix::process::{Pid, Signal, kill_process};

#[test]
fn a_ladder_starts_in_one_command_and_stops_on_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    // A folder may have the name of the command.
    let data = folder.path().join("serve");
    let agon = assert_cmd::cargo::cargo_bin!("agon");
    let mut command = Command::new(agon);
    let server = agon.with_file_name("agon-server");
    if server.is_file() {
        // Otherwise it would be built again, with the features of fewer packages.
        command.env("AGON_SERVER", server);
    }
    let mut child = command
        .args(["serve", "--listen", "127.0.0.1:0", "--arena", "cluster", "--data"])
        .arg(&data)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let link = lines.find(|line| line.contains("/join/")).unwrap();
    let line = lines.find(|line| line.starts_with("http://")).unwrap();
    let address = line.strip_prefix("http://").unwrap().split(' ').next().unwrap().to_owned();
    assert!(link.contains(&address), "{link}");
    let mut stream = TcpStream::connect(&address).unwrap();
    stream
        .write_all(b"GET /arenas/cluster HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("Leaderboard"), "{page}");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(lines.last().as_deref(), Some("stopped"));
    assert!(child.wait().unwrap().success());
    assert!(data.join("agon.db").is_file());
}

#[test]
fn without_a_cargo_that_runs_the_server_is_taken_as_it_is_or_missed_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    std::fs::write(&cargo, "#!/bin/sh\necho 'error: no toolchain.' >&2\necho trace >&2\nexit 1\n")
        .unwrap();
    std::fs::set_permissions(&cargo, Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(assert_cmd::cargo::cargo_bin!("agon"))
        .args(["serve", "reset-link", "ada", "--data"])
        .arg(folder.path().join("nowhere"))
        .env("CARGO", &cargo)
        .env_remove("AGON_SERVER")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cargo does not run here: no toolchain"), "{said}");
    assert!(!said.contains("trace"), "{said}");
}

#[test]
fn flags_are_checked_before_the_server_starts() {
    let run = |args: &[&str]| {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("agon"))
            .arg("serve")
            .args(args)
            .env("AGON_SERVER", "/nowhere/agon-server")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(run(&[]).contains("--data <DIR>"));
    assert!(run(&["--data", "x", "--arena", "clustr"]).contains("did you mean `cluster`?"));
    assert!(run(&["--data", "x", "--public-url", "agon.example"]).contains("scheme and host"));
    assert!(run(&["--data", "x", "--tls-key", "k"]).contains("--tls-certificate"));
    let missing = run(&["--data", "x"]);
    assert!(missing.contains("/nowhere/agon-server"), "{missing}");
}
