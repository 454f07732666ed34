//! What holds for all routes: problems, tags, keys, cursors, limits.

use std::collections::BTreeSet;

use serde_json::json;

use super::{author, manager};
use crate::support::{Api, Server, code, header, json as parsed, python_zip, wait_for};

#[test]
fn every_failure_is_a_problem() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    let is = |reply: crate::support::Reply, status: u16, name: &str| {
        assert_eq!((reply.status, code(&reply).as_str()), (status, name), "{}", reply.text());
        let problem = parsed(&reply);
        assert!(problem["detail"].as_str().unwrap().ends_with('.'), "{problem}");
        assert!(problem["instance"].as_str().unwrap().starts_with("/api"), "{problem}");
        reply
    };
    is(ada.get("/nothing"), 404, "not_found");
    is(ada.get("/arenas/none"), 404, "not_found");
    is(ada.get("/arenas/cluster/matches/x"), 400, "bad_request");
    is(ada.get("/arenas/cluster/matches?limt=1"), 400, "bad_request");
    is(ada.get("/arenas/cluster/matches?limit=0"), 400, "bad_request");
    is(ada.get("/arenas/cluster/matches?limit=201"), 400, "bad_request");
    is(ada.get("/arenas/cluster/matches?cursor=17"), 400, "invalid_cursor");
    is(ada.get("/arenas/cluster/leaderboard?table=best"), 400, "bad_request");
    let allowed = is(ada.send("DELETE", "/arenas", "", b""), 405, "method_not_allowed");
    assert!(header(&allowed.head, "allow").unwrap().contains("GET"));
    let rename = "/arenas/cluster/bots/x/rename";
    is(
        ada.send("POST", rename, "Content-Type: text/plain\r\n", b"{}"),
        415,
        "unsupported_media_type",
    );
    let json_type = "Content-Type: application/json; charset=utf-8\r\n";
    is(ada.send("POST", rename, json_type, b"{"), 400, "bad_request");
    is(ada.send("POST", rename, json_type, b"{}"), 422, "unprocessable");
    let large = vec![b' '; (1 << 20) + 1];
    is(ada.send("POST", rename, json_type, &large), 413, "too_large");
    let versions = "/arenas/cluster/versions";
    let zip_type = "Content-Type: application/zip\r\n";
    is(ada.send("POST", versions, zip_type, b"no archive"), 422, "unprocessable");
    is(ada.send("POST", versions, "", b"PK"), 415, "unsupported_media_type");
    let form = "Content-Type: multipart/form-data\r\n";
    is(ada.send("POST", versions, form, b"x"), 400, "bad_request");
    let mut outside = server.client();
    let reply = outside.request("GET", "/api", "", b"").unwrap();
    assert_eq!((reply.status, code(&reply).as_str()), (404, "not_found"));
    let meanings = ada.found("/problems");
    let meanings = meanings["items"].as_array().unwrap();
    assert!(meanings.iter().any(|one| one["code"] == "not_found" && one["status"] == 404));
}

#[test]
fn what_is_known_is_not_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    server.administrator();
    let mut api = manager(&server);
    api.send("POST", "/arenas/cluster/pause", "", b"");
    let (first, tag) = wait_for("a table that stays", || {
        let first = api.get("/arenas/cluster");
        let tag = header(&first.head, "etag").unwrap();
        let again = api.get("/arenas/cluster");
        (header(&again.head, "etag").as_ref() == Some(&tag)).then_some((first, tag))
    });
    assert!(tag.starts_with('"') && !first.body.is_empty(), "{tag}");
    let known = api.send("GET", "/arenas/cluster", &format!("If-None-Match: {tag}\r\n"), b"");
    assert_eq!((known.status, known.body.len()), (304, 0), "{}", known.head);
    assert_eq!(header(&known.head, "etag"), Some(tag));
    let other = api.send("GET", "/arenas/cluster", "If-None-Match: \"x\"\r\n", b"");
    assert_eq!(other.status, 200);
    assert!(header(&other.head, "vary").unwrap().contains("Authorization"));
}

#[test]
fn the_same_key_hands_in_once() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    let zip = python_zip("cluster", "");
    let key = "Idempotency-Key: one\r\n";
    let first = ada.hand_in("cluster", "?message=a", key, &zip);
    let again = ada.hand_in("cluster", "?message=a", key, &zip);
    assert_eq!((first.status, again.status), (201, 201), "{}", again.text());
    assert_eq!(first.text(), again.text());
    assert_eq!(header(&first.head, "location"), header(&again.head, "location"));
    for (query, zip) in [("?message=b", &zip), ("?message=a", &python_zip("cluster", "# 2"))] {
        let other = ada.hand_in("cluster", query, key, zip);
        assert_eq!((other.status, code(&other).as_str()), (422, "idempotency_mismatch"));
    }
    // The key is the person's own, and survives a restart.
    let mut bob = author(&server, &mut root, "bob");
    assert_eq!(bob.hand_in("cluster", "", key, &zip).status, 201);
    let server = server.kill_and_start();
    let after = ada.hand_in("cluster", "?message=a", key, &zip);
    assert_eq!(after.text(), first.text());
    let versions = ada.found("/arenas/cluster/bots/ada/versions");
    assert_eq!(versions["items"].as_array().unwrap().len(), 1);
    // A secret is not kept: the second request learns only that it was done.
    let mut root = manager(&server);
    let body = json!({"note": "club"}).to_string();
    let headers = format!("Content-Type: application/json\r\n{key}");
    let first = root.send("POST", "/admin/invitations", &headers, body.as_bytes());
    assert_eq!(first.status, 201, "{}", first.text());
    assert_eq!(header(&first.head, "cache-control").as_deref(), Some("no-store"));
    let again = root.send("POST", "/admin/invitations", &headers, body.as_bytes());
    assert_eq!((again.status, code(&again).as_str()), (409, "conflict"));
}

#[test]
fn pages_have_each_item_once_while_matches_are_added() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster", "--pace", "0"]);
    let mut api = Api::new(server.client(), None);
    wait_for("matches", || {
        let all = api.found("/arenas/cluster/matches?limit=30");
        (all["items"].as_array().unwrap().len() == 30).then_some(())
    });
    let mut numbers = Vec::new();
    let mut path = "/arenas/cluster/matches?limit=7".to_owned();
    loop {
        let page = api.found(&path);
        let items = page["items"].as_array().unwrap();
        numbers.extend(items.iter().map(|one| one["number"].as_u64().unwrap()));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/arenas/cluster/matches?limit=7&cursor={next}");
    }
    let unique: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(unique.len(), numbers.len());
    assert!(numbers.is_sorted_by(|one, next| one > next) && numbers.last() == Some(&1));
    let mut slugs = Vec::new();
    let mut path = "/arenas/cluster/leaderboard?limit=1".to_owned();
    let total = api.found(&path)["total"].as_u64().unwrap();
    for _ in 0..50 {
        let page = api.found(&path);
        slugs.push(page["items"][0]["bot"]["slug"].as_str().unwrap_or_default().to_owned());
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/arenas/cluster/leaderboard?limit=1&cursor={next}");
    }
    assert!(total > 1 && slugs.len() as u64 <= total + 1, "{slugs:?}");
    let bots = api.found("/arenas/cluster/bots?limit=1");
    let next = bots["next"].as_str().unwrap();
    let other = api.found(&format!("/arenas/cluster/bots?limit=1&cursor={next}"));
    assert_ne!(bots["items"][0]["slug"], other["items"][0]["slug"]);
}

#[test]
fn requests_are_counted_and_other_sites_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut api = Api::new(server.client(), None);
    let reply = api.send("GET", "/arenas", "Origin: https://club.example\r\n", b"");
    let policy = header(&reply.head, "ratelimit-policy").unwrap();
    assert_eq!(policy, "\"requests\";q=6000;w=60");
    assert!(header(&reply.head, "ratelimit").unwrap().starts_with("\"requests\";r=59"));
    assert_eq!(header(&reply.head, "access-control-allow-origin").as_deref(), Some("*"));
    assert!(header(&reply.head, "access-control-allow-credentials").is_none());
    assert!(header(&reply.head, "set-cookie").is_none(), "programs need no cookies");
    let asked = api.send("OPTIONS", "/arenas", "Origin: https://club.example\r\n", b"");
    assert_eq!(asked.status, 204);
    let methods = header(&asked.head, "access-control-allow-methods").unwrap();
    assert!(methods.contains("GET") && !methods.contains("POST"), "{methods}");
    let headers = header(&asked.head, "access-control-allow-headers").unwrap();
    assert!(!headers.to_lowercase().contains("authorization"), "{headers}");
}
