//! What programs do: they hand in bots and follow them, run an arena, export its results.

use std::io::{BufRead, BufReader, Write};
use std::{net::TcpStream, time::Duration};

use agon_match::replay::Replay;
use rusqlite::Connection;
use serde_json::json;

use crate::support::{
    Api, LIVELY, Server, code, header, json as parsed, python_zip, wait_for, wait_until,
};

#[test]
fn a_program_hands_in_and_follows_its_bot() {
    let (server, mut root, _) = Server::with_ada();
    let mut ada = Api::login(server.client(), "ada", "battery staple", &["read", "submit"]);
    let me = ada.found("/me");
    assert_eq!((&me["name"], &me["role"]), (&json!("ada"), &json!("author")));
    assert_eq!(me["scopes"], json!(["read", "submit"]));
    // Events tell of tables, matches and own versions.
    let address = server.address.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let token = ada.token.clone().unwrap();
    write!(
        stream,
        "GET /api/v1/arenas/cluster/events HTTP/1.1\r\nHost: {address}\r\n\
         Authorization: Bearer {token}\r\n\r\n"
    )
    .unwrap();

    let zip = python_zip("cluster", "import sys; print('secret plan', file=sys.stderr)");
    let handed = ada.hand_in("cluster", "?name=Fox&message=first%20try", "", &zip);
    assert_eq!(handed.status, 201, "{}", handed.text());
    let version = parsed(&handed);
    assert_eq!((&version["number"], &version["message"]), (&json!(1), &json!("first try")));
    let place = header(&handed.head, "location").unwrap();
    assert_eq!(place, "/api/v1/arenas/cluster/bots/fox/versions/1");
    let path = place.strip_prefix("/api/v1").unwrap();
    let mut missing = vec!["event: table", "event: match", "event: version", "\"state\":\"ready\""];
    let mut lines = BufReader::new(stream).lines();
    while !missing.is_empty() {
        let line = lines.next().expect("the stream goes on").unwrap();
        missing.retain(|part| !line.contains(part));
    }
    let done = ada.found(path);
    assert_eq!(done["state"], "ready", "{done}");
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
    let matches = visitor.found("/arenas/cluster/matches?bot=fox&version=1");
    let played = matches["items"].as_array().unwrap().iter().find(|one| one["state"] == "played");
    let number = played.unwrap()["number"].as_u64().unwrap();
    let of_match = visitor.found(&format!("/arenas/cluster/matches/{number}"));
    assert_eq!(of_match["state"], "played", "{of_match}");
    let replay = visitor.get(&format!("/arenas/cluster/matches/{number}/replay"));
    let replay = Replay::open(replay.body).unwrap();
    assert!(replay.verify(agon_games::GameId::Cluster.kind()).is_proven());
    let points = visitor.found("/arenas/cluster/bots/fox/ratings");
    assert_eq!(points["items"][0]["version"], 1, "{points}");
    let pair = visitor.found("/arenas/cluster/head-to-head?a=fox&b=builtin-random");
    let met = ["wins", "ties", "losses"].iter().map(|of| pair["tally"][of].as_u64().unwrap());
    assert!(met.sum::<u64>() > 0 && !pair["matches"].as_array().unwrap().is_empty(), "{pair}");

    // Sources and logs are for their author.
    let mut bob = server.api_author(&mut root, "bob");
    let source = ada.get(&format!("{path}/source"));
    assert_eq!(source.status, 200, "{}", source.text());
    let mut archive = tar::Archive::new(&source.body[..]);
    let names = archive.entries().unwrap();
    let names = names.map(|entry| entry.unwrap().path().unwrap().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    assert_eq!(names, ["agon.py", "agon.toml", "bot.py", "legal.py"]);
    let refused = bob.get(&format!("{path}/source"));
    assert_eq!((refused.status, code(&refused).as_str()), (403, "forbidden"));
    let (logs, log) = wait_for("a log", || {
        let matches = ada.found("/arenas/cluster/matches?bot=fox&limit=1");
        let logs = format!("/arenas/cluster/matches/{}/logs", matches["items"][0]["number"]);
        let log = ada.found(&logs);
        (!log["items"].as_array().unwrap().is_empty()).then_some((logs, log))
    });
    assert!(log["items"][0]["text"].as_str().unwrap().contains("secret plan"), "{log}");
    assert_eq!(bob.found(&logs)["items"], json!([]));
    assert_eq!(visitor.get(&logs).status, 401);
}

#[test]
fn authors_change_their_bots_and_organisers_run_an_arena() {
    let (server, mut root) = Server::with_root(&["--arena", "cluster"]);
    let mut ada = server.api_author(&mut root, "ada");
    let mut bob = server.api_author(&mut root, "bob");
    let mut api = server.manager();
    organisers_look_after_people(&server, &mut api);
    for line in ["", "# better"] {
        ada.enter("cluster", "", &python_zip("cluster", line));
    }
    let bot = "/arenas/cluster/bots/ada";
    let activated = ada.post(&format!("{bot}/activate"), &json!({"version": 1}));
    assert_eq!(parsed(&activated)["version"], 1, "{}", activated.text());
    let missing = ada.post(&format!("{bot}/activate"), &json!({"version": 9}));
    assert_eq!((missing.status, code(&missing).as_str()), (404, "not_found"));
    let paused = parsed(&ada.post(&format!("{bot}/pause"), &json!({"reason": "a rest"})));
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
    for action in ["pause", "resume"] {
        assert_eq!(api.send("POST", &format!("{bot}/{action}"), "", b"").status, 200, "{action}");
    }

    let out = parsed(&api.post(&format!("{bot}/disqualify"), &json!({"reason": "copied"})));
    assert_eq!((&out["state"], &out["reason"]), (&json!("disqualified"), &json!("copied")));
    let refused = ada.send("POST", &format!("{bot}/resume"), "", b"");
    assert_eq!((refused.status, code(&refused).as_str()), (403, "forbidden"));
    let closed = ada.hand_in("cluster", "", "", &python_zip("cluster", ""));
    assert_eq!((closed.status, code(&closed).as_str()), (409, "closed"));
    let back = api.send("POST", &format!("{bot}/reinstate"), "", b"");
    assert_eq!(parsed(&back)["state"], "playing");

    let number = wait_for("a match", || {
        let matches = api.found("/arenas/cluster/matches?limit=50");
        let mut matches = matches["items"].as_array().unwrap().iter();
        matches.find(|one| one["state"] == "played").and_then(|one| one["number"].as_u64())
    });
    let path = format!("/arenas/cluster/matches/{number}");
    let checked = parsed(&api.send("POST", &format!("{path}/check"), "", b""));
    assert_eq!(checked, json!({"proven": true, "problem": null}));
    let annulled = parsed(&api.post(&format!("{path}/annul"), &json!({"reason": "a fire"})));
    assert_eq!((&annulled["state"], &annulled["reason"]), (&json!("annulled"), &json!("a fire")));
    let again = api.send("POST", &format!("{path}/annul"), "", b"");
    assert_eq!((again.status, code(&again).as_str()), (409, "conflict"));
    let paused = parsed(&api.send("POST", "/arenas/cluster/pause", "", b""));
    assert_eq!((&paused["phase"], &paused["season"]["paused"]), (&json!("paused"), &json!(true)));
    let resumed = parsed(&api.send("POST", "/arenas/cluster/resume", "", b""));
    assert_eq!(resumed["phase"], "open");
    // The first match does not count any more.
    let published = wait_for("a table with another match", || {
        let published = parsed(&api.send("POST", "/arenas/cluster/publish", "", b""));
        (published["matches"].as_u64() > Some(0)).then_some(published)
    });
    assert!(published["as_of"].is_string(), "{published}");
    wait_until("the published table", || {
        let table = api.found("/arenas/cluster/leaderboard?table=published");
        !table["as_of"].is_null()
    });
}

fn organisers_look_after_people(server: &Server, api: &mut Api) {
    let made = api.post("/admin/invitations", &json!({"role": "author", "uses": 2}));
    assert_eq!(made.status, 201, "{}", made.text());
    let url = parsed(&made)["url"].as_str().unwrap().to_owned();
    let path = url.strip_prefix(&server.address).unwrap().to_owned();
    let joined =
        server.client().post(&path, &path, &[("name", "cleo"), ("password", "wooden spoon")]);
    assert!(joined.path.starts_with("/?"), "{}", joined.text());
    let people = api.found("/admin/people?q=cl");
    assert_eq!(people["items"][0]["name"], "cleo", "{people}");
    let first = api.found("/admin/people?limit=1");
    let next = first["next"].as_str().unwrap();
    let second = api.found(&format!("/admin/people?limit=1&cursor={next}"));
    let names = [&first, &second].map(|page| &page["items"][0]["name"]);
    assert_eq!(names, [&json!("ada"), &json!("bob")]);
    let role = parsed(&api.post("/admin/people/cleo/role", &json!({"role": "organiser"})));
    assert_eq!(role["role"], "organiser");
    let last = api.post("/admin/people/root/role", &json!({"role": "author"}));
    assert_eq!((last.status, code(&last).as_str()), (409, "conflict"));
    let link = parsed(&api.send("POST", "/admin/people/ada/reset-link", "", b""));
    assert!(link["url"].as_str().unwrap().contains("/reset/"), "{link}");
    // An organiser has no power over administrators.
    let mut cleo = Api::login(server.client(), "cleo", "wooden spoon", &["manage"]);
    let refused = cleo.send("POST", "/admin/people/root/disable", "", b"");
    assert_eq!((refused.status, code(&refused).as_str()), (403, "forbidden"));
    let log = api.found("/admin/log?limit=3");
    // The token of a moment ago, the password for it, and before both the link.
    assert_eq!(log["items"][2]["action"], "person.reset-link", "{log}");
    let next = log["next"].as_str().unwrap();
    let older = api.found(&format!("/admin/log?limit=3&cursor={next}"));
    assert!(older["items"][0]["id"].as_i64() < log["items"][2]["id"].as_i64());
    let overview = api.found("/admin/overview");
    assert!(overview["slots"]["total"].as_u64() > Some(0), "{overview}");
}

#[test]
fn matches_and_tables_are_exported_in_three_forms() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::with(&LIVELY);
    let mut api = Api::new(server.client(), None);
    wait_until("matches", || {
        let all = api.found("/arenas/cluster/matches?limit=20");
        all["items"].as_array().unwrap().len() == 20
    });
    let export = |api: &mut Api, query: &str| {
        let reply = api.get(&format!("/arenas/cluster/export?{query}"));
        assert_eq!(reply.status, 200, "{query}: {}", reply.text());
        reply
    };
    let lines = export(&mut api, "what=matches&format=jsonl");
    let lines = lines.text();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((first["number"].as_u64(), first["seats"].as_array().unwrap().len()), (Some(1), 2));
    let count = lines.lines().count();
    let csv = export(&mut api, "what=matches&format=csv");
    assert!(header(&csv.head, "content-disposition").unwrap().contains("cluster-matches.csv"));
    let text = csv.text();
    assert!(text.lines().count() > 2 * count, "a head, and a line for each seat");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    assert!(reader.records().all(|record| record.unwrap().len() == 16));
    let database = export(&mut api, "what=matches&format=sqlite");
    let path = folder.path().join("export.sqlite");
    std::fs::write(&path, &database.body).unwrap();
    let database = Connection::open(&path).unwrap();
    let sql = "SELECT count(*) FROM matches JOIN seats USING (number)";
    let seats: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(seats as usize >= 2 * count, "{seats}");
    // The table that was published last may be from before both bots had played.
    let table = wait_for("a table with both bots", || {
        let table = export(&mut api, "what=leaderboard&format=csv").text();
        (table.lines().count() > 2).then_some(table)
    });
    assert!(table.starts_with("rank,"), "{table}");
    let rows = export(&mut api, "what=leaderboard&format=jsonl").text();
    assert!(rows.lines().all(|row| row.starts_with("{\"rank\":")), "{rows}");
    let body = export(&mut api, "what=leaderboard&format=sqlite").body;
    std::fs::write(&path, body).unwrap();
    let database = Connection::open(&path).unwrap();
    let sql = "SELECT count(*) FROM leaderboard";
    let bots: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(bots as usize, rows.lines().count());
    let left = std::fs::read_dir(server.data().join("work")).unwrap().count();
    assert_eq!(left, 0, "nothing is left");
}
