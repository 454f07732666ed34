//! The OpenAPI document and the guide: every route is requested, every reply fits the document, and
//! the examples of `docs/api.md` work as they are written.

use std::{collections::BTreeMap, fs, io::Cursor, process::Command};

use serde_json::{Value, json};

use crate::support::{
    Api, Client, LIVELY, Reply, Server, header, json as parsed, python_zip, wait_for, wait_until,
};

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

/// What is asked for more than the path says.
const QUERIES: [(&str, &str); 5] = [
    ("getLeaderboard", "?table=live&limit=2"),
    ("getHeadToHead", "?a=ada&b=ada&b_version=1"),
    ("exportArena", "?format=jsonl"),
    ("listBots", "?limit=1"),
    ("listMatches", "?bot=ada&limit=1"),
];

/// Requests that change something, in the order in which they are sent.
fn changes() -> Vec<(&'static str, Value)> {
    let none = Value::Null;
    vec![
        ("compareVersions", json!({"a": 2, "b": 1})),
        ("makeToken", json!({"name": "root", "password": "correct horse"})),
        ("activateVersion", json!({"version": 1})),
        ("pauseBot", json!({"reason": "a rest"})),
        ("resumeBot", none.clone()),
        ("renameBot", json!({"name": "Fox"})),
        ("disqualifyBot", json!({"reason": "copied"})),
        ("reinstateBot", none.clone()),
        ("checkMatch", none.clone()),
        ("annulMatch", json!({"reason": "a fire"})),
        ("restoreMatch", none.clone()),
        ("pauseArena", none.clone()),
        ("resumeArena", none.clone()),
        ("publishTable", none.clone()),
        ("setRole", json!({"role": "organiser"})),
        ("makeResetLink", none.clone()),
        ("makeInvitation", json!({})),
        ("disablePerson", none.clone()),
        ("enablePerson", none.clone()),
        ("erasePerson", json!({"confirm": "Ada"})),
        ("revokeToken", none),
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
    let (server, mut root) = Server::with_root(&["--arena", "cluster"]);
    let mut ada = server.api_author(&mut root, "ada");
    for line in ["", "# better"] {
        ada.enter("cluster", "", &python_zip("cluster", line));
    }
    let number = wait_for("a match", || {
        ada.found("/arenas/cluster/matches?bot=ada")["items"][0]["number"].as_u64()
    });
    let mut api = server.manager();
    let document = api.found("/openapi.json");
    check_form(&document);
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
    wait_until("the version", || ada.found("/arenas/cluster/bots/ada")["version"] == 3);
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

    let reads = left.iter().filter(|(_, operation)| operation.method == "GET");
    let reads = reads.map(|(id, _)| (id.clone(), Value::Null)).collect::<Vec<_>>();
    let mut changes = changes().into_iter().map(|(id, body)| (id.to_owned(), body));
    // The first change makes what is listed.
    for (id, body) in changes.next().into_iter().chain(reads).chain(changes) {
        let id = id.as_str();
        let operation = left.remove(id).unwrap_or_else(|| panic!("there is no {id}"));
        let path = filled(&operation.path);
        let query = QUERIES.iter().find(|(of, _)| *of == id).map_or("", |(_, query)| *query);
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

/// Checks that the document is one of OpenAPI.
fn check_form(document: &Value) {
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
    for (id, operation) in operations(document) {
        let named = operation.path.matches('{').count();
        let parameters = operation.about["parameters"].as_array().unwrap();
        let in_path = parameters.iter().filter(|parameter| parameter["in"] == "path").count();
        assert_eq!(named, in_path, "{id}");
    }
}

/// Returns the commands of a page.
fn commands(page: &str) -> String {
    let mut commands = String::new();
    let mut is_inside = false;
    for line in page.lines() {
        match line {
            "```sh" => is_inside = true,
            "```" => is_inside = false,
            line if is_inside => commands.push_str(&format!("{line}\n")),
            _ => {}
        }
    }
    commands
}

#[test]
fn the_examples_of_the_guide_work() {
    agon_testkit::needs!("bash", "curl", "jq", "tar");
    let page = fs::read_to_string("../../docs/api.md").unwrap();
    let commands = commands(&page);
    let folder = tempfile::tempdir().unwrap();
    let server = Server::with(&LIVELY);
    let mut ada = server.api_author(&mut server.administrator(), "ada");
    // What the guide exports.
    wait_until("matches", || {
        let matches = ada.found("/arenas/cluster/matches?limit=3");
        matches["items"].as_array().unwrap().len() == 3
    });
    let bot = folder.path().join("my-bot");
    fs::create_dir(&bot).unwrap();
    let mut zip = zip::ZipArchive::new(Cursor::new(python_zip("cluster", ""))).unwrap();
    zip.extract(&bot).unwrap();
    let own = "api=https://agon.example/api/v1\n";
    assert!(commands.contains(own), "{commands}");
    let commands = commands.replace(own, &format!("api={}/api/v1\n", server.address));
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &commands])
        .env("name", "ada")
        .env("password", "battery staple")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let [said, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{said}\n{errors}");
    for part in
        ["cluster: ", "\"submit\"", "1 ", ": passed", "\"paused\"", "\"playing\"", "\"Hen\""]
    {
        assert!(said.contains(part), "no {part} in {said}");
    }
    let csv = fs::read_to_string(folder.path().join("matches.csv")).unwrap();
    assert!(csv.lines().count() > 2, "{csv}");
    assert!(fs::metadata(folder.path().join("table.jsonl")).unwrap().len() > 0);
}

/// Schemathesis, a program that knows nothing of this server, makes requests from the OpenAPI
/// document and compares the replies with it: <https://schemathesis.readthedocs.io>.
/// `cargo xtask setup` installs it here.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/schemathesis/bin/st");

/// How long it looks, in seconds.
const SECONDS: &str = "30";

/// Operations that it leaves out: a stream without end, and what takes the rights away from the
/// token with which it looks.
const LEFT_OUT: &str = "^(followArena|disablePerson|setRole|revokeToken)$";

#[test]
fn strangers_requests_get_the_documented_replies() {
    agon_testkit::slow!();
    agon_testkit::needs!("python3", PROGRAM);
    let folder = tempfile::tempdir().unwrap();
    let server = Server::cluster();
    let mut ada = server.api_author(&mut server.administrator(), "ada");
    ada.enter("cluster", "", &python_zip("cluster", ""));
    wait_for("a match", || {
        ada.found("/arenas/cluster/matches?bot=ada")["items"][0]["number"].as_u64()
    });
    let token = server.manager().token.unwrap();
    let config = folder.path().join("schemathesis.toml");
    fs::copy("tests/api/schemathesis/schemathesis.toml", &config).unwrap();
    let output = Command::new(PROGRAM)
        .arg("--config-file")
        .arg(&config)
        .args(["run", &format!("{}/api/v1/openapi.json", server.address)])
        .args(["--exclude-operation-id-regex", LEFT_OUT])
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .args(["--max-time", SECONDS, "--seed", "1", "--no-color"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(server.client().get("/healthz").status, 200);
}
