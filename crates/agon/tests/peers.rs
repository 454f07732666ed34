//! Programs at an address (`connect:`) that do not behave: nothing hangs, and what was played is
//! not lost.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde_json::{Value, json};

use crate::support::TestDir;

/// Serves so many connections with this, then closes its port.
fn serve(most: usize, peer: impl Fn(TcpStream) + Send + Clone + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("connect:{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for _ in 0..most {
            let Ok((stream, _)) = listener.accept() else { return };
            let peer = peer.clone();
            thread::spawn(move || peer(stream));
        }
    });
    address
}

/// Plays cluster as well as it can: it turns the board.
fn turner(stream: TcpStream) {
    let mut out = stream.try_clone().unwrap();
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["type"] == "decide" {
            let count = message["decisions"].as_array().unwrap().len();
            let answers = vec![json!({ "action": "ROTATE", "cycles": 1 }); count];
            let answer = json!({ "step": message["step"], "answers": answers });
            if writeln!(out, "{answer}").is_err() {
                return;
            }
        }
    }
}

fn silent(stream: TcpStream) {
    BufReader::new(stream).lines().map_while(Result::ok).for_each(drop);
}

/// Answers with half a line when it is asked, so that it does not count as having written before.
fn half(mut stream: TcpStream) {
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    for _ in lines.map_while(Result::ok).filter(|line| line.contains("\"decide\"")) {
        let _ = stream.write_all(b"{\"step\":");
    }
}

#[test]
fn peers_that_misbehave_end_an_examination_with_a_fault() {
    let dir = TestDir::new();
    for (address, words) in [
        (serve(100, silent), "no answer"),
        (serve(100, half), "no answer"),
        (serve(100, drop), "closed"),
    ] {
        dir.ends(1, &format!("check cluster {address} --time 300")).says(words);
    }
    let silent = serve(100, silent);
    let compare = format!("compare --game cluster {silent} builtin:random --set side=3 --max 4");
    dir.run(&format!("{compare} --time 100")).says("faults").says("no answer");
    // Its own limit is not for ever either.
    agon_testkit::slow!();
    let begun = Instant::now();
    dir.ends(1, &format!("check cluster {silent} --games 1")).says("no answer");
    assert!(begun.elapsed() < Duration::from_secs(100), "{:?}", begun.elapsed());
}

#[test]
fn a_comparison_shows_what_was_played_when_a_peer_is_gone() {
    let dir = TestDir::new();
    // One connection is made before the first match.
    let compare = || {
        let address = serve(1 + 8, turner);
        format!("compare --game cluster {address} builtin:random --set side=3 -j 1")
    };
    let done = dir.ends(2, &compare());
    done.says("before a match could not be played").says("pairs").says("matches of ");
    assert!(done.err.contains("error:") && done.err.contains("refused"), "{done:?}");
    let verdict = dir.ends(2, &format!("{} --json", compare())).data("verdict");
    assert_eq!(verdict["verdict"], "failed");
    assert!(verdict["seeds"].as_u64().unwrap() >= 1, "{verdict}");
}

#[test]
fn a_tournament_and_a_tuning_keep_what_was_played_when_a_peer_is_gone() {
    let dir = TestDir::new();
    let bots = format!("[\"p={}\", \"builtin:random\"]", serve(1 + 8, turner));
    let plan = format!(
        "game = \"cluster\"\nbots = {bots}\nmatches = 40\njobs = 1\n[settings]\nside = 3\n\
         [format]\nkind = \"round-robin\"\n"
    );
    dir.write("cup.toml", plan);
    let done = dir.ends(2, "tournament cup.toml");
    done.says("matches over").says("kept; `agon tournament resume cup-results` continues");
    assert!(done.err.contains("refused"), "{done:?}");
    let address = serve(3 + 8, turner);
    let tune = "tune builtin:random --game cluster --param rotate=1..20 --set side=3 -j 1";
    dir.refuses(&format!("{tune} --against {address}"), ["refused"]);
}

#[test]
fn who_listens_but_never_accepts_is_told() {
    let dir = TestDir::new();
    let path = dir.path("peer.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    // Until its queue is full; connecting then fails at once instead of waiting.
    let mut waiting = Vec::new();
    for _ in 0..5000 {
        let (family, kind) = (AddressFamily::UNIX, SocketType::STREAM);
        let socket = socket_with(family, kind, SocketFlags::NONBLOCK, None).unwrap();
        if connect(&socket, &SocketAddrUnix::new(&path).unwrap()).is_err() {
            break;
        }
        waiting.push(UnixStream::from(socket));
    }
    let begun = Instant::now();
    dir.ends(1, "check cluster connect:./peer.sock").says("peer.sock");
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
