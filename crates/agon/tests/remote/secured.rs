//! A server with TLS and credentials (`agon worker secure`), and who looks at it (`agon worker
//! status`).

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

use agon_testkit::nats::{NatsServer, PROGRAM};
use serde_json::Value;

use super::fleet::{wait_for, with_parts};
use crate::tournament::test_dir::{TestDir, root, signal};

/// A server that `agon worker secure` has configured, in the folder `queue` of a test.
pub(super) struct Secured {
    server: NatsServer,
    pub(super) dir: TestDir,
    workers: Vec<Child>,
}

impl Secured {
    fn start(matches: u32) -> Secured {
        let bots = root().join("examples/bots/cluster").canonicalize().unwrap();
        Secured::with_plan(&format!(
            "game = \"cluster\"\nseed = 5\nmatches = {matches}\nbots = [\"python3 {}/greedy.py\", \
             \"builtin:greedy\"]\n\n[settings]\nside = 3\n\n[format]\nkind = \"round-robin\"\n",
            bots.display()
        ))
    }

    pub(super) fn with_plan(plan: &str) -> Secured {
        let dir = TestDir::with_plan(plan);
        let made = run(&dir, &["worker", "secure", "queue", "--host", "127.0.0.1"]);
        assert!(made.1.contains("nats-server -c queue/nats-server.conf"), "{made:?}");
        let config = dir.path("queue/nats-server.conf").display().to_string();
        // Little room for streams: credentials must allow to share it out.
        let text = fs::read_to_string(&config).unwrap();
        let small = text.replace("jetstream { ", "jetstream { max_file_store: 500MB, ");
        assert_ne!(small, text);
        fs::write(&config, small).unwrap();
        let server = NatsServer::start_with(&["--config", &config]);
        Secured { server, dir, workers: Vec::new() }
    }

    pub(super) fn address(&self) -> String {
        self.server.address().replace("nats://", "tls://")
    }

    /// The flags of a user.
    pub(super) fn user(&self, name: &str) -> [String; 4] {
        let file = |name: &str| self.dir.path(&format!("queue/{name}")).display().to_string();
        let credentials = file(&format!("{name}.creds"));
        ["--authority".to_owned(), file("authority.pem"), "--credentials".to_owned(), credentials]
    }

    pub(super) fn add_worker(&mut self, user: &str) {
        let mut command = with_parts(&self.dir, &["worker", &self.address(), "--slots", "2"]);
        command.args(self.user(user)).args(["--label", user]).stderr(Stdio::null());
        self.workers.push(command.spawn().unwrap());
    }

    fn status(&self, user: &str) -> Output {
        let mut command = with_parts(&self.dir, &["worker", "status", &self.address(), "--json"]);
        command.args(self.user(user)).output().unwrap()
    }

    fn tournament(&self, user: &str, out: &str) -> (Option<i32>, String) {
        let mut command = with_parts(&self.dir, &["tournament", "plan.toml", "--out", out]);
        let done = command.args(["--on", &self.address()]).args(self.user(user)).output().unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    }
}

impl Drop for Secured {
    fn drop(&mut self) {
        for worker in &mut self.workers {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

pub(super) fn run(dir: &TestDir, args: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = with_parts(dir, args).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn each_role_can_do_its_part_and_nothing_else() {
    agon_testkit::needs!(PROGRAM, "python3");
    let mut secured = Secured::start(4);
    let nobody = secured.status("observer");
    assert_eq!(nobody.status.code(), Some(1), "{nobody:?}");
    secured.add_worker("worker");
    // A user who comes later, without a word to the server.
    let added = run(&secured.dir, &["worker", "credential", "queue", "worker", "--name", "lab-7"]);
    assert_eq!(added, (Some(0), "wrote queue/lab-7.creds; they expire in 400 days\n".to_owned()));
    secured.add_worker("lab-7");
    let (code, said) = secured.tournament("coordinator", "out");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("128 of 4096 MiB for bots"), "{said}");
    secured.dir.succeed(&["plan.toml", "--out", "local"]);
    assert_eq!(secured.dir.results("out"), secured.dir.results("local"));

    // Who looks sees what was played, once both workers have said something.
    let mut seen = Value::Null;
    wait_for("both workers", || {
        seen = serde_json::from_slice(&secured.status("observer").stdout).unwrap();
        seen["total"]["workers"] == 2
    });
    let total = &seen["total"];
    assert_eq!(total["slots"], 4, "{seen}");
    assert!(total["played"].as_u64() >= Some(4) && total["waiting"] == 0, "{seen}");
    let mut labels: Vec<&str> =
        seen["workers"].as_array().unwrap().iter().map(|w| w["label"].as_str().unwrap()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["lab-7", "worker"]);

    // Each with another one's credentials.
    for user in ["worker", "observer"] {
        let (code, said) = secured.tournament(user, user);
        assert_eq!(code, Some(2), "{user}: {said}");
        assert!(said.contains("these credentials do not allow"), "{user}: {said}");
    }
    for user in ["observer", "coordinator"] {
        let mut command = with_parts(&secured.dir, &["worker", &secured.address()]);
        let done = command.args(secured.user(user)).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{user}: {said}");
        assert!(said.contains("these credentials do not allow"), "{user}: {said}");
    }
    let refused = secured.status("worker");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("do not allow `Subscription to \"agon.beats\"`"), "{said}");
}

#[test]
fn nothing_counts_of_a_worker_that_is_revoked_while_it_plays() {
    agon_testkit::slow!();
    let mut secured = Secured::start(60);
    let added = run(&secured.dir, &["worker", "credential", "queue", "worker", "--name", "ada"]);
    assert_eq!(added.0, Some(0), "{added:?}");
    secured.add_worker("ada");
    let log = secured.dir.path("log");
    let mut command = with_parts(&secured.dir, &["tournament", "plan.toml", "--out", "out"]);
    command.args(["--on", &secured.address()]).args(secured.user("coordinator"));
    let mut playing = command.stderr(File::create(&log).unwrap()).spawn().unwrap();
    secured.dir.wait_for("out", 3, &mut playing);
    let revoked = run(&secured.dir, &["worker", "revoke", "queue", "ada"]);
    assert_eq!(revoked.0, Some(0), "{revoked:?}");
    // The server has not heard of it, and Ada plays on.
    wait_for("a result that does not count", || {
        fs::read_to_string(&log).unwrap().contains("its sender's credentials were revoked")
    });
    let of_ada = || {
        let journal = fs::read_to_string(secured.dir.path("out/journal.jsonl")).unwrap();
        journal.matches("\"worker\":\"ada-").count()
    };
    // What counted may be on its way into the journal.
    thread::sleep(Duration::from_secs(1));
    let before = of_ada();
    thread::sleep(Duration::from_secs(2));
    assert_eq!(of_ada(), before);
    let server = secured.server.process().to_string();
    assert!(Command::new("kill").args(["-HUP", &server]).status().unwrap().success());
    assert_eq!(secured.workers[0].wait().unwrap().code(), Some(2));
    secured.add_worker("worker");
    assert_eq!(playing.wait().unwrap().code(), Some(0), "{}", fs::read_to_string(&log).unwrap());
    let journal = fs::read_to_string(secured.dir.path("out/journal.jsonl")).unwrap();
    assert_eq!(journal.matches("\"worker\":\"ada-").count(), before);
    assert!(before < 60 && journal.contains("\"worker\":\"worker-"), "{before}");
    secured.dir.succeed(&["plan.toml", "--out", "local"]);
    assert_eq!(secured.dir.results("out"), secured.dir.results("local"));
}

/// Opens the files that its arguments name, and looks for credentials in `/proc` and in its
/// environment.
const SPY: &str = r#"
import os, sys
found = []
words = sys.argv[1:]
for process in filter(str.isdigit, os.listdir("/proc")):
    words += [f"/proc/{process}/{name}" for name in ("environ", "cmdline")]
for word in words:
    try:
        text = open(word, errors="replace").read()
        own = f"/proc/{os.getpid()}/" in word or f"/proc/{os.getppid()}/" in word
        if not word.startswith("/proc") or not own and ".creds" in text:
            found.append(word)
    except OSError:
        pass
found += [name for name, value in os.environ.items() if ".creds" in value]
print("the spy has found", *found, file=sys.stderr)
if "own" in found:
    print(open("own").read(), file=sys.stderr)
"#;

#[test]
fn a_bot_finds_no_credentials_of_the_worker_that_plays_it() {
    agon_testkit::needs!(PROGRAM, "python3");
    let mut secured = Secured::with_plan(
        "game = \"cluster\"\nseed = 5\nmatches = 2\nbots = [\"spy\", \"builtin:greedy\"]\n\n\
         [settings]\nside = 3\n\n[format]\nkind = \"round-robin\"\n",
    );
    let folder = secured.dir.path("spy");
    fs::create_dir(&folder).unwrap();
    let names = ["worker.creds", "authority.pem", "nats-server.conf"];
    let words = names.map(|name| {
        let path = secured.dir.path("queue").join(name);
        format!("../queue/{name} {}", path.display())
    });
    let words = words.join(" ");
    let manifest = format!(
        "game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"python3 spy.py own {words}\"\n\
         build = \"python3 spy.py {words} 2> own\"\n"
    );
    fs::write(folder.join("agon.toml"), manifest).unwrap();
    fs::write(folder.join("spy.py"), SPY).unwrap();
    secured.add_worker("worker");
    let (code, said) = secured.tournament("coordinator", "out");
    assert_eq!(code, Some(0), "{said}");
    let results = fs::read_to_string(secured.dir.path("out/journal.jsonl")).unwrap();
    // It sees its own file, in which its build wrote that it saw nothing.
    let expected = "the spy has found own\\nthe spy has found\\n";
    assert!(results.contains(expected) && !results.contains("queue/"), "{results}");
}

#[test]
fn figures_are_served_and_a_table_is_shown() {
    agon_testkit::needs!(PROGRAM);
    let server = NatsServer::start();
    let dir = TestDir::with_plan("");
    let status = ["worker", "status", &server.address()];
    let mut figures = with_parts(&dir, &status);
    let mut figures = figures.args(["--metrics", "127.0.0.1:0"]).spawn().unwrap();
    let mut said = BufReader::new(figures.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("figures are at http://").unwrap();
    let address = address.strip_suffix("/metrics").unwrap().to_owned();
    let get = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    };
    assert!(get("/").starts_with("HTTP/1.1 404 "));
    assert!(get("/metrics").contains("agon_queue_workers 0\n"));
    let mut worker = with_parts(&dir, &["worker", &server.address(), "--slots", "3"]);
    let mut worker = worker.stderr(Stdio::null()).spawn().unwrap();
    wait_for("the worker", || get("/metrics").contains("agon_queue_slots 3\n"));
    wait_for("the worker in a table", || {
        let table = with_parts(&dir, &status).output().unwrap();
        let shown = String::from_utf8(table.stdout).unwrap();
        shown.contains("1 worker, 0 of 3 slots busy, 0.0 matches/s, 0 matches waiting\n")
            && table.status.code() == Some(0)
    });
    // A client that says nothing does not stop others.
    let silent = TcpStream::connect(&address).unwrap();
    assert!(get("/metrics").ends_with("# EOF\n"));
    drop(silent);
    signal(&figures, "INT");
    assert_eq!(figures.wait().unwrap().code(), Some(0));
    worker.kill().unwrap();
    worker.wait().unwrap();
    let gone = with_parts(&dir, &["worker", "status", "nats://127.0.0.1:9"]).output().unwrap();
    assert_eq!(gone.status.code(), Some(2));
}

#[test]
fn a_unit_is_printed() {
    let dir = TestDir::with_plan("");
    let args = ["worker", "tls://queue.example", "--label", "lab 7", "--install"];
    let unit = with_parts(&dir, &args).output().unwrap();
    let text = String::from_utf8(unit.stdout).unwrap();
    assert!(unit.status.success());
    assert!(text.contains("\"tls://queue.example\" \"--label\" \"lab 7\""), "{text}");
}
