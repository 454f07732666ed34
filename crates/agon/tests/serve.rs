//! `agon serve` becomes the ladder server; the tests of `agon-server` are about what that does.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
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
