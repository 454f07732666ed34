//! From a hand-in to a place in the table, as a program sees it.

use std::{
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    time::Duration,
};

use agon_match::replay::Replay;
use serde_json::json;

use super::{author, manager, ready_bot};
use crate::support::{Api, Server, code, header, json as parsed, python_zip, wait_for};

#[test]
fn a_program_hands_in_and_follows_its_bot() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    let me = ada.found("/me");
    assert_eq!((&me["name"], &me["role"]), (&json!("ada"), &json!("author")));
    assert_eq!(me["scopes"], json!(["read", "submit"]));

    let zip = python_zip("cluster", "");
    let handed = ada.hand_in("cluster", "?name=Fox&message=first%20try", "", &zip);
    assert_eq!(handed.status, 201, "{}", handed.text());
    let version = parsed(&handed);
    assert_eq!((&version["number"], &version["message"]), (&json!(1), &json!("first try")));
    let place = header(&handed.head, "location").unwrap();
    assert_eq!(place, "/api/v1/arenas/cluster/bots/fox/versions/1");
    let path = place.strip_prefix("/api/v1").unwrap();
    let done = wait_for("a version", || {
        let version = ada.found(path);
        (version["state"] == "ready").then_some(version)
    });
    assert_eq!(done["report"]["examinations"][0]["number"], 1, "{done}");
    let mut visitor = Api::new(server.client(), None);
    assert!(visitor.found(path)["report"].is_null(), "reports are for authors");

    let bot = wait_for("matches", || {
        let bot = visitor.found("/arenas/cluster/bots/fox");
        (bot["matches"].as_u64() > Some(2)).then_some(bot)
    });
    assert_eq!((&bot["state"], &bot["name"]), (&json!("playing"), &json!("Fox")));
    let table = visitor.found("/arenas/cluster/leaderboard");
    let rows = table["items"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["bot"]["slug"] == "fox"), "{table}");
    let matches = visitor.found("/arenas/cluster/matches?bot=fox&version=1&limit=1");
    let number = matches["items"][0]["number"].as_u64().unwrap();
    let of_match = visitor.found(&format!("/arenas/cluster/matches/{number}"));
    assert_eq!(of_match["state"], "played", "{of_match}");
    let replay = visitor.get(&format!("/arenas/cluster/matches/{number}/replay"));
    let replay = Replay::open(replay.body).unwrap();
    assert!(replay.verify::<agon_games::cluster::Cluster>().is_proven());
    let points = visitor.found("/arenas/cluster/bots/fox/ratings");
    assert_eq!(points["items"][0]["version"], 1, "{points}");
    let other = of_match["seats"].as_array().unwrap().iter();
    let mut other = other.map(|seat| seat["bot"]["slug"].as_str().unwrap());
    let other = other.rfind(|slug| *slug != "fox").unwrap();
    let pair = format!("/arenas/cluster/head-to-head?a=fox&b={other}");
    let pair = visitor.found(&pair);
    let met = ["wins", "ties", "losses"].iter().map(|of| pair["tally"][of].as_u64().unwrap());
    assert!(met.sum::<u64>() > 0 && !pair["matches"].as_array().unwrap().is_empty(), "{pair}");
}

#[test]
fn sources_and_logs_are_for_their_author() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    let mut bob = author(&server, &mut root, "bob");
    let path = ready_bot(&mut ada, "import sys; print('secret plan', file=sys.stderr)");
    let source = ada.get(&format!("{path}/source"));
    assert_eq!(source.status, 200, "{}", source.text());
    let mut archive = tar::Archive::new(&source.body[..]);
    let names = archive
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, ["agon.py", "agon.toml", "bot.py", "legal.py"]);
    let refused = bob.get(&format!("{path}/source"));
    assert_eq!((refused.status, code(&refused).as_str()), (403, "forbidden"));
    let logs = wait_for("a log", || {
        let matches = ada.found("/arenas/cluster/matches?bot=ada&limit=1");
        let number = matches["items"][0]["number"].as_u64()?;
        let path = format!("/arenas/cluster/matches/{number}/logs");
        let log = ada.found(&path);
        (!log["items"].as_array().unwrap().is_empty()).then_some((path, log))
    });
    assert!(logs.1["items"][0]["text"].as_str().unwrap().contains("secret plan"), "{}", logs.1);
    assert_eq!(bob.found(&logs.0)["items"], json!([]));
    assert_eq!(Api::new(server.client(), None).get(&logs.0).status, 401);
}

#[test]
fn authors_change_their_bots_and_nobody_elses() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    let mut bob = author(&server, &mut root, "bob");
    ready_bot(&mut ada, "");
    ready_bot(&mut ada, "# better");
    let bot = "/arenas/cluster/bots/ada";
    let activated = ada.post(&format!("{bot}/activate"), &json!({"version": 1}));
    assert_eq!(parsed(&activated)["version"], 1, "{}", activated.text());
    let missing = ada.post(&format!("{bot}/activate"), &json!({"version": 9}));
    assert_eq!((missing.status, code(&missing).as_str()), (404, "not_found"));
    let paused = ada.post(&format!("{bot}/pause"), &json!({"reason": "a rest"}));
    let paused = parsed(&paused);
    assert_eq!((&paused["state"], &paused["reason"]), (&json!("paused"), &json!("a rest")));
    assert!(paused["waiting"].as_str().unwrap().contains("Resume"), "{paused}");
    let resumed = ada.send("POST", &format!("{bot}/resume"), "", b"");
    assert_eq!(parsed(&resumed)["state"], "playing", "{}", resumed.text());
    let renamed = ada.post(&format!("{bot}/rename"), &json!({"name": "Fox"}));
    assert_eq!(parsed(&renamed)["name"], "Fox");
    let refused = ada.post(&format!("{bot}/rename"), &json!({"name": ""}));
    assert_eq!((refused.status, code(&refused).as_str()), (422, "unprocessable"));
    let compared = ada.post(&format!("{bot}/compare"), &json!({"a": 2, "b": 1}));
    assert_eq!(compared.status, 201, "{}", compared.text());
    let all = ada.found(&format!("{bot}/comparisons"));
    assert_eq!(all["items"][0]["id"], parsed(&compared)["id"]);
    for (path, body) in [
        ("pause", json!({})),
        ("resume", json!({})),
        ("rename", json!({"name": "Hen"})),
        ("activate", json!({"version": 2})),
        ("compare", json!({"a": 2, "b": 1})),
    ] {
        let refused = bob.post(&format!("{bot}/{path}"), &body);
        assert_eq!((refused.status, code(&refused).as_str()), (403, "forbidden"), "{path}");
    }
    assert_eq!(bob.get(&format!("{bot}/comparisons")).status, 403);
    // An organiser's token without `manage` has the rights of an author.
    let mut weak = Api::login(server.client(), "root", "correct horse", &["read", "submit"]);
    assert_eq!(weak.send("POST", &format!("{bot}/pause"), "", b"").status, 403);
    assert_eq!(manager(&server).send("POST", &format!("{bot}/pause"), "", b"").status, 200);
}

#[test]
fn events_tell_of_tables_matches_and_own_versions() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    let address = server.address.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let token = ada.token.clone().unwrap();
    write!(
        stream,
        "GET /api/v1/arenas/cluster/events HTTP/1.1\r\nHost: {address}\r\n\
         Authorization: Bearer {token}\r\n\r\n"
    )
    .unwrap();
    ready_bot(&mut ada, "");
    let mut missing = vec!["event: table", "event: match", "event: version", "\"state\":\"ready\""];
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        missing.retain(|part| !line.contains(part));
        if missing.is_empty() {
            return;
        }
    }
    panic!("no {missing:?}");
}
