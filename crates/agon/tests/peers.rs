//! Programs at an address (`connect:`) that do not behave: nothing hangs, and what was played is
//! not lost.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use tempfile::TempDir;

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
            let answers: Vec<Value> = message["decisions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|_| serde_json::json!({ "action": "ROTATE", "cycles": 1 }))
                .collect();
            let answer = serde_json::json!({ "step": message["step"], "answers": answers });
            if writeln!(out, "{answer}").is_err() {
                return;
            }
        }
    }
}

fn silent(stream: TcpStream) {
    BufReader::new(stream).lines().map_while(Result::ok).for_each(drop);
}

fn agon(folder: &TempDir, args: &[&str]) -> (Output, Duration) {
    let begun = Instant::now();
    let mut command = Command::new(cargo_bin("agon"));
    let output =
        command.current_dir(folder.path()).args(args).stdin(Stdio::null()).output().unwrap();
    (output, begun.elapsed())
}

fn text(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn an_examination_of_a_silent_peer_ends_with_a_fault() {
    agon_testkit::slow!();
    let folder = tempfile::tempdir().unwrap();
    let address = serve(100, silent);
    let (output, _) = agon(&folder, &["check", "cluster", &address, "--time", "300"]);
    let (report, error) = text(&output);
    assert_eq!(output.status.code(), Some(1), "{report}\n{error}");
    assert!(report.contains("no answer"), "{report}");
    // Its own limit is not for ever either.
    let (output, time) = agon(&folder, &["check", "cluster", &address, "--games", "1"]);
    let (report, error) = text(&output);
    assert_eq!(output.status.code(), Some(1), "{report}\n{error}");
    assert!(report.contains("no answer") && time < Duration::from_secs(100), "{time:?} {report}");
}

#[test]
fn other_peers_that_misbehave_are_faults_as_well() {
    let folder = tempfile::tempdir().unwrap();
    // When it is asked, so that it does not count as having written before.
    let half = |mut stream: TcpStream| {
        let lines = BufReader::new(stream.try_clone().unwrap()).lines();
        for _ in lines.map_while(Result::ok).filter(|line| line.contains("\"decide\"")) {
            let _ = stream.write_all(b"{\"step\":");
        }
    };
    let flood = |mut stream: TcpStream| while stream.write_all(&[b'x'; 1 << 16]).is_ok() {};
    for (address, words) in [
        (serve(100, half), "no answer"),
        (serve(100, flood), "wrote"),
        (serve(100, drop), "closed"),
    ] {
        let (output, _) = agon(&folder, &["check", "cluster", &address, "--time", "300"]);
        let (report, error) = text(&output);
        assert_eq!(output.status.code(), Some(1), "{report}\n{error}");
        assert!(report.contains(words), "{words}: {report}");
    }
}

#[test]
fn a_comparison_shows_what_was_played_when_a_peer_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    // One connection is made before the first match.
    let address = serve(1 + 8, turner);
    let args =
        ["compare", "--game", "cluster", &address, "builtin:random", "--set", "side=3", "-j", "1"];
    let (output, _) = agon(&folder, &args);
    let (report, error) = text(&output);
    assert_eq!(output.status.code(), Some(2), "{report}\n{error}");
    assert!(report.contains("before a match could not be played"), "{report}\n{error}");
    assert!(report.contains("pairs") && report.contains("matches of "), "{report}");
    assert!(error.contains("error:") && error.contains("refused"), "{error}");
    let address = serve(1 + 8, turner);
    let args = [
        "compare",
        "--game",
        "cluster",
        &address,
        "builtin:random",
        "--set",
        "side=3",
        "-j",
        "1",
        "--json",
    ];
    let (output, _) = agon(&folder, &args);
    let (report, _) = text(&output);
    let last: Value = serde_json::from_str(report.lines().last().unwrap()).unwrap();
    assert_eq!((output.status.code(), &last["data"]["verdict"]), (Some(2), &Value::from("failed")));
    assert!(last["data"]["seeds"].as_u64().unwrap() >= 1, "{last}");
}

#[test]
fn a_tournament_and_a_tuning_keep_what_was_played_when_a_peer_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |address: &str| {
        format!(
            "game = \"cluster\"\nbots = [\"p={address}\", \"builtin:random\"]\nmatches = 40\njobs \
             = 1\n[settings]\nside = 3\n[format]\nkind = \"round-robin\"\n"
        )
    };
    fs::write(folder.path().join("cup.toml"), plan(&serve(1 + 8, turner))).unwrap();
    let (output, _) = agon(&folder, &["tournament", "cup.toml"]);
    let (report, error) = text(&output);
    assert_eq!(output.status.code(), Some(2), "{report}\n{error}");
    assert!(report.contains("matches over") && report.contains("random"), "{report}");
    assert!(error.contains("kept; `agon tournament resume cup-results` continues"), "{error}");
    assert!(error.contains("refused"), "{error}");

    let address = serve(3 + 8, turner);
    let bot = "builtin:random";
    let (output, _) = agon(
        &folder,
        &[
            "tune",
            bot,
            "--game",
            "cluster",
            "--param",
            "rotate=1..20",
            "--against",
            &address,
            "--set",
            "side=3",
            "-j",
            "1",
        ],
    );
    let (report, error) = text(&output);
    assert_eq!(output.status.code(), Some(2), "{report}\n{error}");
    assert!(error.contains("refused"), "{error}");
}

#[test]
fn a_comparison_does_not_wait_for_ever_for_a_silent_peer() {
    let folder = tempfile::tempdir().unwrap();
    let address = serve(100, silent);
    let args = [
        "compare",
        "--game",
        "cluster",
        &address,
        "builtin:random",
        "--set",
        "side=3",
        "--time",
        "100",
        "--max",
        "4",
    ];
    let (output, _) = agon(&folder, &args);
    let (report, error) = text(&output);
    assert!(report.contains("faults") && report.contains("no answer"), "{report}\n{error}");
}

#[test]
fn who_listens_but_never_accepts_is_told() {
    use std::os::unix::net::{UnixListener, UnixStream};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("peer.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    // Until its queue is full; connecting then fails at once instead of waiting.
    let mut waiting = Vec::new();
    for _ in 0..5000 {
        let socket = rustix::net::socket_with(
            rustix::net::AddressFamily::UNIX,
            rustix::net::SocketType::STREAM,
            rustix::net::SocketFlags::NONBLOCK,
            None,
        )
        .unwrap();
        let address = rustix::net::SocketAddrUnix::new(&path).unwrap();
        if rustix::net::connect(&socket, &address).is_err() {
            break;
        }
        waiting.push(UnixStream::from(socket));
    }
    let (output, time) = agon(&folder, &["check", "cluster", "connect:./peer.sock"]);
    let (report, error) = text(&output);
    assert_eq!(output.status.code(), Some(1), "{report}\n{error}");
    assert!(report.contains("peer.sock") && time < Duration::from_secs(60), "{time:?} {report}");
}
