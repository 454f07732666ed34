//! Matches and replays over VNC, seen by a client that others have written.

#![cfg(target_os = "linux")]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

/// An arena that shows something over VNC.
struct Arena {
    process: Child,
    stderr: BufReader<std::process::ChildStderr>,
    address: String,
}

impl Arena {
    fn start(args: &[&str]) -> Arena {
        let mut agon = Command::new(env!("CARGO_BIN_EXE_agon"));
        agon.args(args)
            .env_remove("AGON_VNC_PASSWORD")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = agon.spawn().expect("agon starts");
        let mut stderr = BufReader::new(process.stderr.take().expect("it is a pipe"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("it says where");
        let address = line.strip_prefix("vnc://").and_then(|rest| rest.split(' ').next());
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Arena { process, stderr, address }
    }

    /// What gvnccapture sees.
    fn picture(&self, folder: &Path) -> Vec<u8> {
        let (host, port) = self.address.rsplit_once(':').expect("a port");
        let port: i32 = port.parse().expect("a number");
        let file = folder.join("shot.png");
        let mut capture = Command::new("gvnccapture");
        let output = capture.args(["-q", &format!("{host}:{}", port - 5900)]).arg(&file).output();
        let output = output.expect("gvnccapture starts; `cargo xtask setup` installs it");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(file).expect("it has written a picture")
    }

    /// What gvnccapture sees when nothing moves any more.
    fn still_picture(&self, folder: &Path) -> Vec<u8> {
        let mut picture = self.picture(folder);
        for _ in 0..100 {
            let next = self.picture(folder);
            if next == picture {
                return picture;
            }
            picture = next;
        }
        panic!("something still moves");
    }

    /// Presses a key as a client of version 3.3, and waits until the server has ended the
    /// connection or read it.
    fn press(&self, keysym: u32) {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("it is not zero");
        let mut hello = [0; 12];
        stream.read_exact(&mut hello).expect("a version");
        let [k3, k2, k1, k0] = keysym.to_be_bytes();
        let says = [&b"RFB 003.003\n\x01"[..], &[4, 1, 0, 0, k3, k2, k1, k0]].concat();
        stream.write_all(&says).expect("it listens");
        // After a message that there is not the server ends the connection, if it has not after the
        // key.
        stream.write_all(&[99]).ok();
        std::io::copy(&mut stream, &mut std::io::sink()).ok();
    }

    /// How it ended, and what it printed.
    fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).expect("text");
        let output = self.process.wait_with_output().expect("it ends");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

const Q: u32 = 0x71;
const SPACE: u32 = 0x20;
const HOME: u32 = 0xff50;
const END: u32 = 0xff57;

fn failed(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_agon")).args(args).output().expect("agon starts");
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_replay_is_watched() {
    agon_testkit::needs!("gvnccapture");
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("m.agon").display().to_string();
    let played = Command::new(env!("CARGO_BIN_EXE_agon"))
        .args(["play", "cellhack", "--seed", "3", "--turns", "20", "--replay", &file])
        .output();
    assert!(played.expect("agon starts").status.success());
    let arena = Arena::start(&["watch", &file, "--vnc=0"]);
    arena.press(SPACE);
    arena.press(HOME);
    let first = arena.still_picture(folder.path());
    arena.press(END);
    assert!(first != arena.picture(folder.path()), "the last state looks like the first");
    arena.press(Q);
    assert_eq!(arena.end(), (Some(0), String::new()));
    let open = failed(&["watch", &file, "--vnc", "--vnc-address", "0.0.0.0"]);
    assert!(open.contains("--vnc-password-file"), "{open}");
    let other = failed(&["watch", &file, "--vnc-address", "0.0.0.0"]);
    assert!(other.contains("--view vnc"), "{other}");
    let public = folder.path().join("public");
    fs::write(&public, "secret").expect("there is room");
    let public = public.display().to_string();
    let public = failed(&["watch", &file, "--vnc=0", "--vnc-password-file", &public]);
    assert!(public.contains("chmod 600"), "{public}");
}

#[test]
fn a_match_is_watched_and_ended_and_bots_do_not_get_the_socket() {
    agon_testkit::slow!();
    let folder = tempfile::tempdir().expect("there is room");
    let bot = folder.path().join("bot.py");
    let seen = folder.path().join("seen");
    let source = format!(
        "import os, sys\nlinks = [os.readlink('/proc/self/fd/%d' % n) for n in range(64) if \
         os.path.exists('/proc/self/fd/%d' % n)]\nopen({seen:?}, 'w').write(' '.join(links) + ' \
         end')\nsys.stdin.read()\n"
    );
    fs::write(&bot, source).expect("there is room");
    let command = format!("jsonl:python3 {}", bot.display());
    let args = [
        "play",
        "cluster",
        "builtin:greedy",
        &command,
        "--sandbox",
        "off",
        "--no-clock",
        "--view",
        "vnc:0",
    ];
    let arena = Arena::start(&args);
    let picture = arena.picture(folder.path());
    assert!(picture.len() > 2000, "{} bytes", picture.len());
    let mut links = String::new();
    while !links.ends_with("end") {
        std::thread::sleep(Duration::from_millis(20));
        links = fs::read_to_string(&seen).unwrap_or_default();
    }
    assert!(!links.contains("socket:"), "{links}");
    arena.press(Q);
    // The bot never answers, and is ended.
    assert_eq!(arena.end().0, Some(130));
}
