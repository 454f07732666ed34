//! Tokens, and what they may do.

use serde_json::json;

use super::{author, manager};
use crate::support::{Api, Server, code, header, json as parsed};

#[test]
fn a_token_may_what_its_scopes_say() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    server.author(&mut root, "ada");
    let login = |scopes: &[&str]| Api::login(server.client(), "ADA", "battery staple", scopes);
    let mut read = login(&["read"]);
    let refused = read.send("POST", "/arenas/cluster/versions", "", b"x");
    assert_eq!((refused.status, code(&refused).as_str()), (403, "missing_scope"));
    let refused = read.get("/admin/overview");
    assert_eq!((refused.status, code(&refused).as_str()), (403, "missing_scope"));
    // A scope gives no right that the person does not have.
    let mut manage = login(&["read", "manage"]);
    for path in ["/admin/overview", "/admin/people", "/admin/log"] {
        let refused = manage.get(path);
        assert_eq!((refused.status, code(&refused).as_str()), (403, "forbidden"), "{path}");
    }
    let refused = manage.post("/admin/invitations", &json!({}));
    assert_eq!((refused.status, code(&refused).as_str()), (403, "forbidden"));
    let mut submit = login(&["submit"]);
    assert_eq!(submit.get("/me").status, 403, "it may not read");
    let mut nobody = Api::new(server.client(), None);
    let missing = nobody.get("/me");
    assert_eq!((missing.status, code(&missing).as_str()), (401, "unauthorized"));
    assert!(header(&missing.head, "www-authenticate").unwrap().starts_with("Bearer"));
    for token in ["agon_1234", &format!("agon_{}", "0".repeat(40)), "x"] {
        let mut wrong = Api::new(server.client(), Some(token));
        assert_eq!(wrong.get("/arenas").status, 401, "{token}");
    }
}

#[test]
fn tokens_end_when_they_are_revoked_and_when_the_password_changes() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut root = server.administrator();
    let mut browser = server.author(&mut root, "ada");
    let login = || Api::login(server.client(), "ada", "battery staple", &["read", "submit"]);
    let (mut one, mut two) = (login(), login());
    let tokens = one.found("/tokens");
    let tokens = tokens["items"].as_array().unwrap().clone();
    assert_eq!(tokens.len(), 2);
    let own = tokens.iter().find(|token| token["current"] == true).unwrap();
    let revoked = one.send("DELETE", &format!("/tokens/{}", own["id"]), "", b"");
    assert_eq!(revoked.status, 204, "{}", revoked.text());
    assert_eq!(one.get("/me").status, 401);
    assert_eq!(two.get("/me").status, 200);

    // One of the account's page stays when the password changes.
    let fields = [("label", "laptop"), ("scope", "read"), ("days", "7")];
    let page = browser.post("/account/tokens", "/account", &fields);
    let secret = page.find("agon_", 40);
    assert!(page.has("laptop"), "{}", page.text());
    assert!(!browser.get("/account").has("agon_"), "it is shown once");
    let mut of_page = Api::new(server.client(), Some(&secret));
    assert_eq!(of_page.found("/me")["scopes"], json!(["read"]));
    let fields = [("old", "battery staple"), ("password", "new password")];
    browser.post("/account/password", "/account", &fields);
    assert_eq!(two.get("/me").status, 401, "it was made with the old password");
    assert_eq!(of_page.get("/me").status, 200);
    // A link that resets the password ends all.
    let reply = root.post("/admin/people/ada/reset", "/admin/people", &[]);
    let link = reply.find("/reset/", 40);
    server.client().post(&link, &link, &[("password", "newer password")]);
    assert_eq!(of_page.get("/me").status, 401);
}

#[test]
fn tokens_of_disabled_people_do_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    let mut manager = manager(&server);
    let disabled = manager.send("POST", "/admin/people/ada/disable", "", b"");
    assert_eq!(parsed(&disabled)["disabled"], true, "{}", disabled.text());
    assert_eq!(ada.get("/me").status, 401);
    let body = json!({"name": "ada", "password": "battery staple"});
    assert_eq!(Api::new(server.client(), None).post("/tokens", &body).status, 401);
}

#[test]
fn passwords_cannot_be_guessed_with_the_api_either() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    server.administrator();
    let mut nobody = Api::new(server.client(), None);
    let body = json!({"name": "root", "password": "wrong"});
    let refused = (0..12).map(|_| nobody.post("/tokens", &body)).find(|reply| reply.status == 429);
    let refused = refused.expect("tries run out");
    assert_eq!(code(&refused), "rate_limited");
    let wait: u64 = header(&refused.head, "retry-after").unwrap().parse().unwrap();
    assert!((1..=31).contains(&wait), "{wait}");
    let fields = [("name", "root"), ("password", "correct horse")];
    let page = server.client().post("/sign-in", "/sign-in", &fields);
    assert!(page.status == 429 && page.has("too many tries"), "the page counts the same tries");
}

#[test]
fn a_session_reads_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let root = server.administrator();
    let mut browser = Api::new(root, None);
    assert_eq!(browser.found("/me")["name"], "root");
    assert_eq!(browser.get("/admin/overview").status, 200);
    let refused = browser.send("POST", "/arenas/cluster/pause", "", b"");
    assert_eq!((refused.status, code(&refused).as_str()), (401, "unauthorized"));
    assert!(!browser.found("/arenas/cluster")["season"]["paused"].as_bool().unwrap());
}

#[test]
fn a_person_has_so_many_tokens_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    server.administrator();
    let mut api = Api::new(server.client(), None);
    let body = json!({"name": "root", "password": "correct horse", "label": "x", "days": 1});
    for _ in 0..50 {
        assert_eq!(api.post("/tokens", &body).status, 201);
    }
    let refused = api.post("/tokens", &body);
    assert_eq!((refused.status, code(&refused).as_str()), (409, "conflict"));
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
}
