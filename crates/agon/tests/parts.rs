//! Programs of Agon beside `agon`: the client and the server of ladders, which `agon` becomes and
//! whose crates test what they do, and the host of native libraries, which may be missing.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::{net::TcpStream, path::PathBuf};

use rustix::process::Signal;

use crate::support::{Done, TestDir, root, signal};

fn client(dir: &TestDir, client: &str, line: &str) -> Done {
    let mut command = dir.agon(line);
    command.env("AGON_CLIENT", client).env("XDG_CONFIG_HOME", dir.path(""));
    Done::of(command.env_remove("AGON_SERVER_URL").env_remove("AGON_TOKEN"))
}

#[test]
fn words_reach_the_client_as_they_were_typed() {
    let dir = TestDir::new();
    // A program that prints its words stands for the client.
    for (line, words) in [
        ("submit 'a b' -m 'two words' --no-wait", "submit a b -m two words --no-wait\n"),
        ("login https://agon.example", "login https://agon.example\n"),
        ("ladder verify copy --all", "ladder verify copy --all\n"),
        ("--color never matches --json", "--color never matches --json\n"),
    ] {
        let done = client(&dir, "/bin/echo", line);
        assert_eq!((done.code, &*done.out), (Some(0), words), "{}", done.err);
    }
}

#[test]
fn flags_are_checked_before_client_and_server_start() {
    let dir = TestDir::new();
    for (line, words) in [
        ("leaderboard --limit 0", "0 is not in 1..=10000"),
        ("login", "<URL>"),
        ("status", "/nowhere/agon-client"),
        ("serve", "--data <DIR>"),
        ("serve --data x --arena clustr", "did you mean `cluster`?"),
        ("serve --data x --public-url agon.example", "scheme and host"),
        ("serve --data x --tls-key k", "--tls-certificate"),
        ("serve --data x", "/nowhere/agon-server"),
    ] {
        let mut command = dir.agon(line);
        command.env("AGON_CLIENT", "/nowhere/agon-client").env("XDG_CONFIG_HOME", dir.path(""));
        command.env_remove("AGON_SERVER_URL").env("AGON_SERVER", "/nowhere/agon-server");
        let done = Done::of(&mut command);
        assert_eq!(done.code, Some(2), "{line}: {}", done.err);
        done.says(words);
    }
    let help = client(&dir, "/nowhere/agon-client", "submit --help");
    assert_eq!(help.code, Some(0));
    help.says("agon submit --dry-run");
}

#[test]
fn a_ladder_starts_in_one_command_and_stops_on_ctrl_c() {
    let dir = TestDir::new();
    // A folder may have the name of the command.
    let mut command = dir.agon("serve --listen 127.0.0.1:0 --arena cluster --data serve");
    let server = assert_cmd::cargo::cargo_bin("agon").with_file_name("agon-server");
    if server.is_file() {
        // Otherwise it would be built again, with the features of fewer packages.
        command.env("AGON_SERVER", server);
    }
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let link = lines.find(|line| line.contains("/join/")).unwrap();
    let line = lines.find(|line| line.starts_with("http://")).unwrap();
    let address = line.strip_prefix("http://").unwrap().split(' ').next().unwrap().to_owned();
    assert!(link.contains(&address), "{link}");
    let mut stream = TcpStream::connect(&address).unwrap();
    let request = b"GET /arenas/cluster HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("Leaderboard"), "{page}");
    signal(&child, Signal::INT);
    assert_eq!(lines.last().as_deref(), Some("stopped"));
    assert!(child.wait().unwrap().success());
    assert!(dir.path("serve/agon.db").is_file());
}

#[test]
fn without_a_cargo_that_runs_the_server_is_taken_as_it_is_or_missed_in_one_sentence() {
    let dir = TestDir::new();
    let cargo = "#!/bin/sh\necho 'error: no toolchain.' >&2\necho trace >&2\nexit 1\n";
    let cargo = dir.program("cargo", cargo);
    let mut command = dir.agon("serve reset-link ada --data nowhere");
    let done = Done::of(command.env("CARGO", cargo).env_remove("AGON_SERVER"));
    assert_eq!(done.code, Some(2), "{}", done.err);
    done.says("cargo does not run here: no toolchain").hides("trace");
}

fn pioneers() -> PathBuf {
    root().join("examples/bots/cellhack/pioneers.c")
}

/// Plays in cellhack; `host` names the program that loads native libraries, which a static program
/// does not have.
fn play(dir: &TestDir, bot: &str, host: &str) -> Done {
    let line = format!("play cellhack {bot} builtin:random --set turns=10 --json --seed 1");
    let mut command = dir.agon(&line);
    command.env("AGON_NATIVE_HOST", host).env("XDG_CACHE_HOME", dir.path("cache"));
    Done::of(&mut command)
}

#[test]
fn without_a_host_c_is_played_as_webassembly_and_the_note_comes_once() {
    agon_testkit::needs!("clang");
    let done = play(&TestDir::new(), pioneers().to_str().unwrap(), "");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(done.err.matches("C and C++ bots play as WebAssembly").count(), 1, "{}", done.err);
    done.says("`agon-native-host` is missing").hides(r#""type":"fault""#);
}

#[test]
fn without_a_host_a_library_is_refused_with_the_remedy() {
    let dir = TestDir::new();
    let headers = root().join("crates/agon-games/src/cellhack/include");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O2", "-o"]).arg(dir.path("bot.so")).arg("-I").arg(headers);
    assert!(cc.arg(pioneers()).status().unwrap().success());
    let done = play(&dir, "./bot.so", "");
    assert_eq!(done.code, Some(2), "{}", done.err);
    done.says(
        "native libraries need the program `agon-native-host`, which is missing; correct the \
         environment variable AGON_NATIVE_HOST, or unset it",
    );
    // The same file plays where nothing is missing.
    dir.ok("play cellhack ./bot.so builtin:random --set turns=10");
    // A program that is not the host is no fault of the bot.
    let missing = dir.path("no");
    let done = play(&dir, pioneers().to_str().unwrap(), missing.to_str().unwrap());
    assert_eq!(done.code, Some(2), "{}", done.err);
}
