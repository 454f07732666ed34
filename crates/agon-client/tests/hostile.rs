//! Servers that are away, are something else, or want to deceive; and tokens that do not count.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::Instant;

use agon_ladder::api::{ArenaSummary, BotRef, Leaderboard, LeaderboardRow, List, MatchSummary};
use agon_testkit::http::{FakeServer, response};
use serde_json::{Value, json};

use crate::shell::{Done, Shell, ladder, token};

/// Commands an old terminal, a new one, and readers.
const EVIL: &str = "a\u{1b}[2J\u{9b}2J\u{202e}b\nerror: c";

/// What each command that talks to a server gets as words.
const COMMANDS: [&[&str]; 6] = [
    &["status"],
    &["matches"],
    &["logs"],
    &["leaderboard"],
    &["status", "--json"],
    &["submit", "fox"],
];

fn is_harmless(text: &str) -> bool {
    text.chars().all(|c| c == '\n' || !(c.is_control() || c == '\u{202e}'))
}

/// Checks that a command failed with these words, and with nothing on standard output.
fn fails(done: &Done, words: &str) {
    assert!(done.code == 2 && done.err.contains(words) && done.out.is_empty(), "{done:?}");
    assert!(is_harmless(&done.err), "{done:?}");
}

#[test]
fn tokens_that_do_not_count_say_how_to_sign_in() {
    let (server, shell) = ladder();
    shell.write_bot("fox", "x");
    let database = rusqlite::Connection::open(server.data().join("agon.db")).unwrap();
    assert_eq!(database.execute("UPDATE tokens SET expires = 1", []).unwrap(), 1);
    for words in COMMANDS.iter().filter(|words| words[0] != "leaderboard") {
        fails(&shell.run(words), &format!("sign in again: `agon login {}`", server.address));
    }
    // A token that has ended is no obstacle to a new one, nor to signing out.
    shell.sign_in(&server, "ada");
    shell.ok(&["status"]);
    assert_eq!(database.execute("UPDATE tokens SET expires = 1", []).unwrap(), 1);
    shell.ok(&["logout"]);

    let wrong = format!("agon_{}", "7".repeat(40));
    let other = Shell::new().with("AGON_SERVER_URL", &server.address).with("AGON_TOKEN", &wrong);
    fails(&other.run(&["status"]), "or set another AGON_TOKEN");
    let other = Shell::new().with("AGON_SERVER_URL", &server.address).with("AGON_TOKEN", "secret");
    fails(&other.run(&["status"]), "AGON_TOKEN: this is no token");

    // One that may only read.
    let body = r#"{"name":"ada","password":"battery staple","scopes":["read"]}"#;
    let headers = "Content-Type: application/json\r\n";
    let made = server.client().request("POST", "/api/v1/tokens", headers, body.as_bytes());
    let reader = Shell::new()
        .with("AGON_SERVER_URL", &server.address)
        .with("AGON_TOKEN", &made.unwrap().find("agon_", 40));
    reader.write_bot("fox", "x");
    reader.ok(&["status"]);
    fails(&reader.run(&["submit", "fox", "--no-wait"]), "a token that may do this: `agon login");
}

#[test]
fn a_server_that_is_away_is_an_error_soon() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("http://127.0.0.1:{port}");
    let began = Instant::now();
    let shell = Shell::new();
    fails(&shell.run_with(&["login", &address, "--token-stdin"], "agon_1\n"), "cannot reach");
    fails(&shell.run(&["leaderboard", "--server", &address]), "is the address right");
    fails(&shell.run(&["ladder", "verify", &address]), "cannot reach");
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

/// What a server sends: it gets the path and the connection.
type Answer = fn(&str, &mut TcpStream);

#[test]
fn garbage_is_told_from_agon() {
    let shell = Shell::new();
    let garbage: [(&str, Answer); 4] = [
        ("no Agon server", |_, stream| {
            drop(stream.write_all(b"\x00\x01\x1b[2J\xff\xfe\r\n\r\n"));
        }),
        ("no Agon server", |_, stream| {
            drop(stream.write_all(reply("200 OK", "text/html", "<h1>\u{1b}[2J</h1>").as_bytes()));
        }),
        ("cannot be understood", |path, stream| {
            let text = match path.starts_with("/log/") {
                true => reply("404 Not Found", "text/plain", ""),
                false => reply("200 OK", "application/json", "{\"title\": \"\\u001b[2J\"}"),
            };
            drop(stream.write_all(text.as_bytes()));
        }),
        ("which no Agon server sends", |path, stream| {
            if path.starts_with("/log/") {
                drop(stream.write_all(reply("404 Not Found", "text/plain", "").as_bytes()));
                return;
            }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
            let mut sent = stream.write_all(head.as_bytes());
            while sent.is_ok() {
                sent = stream.write_all(&[b'['; 65_536]);
            }
        }),
    ];
    for (words, answer) in garbage {
        let fake = FakeServer::start(move |_, path, stream| answer(path, stream));
        let done = shell.run_with(&["login", &fake.address, "--token-stdin"], "agon_1\n");
        fails(&done, words);
        assert!(!shell.servers_file().exists(), "nothing is kept");
    }
    let fake = FakeServer::always(reply("200 OK", "text/html", "<h1>Hello</h1>"));
    // A log that is none.
    shell.run(&["ladder", "verify", &fake.address]).ends(1).prints("not verified");
    assert_eq!(shell.run(&["ladder", "dump", &fake.address, "copy"]).code, 2);
    assert!(!shell.folder().join("copy").exists());
}

/// A ladder with names that want to command a terminal.
fn evil_ladder() -> FakeServer {
    let evil = || EVIL.to_owned();
    let bot =
        BotRef { slug: "fox".to_owned(), name: evil(), author: Some(evil()), ..BotRef::default() };
    let row = LeaderboardRow { bot: bot.clone(), language: evil(), ..LeaderboardRow::default() };
    let table = Leaderboard { items: vec![row], ..Leaderboard::default() };
    let arena = ArenaSummary { slug: evil(), ..ArenaSummary::default() };
    let mut one = MatchSummary::default();
    one.seats.push(agon_ladder::api::SeatSummary { bot: Some(bot), ..Default::default() });
    let list = |item: Value| json!({ "items": [item], "next": null });
    let arenas: List<ArenaSummary> = List { items: vec![arena], next: None };
    let slug = "/api/v1/arenas/a%1B%5B2J%C2%9B2J%E2%80%AEb%0Aerror%3A%20c";
    let path = |rest: &str| -> &'static str { format!("{slug}{rest}").leak() };
    with_objects(vec![
        ("/api/v1/arenas", json!(arenas)),
        (path("/leaderboard"), json!(table)),
        (path("/matches"), list(json!(one))),
    ])
}

#[test]
fn names_of_others_command_no_terminal() {
    let ladder = evil_ladder();
    let shell = Shell::new().with("AGON_SERVER_URL", &ladder.address);
    for words in [
        &["leaderboard"][..],
        &["leaderboard", "--json"],
        &["matches"],
        &["matches", "--json"],
        &["leaderboard", "\u{1b}[2Jx"],
    ] {
        let done = shell.run(words);
        assert!(done.code == 0 || words.len() == 2 && done.code == 2, "{words:?}: {done:?}");
        assert!(is_harmless(&done.out) && is_harmless(&done.err), "{words:?}: {done:?}");
        let all = done.out + &done.err;
        assert!(all.contains("a\\u001b[2J\\u009b2J\\u202eb\\nerror: c"), "{words:?}: {all}");
    }
    // JSON has the same texts for programs.
    let done = shell.run(&["leaderboard", "--json"]);
    let row: LeaderboardRow = serde_json::from_str(&done.out).unwrap();
    assert_eq!(row.bot.name, EVIL);
}

#[test]
fn every_command_notices_another_log() {
    let (server, shell) = ladder();
    shell.write_bot("fox", "x");
    let kept = std::fs::read_to_string(shell.servers_file()).unwrap();
    let root_at = kept.find("root = \"").expect("the log is remembered") + "root = \"".len();
    let size_at = kept.find("size = ").unwrap();
    // As if the log had begun in another way.
    let mut other = kept.clone();
    let first = if kept[root_at..].starts_with('A') { "B" } else { "A" };
    other.replace_range(root_at..=root_at, first);
    assert!(size_at < root_at && !kept[size_at..].starts_with("size = 0\n"), "{kept}");
    let token = token(&server, "ada");
    let login = ["login", &server.address, "--token-stdin"];
    let dump = ["ladder", "dump", &server.address, "copy"];
    let all = COMMANDS.iter().copied().chain([&dump[..], &login[..], &["logout"][..]]);
    for words in all {
        std::fs::write(shell.servers_file(), &other).unwrap();
        let done = shell.run_with(words, &token);
        assert_eq!(done.code, 2, "{words:?}: {done:?}");
        assert!(done.err.contains("IS NOT THE ONE THAT WAS SEEN BEFORE"), "{words:?}: {done:?}");
        assert!(done.out.is_empty(), "{words:?}: {done:?}");
        let now = std::fs::read_to_string(shell.servers_file()).unwrap();
        assert!(now.contains(&other[size_at..root_at + 10]), "it is not forgotten: {now}");
    }
    std::fs::write(shell.servers_file(), &other).unwrap();
    shell.run(&["ladder", "verify", &server.address]).ends(1).prints("not verified");
    // Who accepts the other log says so.
    let accepted = [&login[..], &["--accept-new-log"]].concat();
    assert_eq!(shell.run_with(&accepted, &token).code, 0);
    shell.ok(&["ladder", "verify", &server.address]);
}

/// Starts a server that sends the objects of a list by their paths, and 404 for all others.
fn with_objects(objects: Vec<(&'static str, Value)>) -> FakeServer {
    FakeServer::start(move |_, path, stream| {
        let path = path.split('?').next().unwrap();
        let object = objects.iter().find(|(of, _)| *of == path).map(|(_, object)| object);
        let text = match object {
            Some(object) => reply("200 OK", "application/json", &object.to_string()),
            None => reply("404 Not Found", "text/plain", "nothing"),
        };
        // Who has seen enough closes the connection.
        let _ = stream.write_all(text.as_bytes());
    })
}

/// Returns a whole reply.
fn reply(status: &str, kind: &str, body: &str) -> String {
    response(status, &format!("Content-Type: {kind}\r\n"), body)
}
