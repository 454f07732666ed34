//! The OpenAPI document: every route that it has is requested, and every reply fits it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{author, manager, ready_bot};
use crate::support::{Api, Client, Reply, Server, header, json as parsed, python_zip, wait_for};

/// An operation of the document.
struct Operation {
    method: String,
    path: String,
    about: Value,
}

fn operations(document: &Value) -> BTreeMap<String, Operation> {
    let mut operations = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, about) in item.as_object().unwrap() {
            let id = about["operationId"].as_str().unwrap().to_owned();
            let method = method.to_uppercase();
            operations.insert(id, Operation { method, path: path.clone(), about: about.clone() });
        }
    }
    operations
}

/// Checks that a reply is one of those that the document has for an operation.
fn check(document: &Value, id: &str, about: &Value, reply: &Reply) {
    let status = reply.status.to_string();
    let mut described = &about["responses"][&status];
    if let Some(place) = described["$ref"].as_str() {
        described = document.pointer(place.strip_prefix('#').unwrap()).unwrap();
    }
    assert!(described.is_object(), "{id} has no {status}: {}", reply.text());
    let Some(content) = described["content"].as_object() else {
        assert!(reply.body.is_empty(), "{id}: {}", reply.text());
        return;
    };
    let kind = header(&reply.head, "content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap();
    let media = content.get(kind).unwrap_or_else(|| panic!("{id} has no {kind}"));
    let Some(schema) = media.get("schema") else { return };
    let mut whole = schema.clone();
    whole["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&whole).unwrap();
    let body: Value = serde_json::from_slice(&reply.body).unwrap();
    let errors: Vec<String> = validator.iter_errors(&body).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{id} {status}: {errors:?}\n{body}");
}

/// Requests in the order in which they are sent: operation, query, body.
fn requests() -> Vec<(&'static str, &'static str, Value)> {
    let none = Value::Null;
    vec![
        ("getServer", "", none.clone()),
        ("getOpenApi", "", none.clone()),
        ("listProblems", "", none.clone()),
        ("getMe", "", none.clone()),
        ("getPerson", "", none.clone()),
        ("makeToken", "", json!({"name": "root", "password": "correct horse"})),
        ("listTokens", "", none.clone()),
        ("listArenas", "", none.clone()),
        ("getArena", "", none.clone()),
        ("getLeaderboard", "?table=live&limit=2", none.clone()),
        ("getMatrix", "", none.clone()),
        ("getHeadToHead", "?a=ada&b=ada&b_version=1", none.clone()),
        ("exportArena", "?format=jsonl", none.clone()),
        ("listBots", "?limit=1", none.clone()),
        ("getBot", "", none.clone()),
        ("listRatings", "", none.clone()),
        ("listVersions", "", none.clone()),
        ("getVersion", "", none.clone()),
        ("getSource", "", none.clone()),
        ("compareVersions", "", json!({"a": 2, "b": 1})),
        ("listComparisons", "", none.clone()),
        ("activateVersion", "", json!({"version": 1})),
        ("pauseBot", "", json!({"reason": "a rest"})),
        ("resumeBot", "", none.clone()),
        ("renameBot", "", json!({"name": "Fox"})),
        ("listMatches", "?bot=ada&limit=1", none.clone()),
        ("getMatch", "", none.clone()),
        ("getReplay", "", none.clone()),
        ("listLogs", "", none.clone()),
        ("disqualifyBot", "", json!({"reason": "copied"})),
        ("reinstateBot", "", none.clone()),
        ("checkMatch", "", none.clone()),
        ("annulMatch", "", json!({"reason": "a fire"})),
        ("restoreMatch", "", none.clone()),
        ("pauseArena", "", none.clone()),
        ("resumeArena", "", none.clone()),
        ("publishTable", "", none.clone()),
        ("listLopsided", "", none.clone()),
        ("getOverview", "", none.clone()),
        ("listPeople", "", none.clone()),
        ("listLog", "", none.clone()),
        ("setRole", "", json!({"role": "organiser"})),
        ("makeResetLink", "", none.clone()),
        ("makeInvitation", "", json!({})),
        ("disablePerson", "", none.clone()),
        ("enablePerson", "", none.clone()),
        ("erasePerson", "", json!({"confirm": "Ada"})),
        ("revokeToken", "", none),
    ]
}

/// Gives the arena a deadline and a final.
fn set_deadline(root: &mut Client, deadline: &str) {
    let form = [
        ("title", "Cluster"),
        ("deadline", deadline),
        ("past", "yes"),
        ("per_day", "100"),
        ("final_games", "2"),
        ("boss", "cluster/greedy"),
    ];
    let page = "/admin/arenas/cluster";
    assert_eq!(root.post(page, page, &form).status, 200);
}

#[test]
fn every_reply_fits_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--arena", "cluster"]);
    let mut root = server.administrator();
    let mut ada = author(&server, &mut root, "ada");
    ready_bot(&mut ada, "");
    ready_bot(&mut ada, "# better");
    let number = wait_for("a match", || {
        ada.found("/arenas/cluster/matches?bot=ada")["items"][0]["number"].as_u64()
    });
    let mut api = manager(&server);
    let document = api.found("/openapi.json");
    let mut left = operations(&document);
    let id = api.found("/tokens")["items"][0]["id"].to_string();
    let filled = |path: &str| {
        let number = if path.contains("/versions/") { 1 } else { number };
        path.replace("{arena}", "cluster")
            .replace("{bot}", "ada")
            .replace("{name}", "ada")
            .replace("{number}", &number.to_string())
            .replace("{id}", &id)
    };
    // These two are not replies of JSON to a request of JSON.
    let events = left.remove("followArena").unwrap();
    let stream = events.about["responses"]["200"]["content"]["text/event-stream"].clone();
    assert!(stream.is_object(), "{}", events.about);
    let hand_in = left.remove("handIn").unwrap();
    let pledge = format!("?nonce={}", agon_match::spec::Digest::of(&[5; 32]));
    let handed = ada.hand_in("cluster", &pledge, "", &python_zip("cluster", "# best"));
    check(&document, "handIn", &hand_in.about, &handed);
    wait_for("the version", || {
        (ada.found("/arenas/cluster/bots/ada")["version"] == 3).then_some(())
    });
    // These three are about a deadline.
    let reveal = json!({"nonce": agon_ladder::ledger::to_hex(&[5; 32])});
    let until = json!({"name": "ada", "until": 32_500_000_000_u64});
    set_deadline(&mut root, "2999-01-01T12:00");
    let extended = api.post("/arenas/cluster/extensions", &until);
    check(&document, "extendDeadline", &left.remove("extendDeadline").unwrap().about, &extended);
    let listed = api.get("/arenas/cluster/extensions");
    assert_eq!(parsed(&listed)["items"][0]["name"], "ada");
    check(&document, "listExtensions", &left.remove("listExtensions").unwrap().about, &listed);
    api.post("/arenas/cluster/extensions", &json!({"name": "ada", "until": null}));
    set_deadline(&mut root, "2001-01-01T12:00");
    let revealed = ada.post("/arenas/cluster/nonce", &reveal);
    assert_eq!(revealed.status, 200, "{}", revealed.text());
    check(&document, "revealNonce", &left.remove("revealNonce").unwrap().about, &revealed);
    set_deadline(&mut root, "");

    for (id, query, body) in requests() {
        let operation = left.remove(id).unwrap_or_else(|| panic!("there is no {id}"));
        let path = filled(&operation.path);
        let reply = match body.is_null() {
            true => api.send(&operation.method, &format!("{path}{query}"), "", b""),
            false => api.post(&path, &body),
        };
        assert!(reply.status < 300, "{id}: {} {}", reply.status, reply.text());
        check(&document, id, &operation.about, &reply);
        // Failures fit, too.
        let path = operation.path.replace("{arena}", "none").replace("{number}", "0");
        let path = path.replace("{bot}", "none").replace("{name}", "none").replace("{id}", "0");
        for mut other in [Api::new(server.client(), None), ada.clone()] {
            let reply = other.send(&operation.method, &path, "", b"");
            check(&document, id, &operation.about, &reply);
        }
    }
    let left: Vec<&String> = left.keys().collect();
    assert!(left.is_empty(), "nobody requests {left:?}");
}

#[test]
fn the_document_is_one_of_openapi() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &[]);
    let document = Api::new(server.client(), None).found("/openapi.json");
    assert_eq!(document["openapi"], "3.1.0");
    let text = document.to_string();
    // Every reference leads somewhere, and names are those that OpenAPI allows.
    for part in text.split("\"$ref\":\"#").skip(1) {
        let place = part.split('"').next().unwrap();
        assert!(document.pointer(place).is_some(), "{place}");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        assert!(name.chars().all(is_allowed), "{name}");
    }
    for (id, operation) in operations(&document) {
        let named = operation.path.matches('{').count();
        let parameters = operation.about["parameters"].as_array().unwrap();
        let in_path = parameters.iter().filter(|parameter| parameter["in"] == "path").count();
        assert_eq!(named, in_path, "{id}");
    }
}
