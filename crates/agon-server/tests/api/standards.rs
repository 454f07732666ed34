//! What holds for all routes: problems, tags, keys, cursors, limits, tokens.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::{
    Api, Client, LIVELY, Reply, Server, code, header, json as parsed, python_zip, wait_for,
    wait_until,
};

/// Checks that a request was refused for a reason.
fn refused(reply: &Reply, status: u16, name: &str) {
    assert_eq!((reply.status, code(reply).as_str()), (status, name), "{}", reply.text());
}

#[test]
fn every_failure_is_a_problem() {
    let (server, mut root) = Server::with_root(&["--arena", "cluster"]);
    let mut ada = server.api_author(&mut root, "ada");
    let is = |reply: Reply, status: u16, name: &str| {
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
    requests_are_counted_and_other_sites_may_read(&server);
    what_is_known_is_not_sent_again(&mut server.manager());
    the_same_key_hands_in_once(server, &mut root, &mut ada);
}

fn what_is_known_is_not_sent_again(api: &mut Api) {
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

fn the_same_key_hands_in_once(server: Server, root: &mut Client, ada: &mut Api) {
    let zip = python_zip("cluster", "");
    let key = "Idempotency-Key: one\r\n";
    let first = ada.hand_in("cluster", "?message=a", key, &zip);
    let again = ada.hand_in("cluster", "?message=a", key, &zip);
    assert_eq!((first.status, again.status), (201, 201), "{}", again.text());
    assert_eq!(first.text(), again.text());
    assert_eq!(header(&first.head, "location"), header(&again.head, "location"));
    for (query, zip) in [("?message=b", &zip), ("?message=a", &python_zip("cluster", "# 2"))] {
        refused(&ada.hand_in("cluster", query, key, zip), 422, "idempotency_mismatch");
    }
    // The key is the person's own, and survives a restart.
    let mut bob = server.api_author(root, "bob");
    assert_eq!(bob.hand_in("cluster", "", key, &zip).status, 201);
    let server = server.kill_and_start();
    let after = ada.hand_in("cluster", "?message=a", key, &zip);
    assert_eq!(after.text(), first.text());
    let versions = ada.found("/arenas/cluster/bots/ada/versions");
    assert_eq!(versions["items"].as_array().unwrap().len(), 1);
    // A secret is not kept: the second request learns only that it was done.
    let mut root = server.manager();
    let body = json!({"note": "club"}).to_string();
    let headers = format!("Content-Type: application/json\r\n{key}");
    let first = root.send("POST", "/admin/invitations", &headers, body.as_bytes());
    assert_eq!(first.status, 201, "{}", first.text());
    assert_eq!(header(&first.head, "cache-control").as_deref(), Some("no-store"));
    let again = root.send("POST", "/admin/invitations", &headers, body.as_bytes());
    refused(&again, 409, "conflict");
}

#[test]
fn pages_have_each_item_once_while_matches_are_added() {
    let server = Server::with(&[&LIVELY[..], &["--pace", "0"]].concat());
    let mut api = Api::new(server.client(), None);
    wait_until("matches", || {
        let all = api.found("/arenas/cluster/matches?limit=30");
        all["items"].as_array().unwrap().len() == 30
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

fn requests_are_counted_and_other_sites_may_read(server: &Server) {
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

#[test]
fn a_token_may_what_its_scopes_say() {
    let (server, root, _) = Server::with_ada();
    let login = |scopes: &[&str]| Api::login(server.client(), "ADA", "battery staple", scopes);
    let mut read = login(&["read"]);
    refused(&read.send("POST", "/arenas/cluster/versions", "", b"x"), 403, "missing_scope");
    refused(&read.get("/admin/overview"), 403, "missing_scope");
    // A scope gives no right that the person does not have.
    let mut manage = login(&["read", "manage"]);
    for path in ["/admin/overview", "/admin/people", "/admin/log"] {
        refused(&manage.get(path), 403, "forbidden");
    }
    refused(&manage.post("/admin/invitations", &json!({})), 403, "forbidden");
    let mut submit = login(&["submit"]);
    assert_eq!(submit.get("/me").status, 403, "it may not read");
    let missing = Api::new(server.client(), None).get("/me");
    refused(&missing, 401, "unauthorized");
    assert!(header(&missing.head, "www-authenticate").unwrap().starts_with("Bearer"));
    for token in ["agon_1234", &format!("agon_{}", "0".repeat(40)), "x"] {
        let mut wrong = Api::new(server.client(), Some(token));
        assert_eq!(wrong.get("/arenas").status, 401, "{token}");
    }
    // A session reads and changes nothing.
    let mut browser = Api::new(root, None);
    assert_eq!(browser.found("/me")["name"], "root");
    assert_eq!(browser.get("/admin/overview").status, 200);
    refused(&browser.send("POST", "/arenas/cluster/pause", "", b""), 401, "unauthorized");
    assert!(!browser.found("/arenas/cluster")["season"]["paused"].as_bool().unwrap());
}

/// Makes a token on the page of the account.
fn page_token(server: &Server, browser: &mut Client) -> Api {
    let fields = [("label", "laptop"), ("scope", "read"), ("days", "7")];
    let page = browser.post("/account/tokens", "/account", &fields);
    assert!(page.has("laptop"), "{}", page.text());
    assert_eq!(header(&page.head, "cache-control").as_deref(), Some("no-store"));
    assert!(!browser.get("/account").has("agon_"), "it is shown once");
    let mut api = Api::new(server.client(), Some(&page.find("agon_", 40)));
    assert_eq!(api.found("/me")["scopes"], json!(["read"]));
    api
}

#[test]
fn tokens_end_when_they_are_revoked_and_when_the_password_changes() {
    let (server, mut root) = Server::with_root(&[]);
    let mut browser = server.author(&mut root, "ada");
    let login = || Api::login(server.client(), "ada", "battery staple", &["read", "submit"]);
    let (mut one, mut two) = (login(), login());
    let tokens = one.found("/tokens")["items"].as_array().unwrap().clone();
    assert_eq!(tokens.len(), 2);
    let own = tokens.iter().find(|token| token["current"] == true).unwrap();
    let revoked = one.send("DELETE", &format!("/tokens/{}", own["id"]), "", b"");
    assert_eq!(revoked.status, 204, "{}", revoked.text());
    assert_eq!(one.get("/me").status, 401);
    assert_eq!(two.get("/me").status, 200);

    // One of the account's page stays when the password changes, unless somebody wants it.
    let mut of_page = page_token(&server, &mut browser);
    let fields = [("old", "battery staple"), ("password", "new password")];
    browser.post("/account/password", "/account", &fields);
    assert_eq!(two.get("/me").status, 401, "it was made with the old password");
    assert_eq!(of_page.get("/me").status, 200);
    let fields = [("old", "new password"), ("password", "new and better"), ("tokens", "all")];
    let reply = browser.post("/account/password", "/account", &fields);
    assert!(reply.path.contains("done=password"), "{}", reply.text());
    assert_eq!(of_page.get("/me").status, 401);
    // A link that resets the password ends all.
    let mut of_page = page_token(&server, &mut browser);
    let reply = root.post("/admin/people/ada/reset", "/admin/people", &[]);
    let link = reply.find("/reset/", 40);
    let mut again = server.client();
    again.post(&link, &link, &[("password", "newer password")]);
    assert_eq!(of_page.get("/me").status, 401);
    // Tokens of disabled people do nothing, also later.
    let mut of_page = page_token(&server, &mut again);
    let mut manager = server.manager();
    let disabled = manager.send("POST", "/admin/people/ada/disable", "", b"");
    assert_eq!(parsed(&disabled)["disabled"], true, "{}", disabled.text());
    assert_eq!(of_page.get("/me").status, 401);
    let body = json!({"name": "ada", "password": "newer password"});
    assert_eq!(Api::new(server.client(), None).post("/tokens", &body).status, 401);
    root.post("/admin/people/ada/enable", "/admin/people", &[]);
    assert_eq!(of_page.get("/me").status, 401, "an enabled account has no old tokens");
}

#[test]
fn a_person_has_so_many_tokens_and_no_more() {
    let (server, mut root) = Server::with_root(&[]);
    let mut api = Api::new(server.client(), None);
    let fields = [("label", "laptop"), ("scope", "read"), ("days", "7")];
    for _ in 0..50 {
        assert_eq!(root.post("/account/tokens", "/account", &fields).status, 200);
    }
    let body = json!({"name": "root", "password": "correct horse", "label": "x", "days": 1});
    refused(&api.post("/tokens", &body), 409, "conflict");
    let wrong = [
        json!({"name": "root", "password": "correct horse", "days": 0}),
        json!({"name": "root", "password": "correct horse", "scopes": []}),
        json!({"name": "root", "password": "correct horse", "scopes": ["all"]}),
        json!({"name": "root", "password": "correct horse", "unknown": 1}),
        json!({"name": "root"}),
    ];
    for body in wrong {
        assert_eq!(api.post("/tokens", &body).status, 422, "{body}");
    }
    // Passwords cannot be guessed with the API either.
    let body = json!({"name": "root", "password": "wrong"});
    let limited = (0..20).map(|_| api.post("/tokens", &body)).find(|reply| reply.status == 429);
    let limited = limited.expect("tries run out");
    assert_eq!(code(&limited), "rate_limited");
    let wait: u64 = header(&limited.head, "retry-after").unwrap().parse().unwrap();
    assert!((1..=31).contains(&wait), "{wait}");
    let fields = [("name", "root"), ("password", "correct horse")];
    let page = server.client().post("/sign-in", "/sign-in", &fields);
    assert!(page.status == 429 && page.has("too many tries"), "the page counts the same tries");
}
