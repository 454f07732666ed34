//! What programs that watch the server see: whether it is ready, and its figures.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::hand_in::{enter, hand_in, wait_until_done};
use crate::support::{Client, Reply, Server, wait_for, wait_until};

/// Reads figures as Prometheus does, and complains about what is wrong with them.
const PARSE: &str = r#"
import sys
from prometheus_client.parser import text_string_to_metric_families
seen = set()
for family in text_string_to_metric_families(sys.stdin.read()):
    assert family.type != "unknown", family
    assert family.documentation.endswith("."), family
    buckets = {}
    for sample in family.samples:
        key = (sample.name, tuple(sorted(sample.labels.items())))
        assert key not in seen, key
        seen.add(key)
        if sample.name.endswith("_bucket"):
            of = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
            buckets.setdefault(of, []).append((float(sample.labels["le"]), sample.value))
        print(sample.name, sorted(sample.labels.items()), sample.value)
    for counts in buckets.values():
        assert counts == sorted(counts) and counts[-1][0] == float("inf"), counts
        values = [value for _, value in counts]
        assert values == sorted(values), values
"#;

/// Where Debian's package `python3-prometheus-client` has its parser.
const PARSER: &str = "/usr/lib/python3/dist-packages/prometheus_client/parser.py";

fn parsed(text: &str) -> String {
    // Debian's: another one has other packages.
    let mut python = Command::new("/usr/bin/python3")
        .args(["-c", PARSE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn from(client: &mut Client, address: &str) -> Reply {
    let header = format!("X-Forwarded-For: {address}\r\n");
    client.request("GET", "/metrics", &header, &[]).unwrap()
}

#[test]
fn figures_are_what_prometheus_reads() {
    agon_testkit::needs!(PARSER);
    let (server, _, mut ada) = Server::with_ada();
    enter(&mut ada, "");
    let broken = hand_in(&mut ada, "cluster", "python", "raise SystemExit(1)\n");
    wait_until_done(&mut ada, &broken);
    for path in ["/nowhere/a", "/nowhere/b", "/arenas/nobody", "/people/x", "/people/y"] {
        server.client().get(path);
    }
    let wanted = [
        "agon_build_info [('version', '",
        "agon_hand_ins_total [('result', 'accepted')] 2.0",
        "agon_builds_total [('result', 'ready')] 1.0",
        "agon_builds_total [('result', 'failed')] 1.0",
        "agon_build_seconds_count [] 2.0",
        "agon_matches_total [('arena', 'cluster'), ('state', 'played')] ",
        "agon_match_seconds_count [('arena', 'cluster')] ",
        "agon_database_write_seconds_count [] ",
        "agon_recorder_backlog [] ",
        "agon_versions_waiting [] 0.0",
        "agon_slots [] ",
        "agon_board_age_seconds [('arena', 'cluster')] ",
        "agon_http_requests_total [('route', 'none'), ('status', '4xx')] 2.0",
        "agon_http_requests_total [('route', '/people/{name}'), ('status', '4xx')] 2.0",
        "agon_http_request_seconds_count [('route', '/people/{name}')] 2.0",
        "agon_connections [] 1.0",
        "agon_event_streams [] 0.0",
        "agon_player_alive [] 1.0",
        "agon_results_unwritable [] 0.0",
    ];
    let figures = wait_for("all figures", || {
        let reply = server.metrics();
        assert!(reply.head.contains("text/plain; version=0.0.4"), "{}", reply.head);
        let figures = parsed(&reply.text());
        // The arena's figures begin with none.
        let has_played = !figures.contains("agon_match_seconds_sum [('arena', 'cluster')] 0.0");
        (has_played && wanted.iter().all(|line| figures.contains(line))).then_some(figures)
    });
    assert!(!figures.contains("nowhere") && !figures.contains("/people/x"), "{figures}");
    let figure = |name: &str| -> f64 {
        let line = figures.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert!(figure("agon_database_bytes ") > 100_000.0 && figure("agon_disk_free_bytes ") > 1e6);
    assert!(figure("agon_match_seconds_sum ") > 0.0);
}

#[test]
fn figures_are_for_administrators_named_addresses_and_those_with_the_token() {
    let flags = ["--trusted-proxy", "127.0.0.1", "--metrics-from", "203.0.113.7"];
    let (server, mut root) = Server::with_root(&flags);
    let mut ada = server.author(&mut root, "ada");
    let mut visitor = server.client();
    // This machine's address may be that of a proxy.
    assert_eq!(visitor.get("/metrics").status, 404);
    assert_eq!(from(&mut visitor, "127.0.0.1").status, 404);
    assert_eq!(server.metrics().status, 200);
    assert_eq!(from(&mut visitor, "203.0.113.7").status, 200);
    let refused = from(&mut visitor, "203.0.113.8");
    assert_eq!(refused.status, 404);
    assert!(!refused.has("agon_"), "{}", refused.text());
    assert_eq!(from(&mut ada, "203.0.113.8").status, 404);
    assert_eq!(from(&mut root, "203.0.113.8").status, 200);
    for wrong in ["Bearer x", "Bearer ", "Basic Zm94", "figures"] {
        let header = format!("Authorization: {wrong}\r\n");
        let reply = visitor.request("GET", "/metrics", &header, &[]).unwrap();
        assert_eq!(reply.status, 404, "{wrong}");
    }
    // A proxy that nobody named may pass on what comes from anywhere.
    let server = server.restart(&["--metrics-from", "203.0.113.7"], |_| ());
    assert_eq!(from(&mut server.client(), "203.0.113.7").status, 404);
}

#[test]
fn lines_say_what_happens_and_no_secrets() {
    let (server, mut root) =
        Server::with_root(&["--log-format", "json", "--verbose", "--arena", "cluster"]);
    // A server that works is ready.
    for (path, text) in [("/readyz", "ready\n"), ("/healthz", "well\n")] {
        let reply = server.client().get(path);
        assert_eq!((reply.status, reply.text().as_str()), (200, text));
    }
    let page = root.get("/admin");
    assert!(page.has("The ladder uses ") && page.has(" are left for it."), "{}", page.text());
    let mut ada = server.author(&mut root, "ada");
    let session = ada.cookie("agon-session").unwrap().to_owned();
    hand_in(&mut ada, "cluster", "python", "raise SystemExit(1)\n");
    let odd = "/arenas/a%1b[31mb%0ac?code=sesame";
    assert_eq!(server.client().get(odd).status, 404);
    let mut lines = Vec::new();
    let mut objects = Vec::new();
    wait_until("the lines", || {
        lines.extend(server.said());
        let read = |line: &String| serde_json::from_str::<serde_json::Value>(line).ok();
        objects = lines.iter().filter_map(read).collect();
        let has = |message: &str| objects.iter().any(|line| line["message"] == message);
        has("a version came") && has("a version was built")
    });
    let request = objects
        .iter()
        .find(|line| line["target"] == "agon_server::request" && line["status"] == 404)
        .expect("there is a line about the request");
    assert_eq!(request["route"], "/arenas/{arena}");
    assert_eq!(request["method"], "GET");
    assert_eq!(request["address"], "127.0.0.1");
    assert!(request["ms"].is_u64() && request["timestamp"].is_string(), "{request}");
    let came = objects.iter().find(|line| line["message"] == "a version came").unwrap();
    let named = ["arena", "bot", "version"].map(|name| &came[name]);
    assert_eq!(named, [&"cluster".into(), &"ada".into(), &serde_json::json!(1)]);
    let all = lines.concat();
    let link = server.link.clone().unwrap();
    for secret in [session.as_str(), &link["/join/".len()..], "sesame", "correct horse"] {
        assert!(!all.contains(secret), "{secret}");
    }
    assert!(!all.contains('\u{1b}'));
}

#[test]
fn a_wrong_filter_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-server"));
    command.args(["--listen", "127.0.0.1:0", "--data"]).arg(folder.path());
    let output = command.env("AGON_LOG", "loud=loudest").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("AGON_LOG=loud=loudest: expected a level"), "{text}");
}
