//! Finals: from the promise to the last match, and what everybody can check of it.

use agon_core::Seed;
use agon_ladder::ledger::{Audit, LINKS, Report, Sample, audit};
use agon_match::spec::Digest;
use serde_json::{Value, json};

use crate::support::{
    Api, Client, Server, arena_form, code, json as parsed, make_arena, organise, python_zip,
    wait_for, wait_until,
};
use crate::{every_page, proof::site};

const NONCE: [u8; 32] = [7; 32];

/// The fields of an arena with a final.
fn fields<'a>(minutes: &'a str, deadline: &'a str) -> [(&'a str, &'a str); 9] {
    [
        ("title", "Cup"),
        ("per_day", "10"),
        ("deadline", deadline),
        ("past", "yes"),
        ("deadline_zone", "+01:00"),
        ("final_games", "2"),
        ("final_minutes", minutes),
        ("boss", "cluster/greedy"),
        ("boss", "cluster/random"),
    ]
}

fn form<'a>(minutes: &'a str, deadline: &'a str) -> Vec<(&'a str, &'a str)> {
    arena_form("cup", &fields(minutes, deadline))
}

fn make_cup(server: &Server, minutes: &str) -> Client {
    let mut root = server.administrator();
    make_arena(&mut root, "cup", &fields(minutes, "2999-01-01T12:00"));
    root
}

/// Moves the deadline to the past, and ends the season.
fn finish(root: &mut Client, minutes: &str) {
    let page = "/admin/arenas/cup";
    let reply = root.post(page, page, &form(minutes, "2001-01-01T12:00"));
    assert_eq!(reply.path, "/arenas/cup?done=changed", "{}", reply.text());
    organise(root, "cup", "finish");
}

/// Hands in a bot that differs from those of others, and waits until it can play.
fn enter(api: &mut Api, name: &str, query: &str) {
    let zip = python_zip("cluster", &format!("# {name}"));
    api.enter("cup", &format!("?name={name}{query}"), &zip);
}

fn reveal(api: &mut Api, nonce: &[u8; 32]) -> (u16, String) {
    let body = json!({"nonce": agon_ladder::ledger::to_hex(nonce)});
    let reply = api.post("/arenas/cup/nonce", &body);
    (reply.status, if reply.status == 200 { String::new() } else { code(&reply) })
}

fn check(server: &Server, sample: Sample) -> Report {
    let options = Audit { sample, ..Audit::default() };
    audit(&site(server), &options, |_| {}, |_| {}).unwrap()
}

#[test]
fn a_final_is_drawn_and_played_and_everybody_can_check_it() {
    let server = Server::with(&[]);
    let mut root = make_cup(&server, "0");
    let page = "/admin/arenas/cup";
    // A few matches are enough: all of them are checked later.
    organise(&mut root, "cup", "pause");
    let mut visitor = Api::new(server.client(), None);
    let season = visitor.found("/arenas/cup");
    assert_eq!(season["final"]["state"], "promised", "{season}");
    let draw = format!("/log/finals/{}.json", season["id"]);
    assert_eq!(server.client().get(&draw).status, 404, "the secret is not shown");
    let pledge = season["final"]["pledge"].as_str().unwrap();
    assert!(server.client().get("/arenas/cup/rules").has(pledge));
    // Nothing has happened yet.
    for page in ["", "/rules", "/matches", "/matrix"] {
        every_page::check(page, &server.client().get(&format!("/arenas/cup{page}")));
    }

    let [mut ada, mut bob, mut mia, mut eve] =
        ["ada", "bob", "mia", "eve"].map(|name| server.api_author(&mut root, name));
    enter(&mut ada, "ada", &format!("&nonce={}", Digest::of(&NONCE)));
    enter(&mut bob, "bob", "");
    enter(&mut mia, "mia", "");
    assert_eq!(mia.post("/arenas/cup/bots/mia/pause", &json!({})).status, 200);
    organise(&mut root, "cup", "resume");
    wait_until("matches", || visitor.found("/arenas/cup")["matches"].as_u64() > Some(10));
    organise(&mut root, "cup", "pause");
    assert_eq!(reveal(&mut ada, &NONCE), (409, "conflict".to_owned()), "others still hand in");
    let extend = |root: &mut Client, until: &str| {
        let form = [("name", "eve"), ("until", until), ("until_zone", "")];
        let reply = root.post("/admin/arenas/cup/extensions", page, &form);
        assert_eq!(reply.status, 200, "{}", reply.text());
    };
    extend(&mut root, "2999-06-01T12:00");
    let reply = root.post(page, page, &form("0", "2001-01-01T12:00"));
    assert_eq!(reply.path, "/arenas/cup?done=changed", "{}", reply.text());
    assert_eq!(reveal(&mut ada, &NONCE).0, 409, "one author still hands in");
    assert_eq!(visitor.found("/arenas/cup")["final"]["takes_nonces"], false);
    extend(&mut root, "");
    assert_eq!(visitor.found("/arenas/cup")["final"]["takes_nonces"], true);
    assert_eq!(reveal(&mut ada, &[8; 32]), (422, "unprocessable".to_owned()));
    assert_eq!(reveal(&mut bob, &NONCE), (409, "conflict".to_owned()), "he has none");
    assert_eq!(reveal(&mut eve, &NONCE), (409, "conflict".to_owned()), "she has no bot");
    assert_eq!(reveal(&mut ada, &NONCE), (200, String::new()));
    assert_eq!(reveal(&mut ada, &NONCE), (200, String::new()), "the same once more");
    finish(&mut root, "0");

    wait_until("the final's arena", || visitor.get("/arenas/cup-final").status == 200);
    // A match that begins now is played again, under its number and with its seed.
    let server = server.kill_and_start();
    let played = wait_for("the final", || {
        let of = visitor.found("/arenas/cup-final");
        (of["phase"] == "over").then_some(of)
    });
    assert_eq!((&played["matches"], &played["final_of"]), (&json!(12), &json!("cup")));
    let season = visitor.found("/arenas/cup");
    assert_eq!(season["final"]["state"], "played");
    assert_eq!(season["final"]["played_in"], "cup-final");
    let mut pages = server.client();
    assert!(pages.get("/arenas/cup").has("Final: <a href=\"/arenas/cup-final\""));
    assert!(pages.get("/arenas/cup-final").has("Season: <a href=\"/arenas/cup\""));
    for page in ["cup", "cup/rules", "cup-final", "cup-final/rules"] {
        every_page::check(page, &pages.get(&format!("/arenas/{page}")));
    }
    assert_meet_twice(&mut visitor);
    let report = wait_for("the last signature", || {
        let report = check(&server, Sample::All);
        assert_eq!(report.findings, [], "{report:?}");
        let is_all = report.matches == report.proven && report.unfinished == 0;
        (report.finals == 1 && is_all).then_some(report)
    });
    assert_eq!(report.parts, LINKS as u64);
    let draw: Value = parsed(&server.client().get(&draw));
    let entrants = draw["inputs"]["entrants"].as_array().unwrap().iter();
    let nonces = entrants.map(|entrant| &entrant["nonce"]).filter(|nonce| !nonce.is_null());
    let nonces: Vec<&Value> = nonces.collect();
    assert_eq!(nonces, [&json!(agon_ladder::ledger::to_hex(&NONCE))]);

    let grades = root.get("/admin/arenas/cup-final/grades.csv").text();
    let absent = ",did not take part: paused: its author paused it,mia\n";
    assert!(grades.contains("\n,mia,mia,") && grades.contains(absent), "{grades}");
    assert!(grades.contains("\n,eve,,") && grades.contains(",no bot,eve\n"), "{grades}");

    // Nothing of it changes any more.
    let zip = python_zip("cluster", "# late");
    assert_eq!(code(&ada.hand_in("cup-final", "", "", &zip)), "closed");
    assert_eq!(ada.post("/arenas/cup-final/bots/ada/pause", &json!({})).status, 409);
    assert_eq!(reveal(&mut bob, &NONCE).0, 409);
    for (arena, field) in [("cup", ("final_games", "3")), ("cup-final", ("per_day", "20"))] {
        let page = format!("/admin/arenas/{arena}");
        let mut changed = form("0", "2001-01-01T12:00");
        changed.retain(|(name, _)| *name != field.0);
        changed.push(field);
        let reply = root.post(&page, &page, &changed);
        assert_eq!(reply.status, 422, "{arena}: {}", reply.text());
    }
    let mut renamed = form("0", "2001-01-01T12:00");
    renamed.retain(|(name, _)| !name.starts_with("final") && *name != "title");
    renamed.push(("title", "Grand final"));
    let page = "/admin/arenas/cup-final";
    let reply = root.post(page, page, &renamed);
    assert_eq!(reply.path, "/arenas/cup-final?done=changed", "{}", reply.text());
    assert_eq!(root.post("/admin/arenas/cup-final/finish", page, &[]).status, 409);
    let later = [("name", "ada"), ("until", "2999-01-01T12:00"), ("until_zone", "")];
    assert_eq!(root.post("/admin/arenas/cup-final/extensions", page, &later).status, 409);
    let rules = server.client().get("/arenas/cup-final/rules");
    assert!(rules.has("A final") && rules.has("/arenas/cup"), "{}", rules.text());
    // It says of a final what is so.
    assert!(rules.has("chose not to wait") && rules.has("plays on, and loses"), "{}", rules.text());
    for words in ["nobody could choose", "similar strength", "Starter kits", " a day"] {
        assert!(!rules.has(words), "{words}: {}", rules.text());
    }
    let table = server.client().get("/arenas/cup-final");
    assert!(table.has("after the last match") && !table.has("Provisional"), "{}", table.text());

    // Whoever changes a planned match afterwards is found.
    let sql = "UPDATE finals SET links = replace(links, '[\"', '[\"0') WHERE inputs IS NOT NULL";
    assert_eq!(server.database().execute(sql), 1);
    let findings = check(&server, Sample::Some(0, Seed(1))).findings;
    assert!(findings.iter().any(|finding| finding.what.contains("final")), "{findings:?}");
}

/// Checks that each bot met each other one twice, once on each seat.
fn assert_meet_twice(visitor: &mut Api) {
    let matches = visitor.found("/arenas/cup-final/matches?limit=100");
    let mut pairs: Vec<(String, String)> = Vec::new();
    for game in matches["items"].as_array().unwrap() {
        let seat = |at: usize| game["seats"][at]["bot"]["slug"].as_str().unwrap().to_owned();
        pairs.push((seat(0), seat(1)));
    }
    pairs.sort();
    assert_eq!(pairs.len(), 12);
    pairs.dedup();
    assert_eq!(pairs.len(), 12, "{pairs:?}");
}

/// Waits until hashes of a seed are there, besides those that were there before.
fn more_hashes(server: &Server, before: &[String]) -> Vec<String> {
    let links = || -> Vec<String> {
        let links = server.database().text("SELECT links FROM finals");
        serde_json::from_str(&links.unwrap()).unwrap()
    };
    let after = wait_for("hashes", || Some(links()).filter(|links| links.len() > before.len()));
    assert_eq!(after[..before.len()], *before);
    after
}

#[test]
fn a_seed_that_was_being_computed_is_computed_on() {
    let server = Server::with(&[]);
    let mut root = make_cup(&server, "1");
    finish(&mut root, "1");
    let before = more_hashes(&server, &[]);
    let rules = server.client().get("/arenas/cup/rules");
    assert!(rules.has("is being computed"), "{}", rules.text());
    let server = server.kill_and_start();
    more_hashes(&server, &before);
    assert!(server.stop(), "it need not wait for all of them");
}

#[test]
#[ignore = "a core computes for two minutes: the long job `kills` runs it"]
fn an_author_may_be_erased_while_a_seed_is_computed() {
    let server = Server::with(&[]);
    let mut root = make_cup(&server, "1");
    let mut ada = server.api_author(&mut root, "ada");
    enter(&mut ada, "ada", &format!("&nonce={}", Digest::of(&NONCE)));
    finish(&mut root, "1");
    more_hashes(&server, &[]);
    let page = "/admin/people/ada/erase";
    let erased = root.post(page, page, &[("confirm", "ada")]);
    assert!(erased.path.ends_with("done=erased"), "{}", erased.text());
    // It need not wait for all hashes.
    let server = server.restart(&[], |_| ());

    // Two built-in bots meet twice. The four matches with the erased bot cannot be played; they are
    // tried until there are twice as many matches as planned.
    let mut visitor = Api::new(server.client(), None);
    wait_until("the end of the final", || {
        let reply = visitor.get("/arenas/cup-final");
        reply.status == 200 && parsed(&reply)["phase"] == "over"
    });
    let matches = visitor.found("/arenas/cup-final/matches?limit=100");
    let states = matches["items"].as_array().unwrap().iter();
    let states: Vec<&str> = states.map(|of| of["state"].as_str().unwrap()).collect();
    let count = |wanted: &str| states.iter().filter(|state| **state == wanted).count();
    assert_eq!((count("played"), count("void"), states.len()), (2, 10, 12), "{states:?}");
    let bot = server.database().text("SELECT name FROM people WHERE erased IS NOT NULL");
    let page = server.client().get(&format!("/arenas/cup-final/bots/{}", bot.unwrap()));
    assert_eq!(page.status, 200);
    wait_until("the last signature", || {
        let report = check(&server, Sample::Some(20, Seed(1)));
        assert_eq!(report.findings, [], "{report:?}");
        report.finals == 1
    });
    assert!(server.stop());
}

#[test]
fn a_final_without_bots_is_no_trouble() {
    let (_server, mut root) = Server::with_root(&[]);
    let new = "/admin/arenas/new";
    let mut alone = form("0", "2999-01-01T12:00");
    alone.retain(|(name, _)| *name != "boss");
    let reply = root.post(new, new, &alone);
    assert_eq!(reply.path, "/arenas/cup?done=made", "{}", reply.text());
    organise(&mut root, "cup", "finish");
    wait_until("the reason", || root.get("/admin").has("needs 2 bots, but 0 can play"));
    // The organisers take it out, or prolong the season.
    let page = "/admin/arenas/cup";
    alone.retain(|(name, _)| !name.starts_with("final"));
    let reply = root.post(page, page, &alone);
    assert_eq!(reply.path, "/arenas/cup?done=changed", "{}", reply.text());
    let all = [
        ("final_games", "0"),
        ("final_games", "100"),
        ("final_most", "1"),
        ("final_minutes", "-1"),
    ];
    for (field, value) in all {
        let mut wrong = alone.clone();
        wrong.push((field, value));
        let reply = root.post(page, page, &wrong);
        assert_eq!(reply.status, 422, "{field}: {}", reply.text());
    }
}
