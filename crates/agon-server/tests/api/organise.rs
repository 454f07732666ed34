//! What organisers do.

use serde_json::json;

use super::{author, manager, ready_bot};
use crate::support::{Api, Server, code, json as parsed, many_hand_ins, wait_for};

#[test]
fn organisers_run_an_arena() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    many_hand_ins(&mut root);
    let mut ada = author(&server, &mut root, "ada");
    let mut api = manager(&server);
    ready_bot(&mut ada, "");
    let bot = "/arenas/cluster/bots/ada";
    let out = api.post(&format!("{bot}/disqualify"), &json!({"reason": "copied"}));
    let out = parsed(&out);
    assert_eq!((&out["state"], &out["reason"]), (&json!("disqualified"), &json!("copied")));
    let refused = ada.send("POST", &format!("{bot}/resume"), "", b"");
    assert_eq!((refused.status, code(&refused).as_str()), (403, "forbidden"));
    let zip = crate::support::python_zip("cluster", "");
    let closed = ada.hand_in("cluster", "", "", &zip);
    assert_eq!((closed.status, code(&closed).as_str()), (409, "closed"));
    let back = api.send("POST", &format!("{bot}/reinstate"), "", b"");
    assert_eq!(parsed(&back)["state"], "playing");

    let number = wait_for("a match", || {
        let matches = api.found("/arenas/cluster/matches?limit=1");
        matches["items"][0]["number"].as_u64()
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
    wait_for("the published table", || {
        let table = api.found("/arenas/cluster/leaderboard?table=published");
        (!table["as_of"].is_null()).then_some(())
    });
}

#[test]
fn organisers_look_after_people() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    author(&server, &mut root, "ada");
    let mut api = manager(&server);
    let made = api.post("/admin/invitations", &json!({"role": "author", "uses": 2}));
    assert_eq!(made.status, 201, "{}", made.text());
    let url = parsed(&made)["url"].as_str().unwrap().to_owned();
    let path = url.strip_prefix(&server.address).unwrap().to_owned();
    let joined =
        server.client().post(&path, &path, &[("name", "bob"), ("password", "wooden spoon")]);
    assert!(joined.path.starts_with("/?"), "{}", joined.text());
    let people = api.found("/admin/people?q=b");
    assert_eq!(people["items"][0]["name"], "bob", "{people}");
    let first = api.found("/admin/people?limit=1");
    let next = first["next"].as_str().unwrap();
    let second = api.found(&format!("/admin/people?limit=1&cursor={next}"));
    assert_eq!(
        (&first["items"][0]["name"], &second["items"][0]["name"]),
        (&json!("ada"), &json!("bob"))
    );
    let role = parsed(&api.post("/admin/people/bob/role", &json!({"role": "organiser"})));
    assert_eq!(role["role"], "organiser");
    let last = api.post("/admin/people/root/role", &json!({"role": "author"}));
    assert_eq!((last.status, code(&last).as_str()), (409, "conflict"));
    let link = parsed(&api.send("POST", "/admin/people/ada/reset-link", "", b""));
    assert!(link["url"].as_str().unwrap().contains("/reset/"), "{link}");
    // An organiser has no power over administrators.
    let mut bob = Api::login(server.client(), "bob", "wooden spoon", &["manage"]);
    let refused = bob.send("POST", "/admin/people/root/disable", "", b"");
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
