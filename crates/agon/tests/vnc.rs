//! Matches and replays over VNC, seen by a client that others have written.

#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::process::{Child, Command};
use std::{fs, net::TcpStream, time::Duration};

use crate::support::{TestDir, end_of, hears, until};

/// An arena that shows something over VNC.
struct Arena<'a> {
    dir: &'a TestDir,
    process: Child,
    address: String,
}

impl Arena<'_> {
    fn start<'a>(dir: &'a TestDir, line: &str) -> Arena<'a> {
        let mut process = dir.start(line);
        let said = hears(&mut process, "\n");
        let address = said.strip_prefix("vnc://").and_then(|rest| rest.split([' ', '\n']).next());
        let address = address.unwrap_or_else(|| panic!("no address in {said:?}")).to_owned();
        Arena { dir, process, address }
    }

    /// What gvnccapture sees.
    fn picture(&self) -> Vec<u8> {
        let (host, port) = self.address.rsplit_once(':').expect("a port");
        let port: i32 = port.parse().expect("a number");
        let file = self.dir.path("shot.png");
        let mut capture = Command::new("gvnccapture");
        let output = capture.args(["-q", &format!("{host}:{}", port - 5900)]).arg(&file).output();
        let output = output.expect("gvnccapture starts; `cargo xtask setup` installs it");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        fs::read(file).expect("it has written a picture")
    }

    /// What gvnccapture sees when nothing moves any more.
    fn still_picture(&self) -> Vec<u8> {
        let mut picture = self.picture();
        for _ in 0..100 {
            let next = self.picture();
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
}

const Q: u32 = 0x71;
const SPACE: u32 = 0x20;
const HOME: u32 = 0xff50;
const END: u32 = 0xff57;

#[test]
fn a_replay_is_watched() {
    agon_testkit::needs!("gvnccapture");
    let dir = TestDir::new();
    dir.ok("play cellhack --seed 3 --turns 20 --replay m.agon");
    let arena = Arena::start(&dir, "watch m.agon --vnc=0");
    arena.press(SPACE);
    arena.press(HOME);
    let first = arena.still_picture();
    arena.press(END);
    assert!(first != arena.picture(), "the last state looks like the first");
    arena.press(Q);
    let done = end_of(arena.process);
    assert_eq!((done.code, &*done.out), (Some(0), ""));
    dir.write("public", "secret");
    for (flags, words) in [
        ("--vnc --vnc-address 0.0.0.0", "--vnc-password-file"),
        ("--vnc-address 0.0.0.0", "--view vnc"),
        ("--vnc=0 --vnc-password-file public", "chmod 600"),
    ] {
        dir.ends(2, &format!("watch m.agon {flags}")).tells([words]);
    }
}

#[test]
fn a_match_is_watched_and_ended_and_bots_do_not_get_the_socket() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let source = format!(
        "import os, sys\nlinks = [os.readlink('/proc/self/fd/%d' % n) for n in range(64) if \
         os.path.exists('/proc/self/fd/%d' % n)]\nopen({:?}, 'w').write(' '.join(links) + ' \
         end')\nsys.stdin.read()\n",
        dir.path("seen")
    );
    dir.write("bot.py", source);
    let bots = "builtin:greedy 'jsonl:python3 bot.py'";
    let flags = "--sandbox off --no-clock --view vnc:0";
    let arena = Arena::start(&dir, &format!("play cluster {bots} {flags}"));
    let picture = arena.picture();
    assert!(picture.len() > 2000, "{} bytes", picture.len());
    let links = || fs::read_to_string(dir.path("seen")).unwrap_or_default();
    until("a list of files", || links().ends_with("end"));
    assert!(!links().contains("socket:"), "{}", links());
    arena.press(Q);
    // The bot never answers, and is ended.
    assert_eq!(end_of(arena.process).code, Some(130));
}
