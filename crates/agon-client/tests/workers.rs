//! A ladder whose matches are played by workers, with a real NATS server.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use agon_testkit::nats::{NatsServer, PROGRAM};
use serde_json::Value;

use crate::shell::{Shell, token};
use crate::support::{
    Api, LIVELY, Server, make_arena, python_bot, short_arena, wait_for, wait_until,
};

/// A worker. Dropping it kills it.
struct Worker {
    child: Child,
    log: PathBuf,
}

impl Worker {
    /// Starts one that is named `label` and eight characters.
    fn start(
        server: &NatsServer,
        folder: &Path,
        label: &str,
        flags: &[&str],
        variables: &[(&str, &str)],
    ) -> Worker {
        let log = folder.join(format!("{label}.log"));
        let child = Command::new(agon_remote::PART.find_or_build(|_| ()).unwrap())
            .args([&server.address(), "--slots", "1", "--label", label])
            .args(flags)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let worker = Worker { child, log };
        wait_until("a worker", || fs::read_to_string(&worker.log).unwrap().contains("at a time"));
        worker
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the newest matches that are over, of a bot or of all.
fn played(api: &mut Api, query: &str) -> Vec<Value> {
    let page = api.found(&format!("/arenas/cluster/matches?{query}"));
    let is_played = |entry: &&Value| entry["state"] == "played";
    page["items"].as_array().unwrap().iter().filter(is_played).cloned().collect()
}

/// Waits until as many matches as `more` were played after those that are there.
fn wait_for_more(api: &mut Api, what: &str, more: u64) {
    let newest =
        |api: &mut Api| played(api, "").first().map_or(0, |of| of["number"].as_u64().unwrap());
    let before = newest(api);
    wait_until(what, || newest(api) >= before + more);
}

#[test]
fn workers_play_a_ladder_and_may_die_as_may_their_server() {
    agon_testkit::slow!();
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("ladder");
    let mut nats = NatsServer::start();
    let address = nats.address();
    let server = Server::start(&data, &["--pace", "0", "--on", &address]);
    let mut root = server.administrator();
    short_arena(&mut root, &["greedy", "random"]);
    server.author(&mut root, "ada");
    let shell = Shell::new();
    shell.sign_in(&server, "ada");

    // Nobody plays: administrators read why, and what to do.
    let remedy = format!("no worker is there; start one on each machine: agon worker {address}");
    wait_until("the remedy", || root.get("/admin").has(&remedy));
    assert!(root.get("/admin").has("Matches are played by the workers of"));

    let mut visitor = server.client();
    let ready = visitor.request("GET", "/readyz", "", b"").unwrap();
    assert!(ready.status == 503 && ready.has("no worker is there"), "{}", ready.text());

    let worker = Worker::start(&nats, folder.path(), "lab", &[], &[]);
    wait_until("readiness", || {
        let ready = visitor.request("GET", "/readyz", "", b"").unwrap();
        ready.status == 200
    });
    // A bot with files travels to the worker.
    shell.write_bot("fox", &python_bot("cluster"));
    shell.ok(&["submit", "fox"]);
    let mut api = Api::new(server.client(), Some(&token(&server, "ada")));
    let of_fox = wait_for("a match of fox", || played(&mut api, "bot=fox").first().cloned());
    let path = format!("/arenas/cluster/matches/{}", of_fox["number"]);
    let of_fox = api.found(&path);
    let machine = of_fox["machine"]["worker"].as_str().unwrap();
    assert!(machine.starts_with("lab-"), "{of_fox}");
    assert!(of_fox["replay"] == true && of_fox["faults"].as_array().unwrap().is_empty());
    assert!(server.client().get(&path.replace("/api/v1", "")).has(machine));

    // The worker dies with matches; others play them.
    drop(worker);
    let _other = Worker::start(&nats, folder.path(), "den", &[], &[]);
    wait_for_more(&mut api, "matches after the death of a worker", 200);

    // The server dies, and forgets everything.
    nats.kill();
    fs::remove_dir_all(nats.folder().join("jetstream")).unwrap();
    nats.start_again();
    wait_for_more(&mut api, "matches after the death of the server", 200);

    // Files that are new are sent to the new one.
    shell.write_bot("fox", &(python_bot("cluster") + "# better\n"));
    shell.ok(&["submit", "fox"]);
    wait_for("a match of the new version", || {
        played(&mut api, "bot=fox&version=2").first().cloned()
    });

    // What was planned and not played is played by the next one, which needs no workers.
    let began = Instant::now();
    assert!(server.stop());
    assert!(began.elapsed() < Duration::from_secs(18), "what no worker has begun is taken back");
    let server = Server::start(&data, &["--pace", "0"]);
    let mut api = Api::new(server.client(), None);
    wait_for_more(&mut api, "matches on this machine", 20);
    shell.ok(&["ladder", "verify", &server.address]);
    assert!(server.stop());
}

#[test]
fn a_ladder_without_a_server_for_workers_says_so_and_goes_on_with_it() {
    agon_testkit::needs!(PROGRAM);
    let folder = tempfile::tempdir().unwrap();
    let mut nats = NatsServer::start();
    nats.kill();
    let address = nats.address();
    let server = Server::with(&[&LIVELY[..], &["--pace", "0", "--on", &address]].concat());
    let mut root = server.administrator();
    wait_until("the problem", || root.get("/admin").has("no matches are played: "));
    assert!(root.get("/admin").has("tried again in"));
    nats.start_again();
    let _worker = Worker::start(&nats, folder.path(), "lab", &[], &[]);
    let mut api = Api::new(server.client(), None);
    wait_until("matches", || played(&mut api, "").len() > 5);
}

#[test]
fn a_language_that_no_worker_has_is_not_offered_and_costs_nothing() {
    agon_testkit::needs!(PROGRAM, "python3");
    let folder = tempfile::tempdir().unwrap();
    let nats = NatsServer::start();
    let address = nats.address();
    let server = Server::with(&["--arena", "cluster", "--on", &address]);
    let mut ada = server.author(&mut server.administrator(), "ada");
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    let mut api = Api::new(server.client(), Some(&token(&server, "ada")));
    let mut offers = |wanted: bool| {
        wait_until("the languages", || {
            let languages = api.found("/arenas/cluster")["languages"].to_string();
            languages.contains("\"python\"") == wanted
        });
    };
    offers(true);
    let _bare = Worker::start(&nats, folder.path(), "bare", &[], &[("PATH", "/nowhere")]);
    offers(false);
    assert!(!ada.get("/arenas/cluster/hand-in").has("value=\"python\""));
    shell.write_bot("fox", &python_bot("cluster"));
    shell.change_manifest("fox", |text| format!("language = \"Python\"\n{text}"));
    let done = shell.run(&["submit", "fox"]);
    let why = "no machine that plays here now has python3, which bots in Python need";
    let said = done.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(done.code != 0 && said.contains(why), "{done:?}");
    assert!(!ada.get("/people/ada").has("/bots/"), "{}", ada.get("/people/ada").text());
    let page = "/arenas/cluster/hand-in";
    let form = [("way", "editor"), ("language", "python"), ("code", "x")];
    let reply = ada.upload(page, page, &form, &[]);
    assert!(reply.status == 422 && reply.has("now has python3"), "{}", reply.text());
    let _lab = Worker::start(&nats, folder.path(), "lab", &[], &[]);
    offers(true);
    shell.ok(&["submit", "fox"]);
}

/// Bots that no worker can play wait, and nobody waits for them.
#[test]
fn matches_that_no_worker_can_play_hold_up_no_others() {
    agon_testkit::slow!();
    let folder = tempfile::tempdir().unwrap();
    let nats = NatsServer::start();
    let address = nats.address();
    let server = Server::with(&["--pace", "0", "--on", &address]);
    let mut root = server.administrator();
    short_arena(&mut root, &["greedy", "random"]);
    let rezzo = [("game", "rezzo"), ("boss", "rezzo/random"), ("boss", "rezzo/raider")];
    make_arena(&mut root, "rezzo", &[&rezzo[..], &[("preset", "default")]].concat());
    let _worker = Worker::start(&nats, folder.path(), "lab", &["--games", "cluster"], &[]);
    let mut api = Api::new(server.client(), None);
    // More than are ever planned ahead.
    wait_for_more(&mut api, "matches of cluster", 600);
    let waiting = api.found("/arenas/rezzo/matches");
    assert!(waiting["items"].as_array().unwrap().iter().all(|of| of["state"] != "played"));
    wait_until("the reason", || root.get("/admin").has("none of 1 workers can play them"));
    // They are played as soon as somebody can.
    let _other = Worker::start(&nats, folder.path(), "den", &[], &[]);
    wait_until("a match of rezzo", || {
        let page = api.found("/arenas/rezzo/matches");
        page["items"].as_array().unwrap().iter().any(|of| of["state"] == "played")
    });
}
