//! A server with TLS and credentials (`agon worker secure`), and who looks at it (`agon worker
//! status`).

use std::process::{Child, Command, Stdio};
use std::{fs::File, thread, time::Duration};

use agon_testkit::http;
use agon_testkit::nats::{NatsServer, PROGRAM};
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Done, TestDir, hears, round_robin, signal, until};

/// A server that `agon worker secure` has configured, in the folder `queue` of a test.
struct Secured {
    server: NatsServer,
    dir: TestDir,
    workers: Vec<Child>,
}

impl Secured {
    /// Starts one, for so many matches of a bot against a built-in one.
    fn start(matches: u32, bot: &str) -> Secured {
        let dir = TestDir::with_plan(&round_robin(5, matches, 3, &[bot, "builtin:greedy"]));
        let made = dir.run("worker secure queue --host 127.0.0.1");
        made.tells(["nats-server -c queue/nats-server.conf"]);
        // Little room for streams: credentials must allow to share it out.
        let text = dir.read("queue/nats-server.conf");
        let small = text.replace("jetstream { ", "jetstream { max_file_store: 500MB, ");
        assert_ne!(small, text);
        let config = dir.write("queue/nats-server.conf", small);
        let server = NatsServer::start_with(&["--config", config.to_str().unwrap()]);
        Secured { server, dir, workers: Vec::new() }
    }

    /// Returns the address, and the flags of a user.
    fn user(&self, name: &str) -> String {
        let address = self.server.address().replace("nats://", "tls://");
        let queue = self.dir.path("queue").display().to_string();
        format!("{address} --authority {queue}/authority.pem --credentials {queue}/{name}.creds")
    }

    /// Makes credentials for another worker.
    fn add_user(&self, name: &str) {
        let done = self.dir.ok(&format!("worker credential queue worker --name {name}"));
        assert_eq!(done.err, format!("wrote queue/{name}.creds; they expire in 400 days\n"));
    }

    fn add_worker(&mut self, user: &str) {
        let line = format!("worker {} --slots 2 --label {user}", self.user(user));
        let mut command = self.dir.agon(&line);
        self.workers.push(command.stderr(Stdio::null()).spawn().unwrap());
    }

    fn status(&self, user: &str) -> Done {
        self.dir.run(&format!("worker status {} --json", self.user(user)))
    }

    /// Returns the line of the tournament.
    fn tournament(&self, user: &str, out: &str) -> String {
        format!("tournament plan.toml --out {out} --on {}", self.user(user))
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

#[test]
fn each_role_can_do_its_part_and_nothing_else() {
    agon_testkit::needs!(PROGRAM, "python3");
    let mut secured = Secured::start(4, "python3 EXAMPLES/cluster/greedy.py");
    let nobody = secured.status("observer");
    assert_eq!(nobody.code, Some(1), "{nobody:?}");
    secured.add_worker("worker");
    // A user who comes later, without a word to the server.
    secured.add_user("lab-7");
    secured.add_worker("lab-7");
    let done = secured.dir.ok(&secured.tournament("coordinator", "out"));
    done.tells(["128 of 4096 MiB for bots"]);
    secured.dir.ok("tournament plan.toml --out local");
    assert_eq!(secured.dir.results("out"), secured.dir.results("local"));

    // Who looks sees what was played, once both workers have said something.
    let mut seen = Value::Null;
    until("both workers", || {
        seen = serde_json::from_str(&secured.status("observer").out).unwrap();
        seen["total"]["workers"] == 2
    });
    let total = &seen["total"];
    assert_eq!(total["slots"], 4, "{seen}");
    assert!(total["played"].as_u64() >= Some(4) && total["waiting"] == 0, "{seen}");
    let workers = seen["workers"].as_array().unwrap().iter();
    let mut labels: Vec<&str> = workers.map(|of| of["label"].as_str().unwrap()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["lab-7", "worker"]);

    // Each with another one's credentials.
    for line in [
        secured.tournament("worker", "worker"),
        secured.tournament("observer", "observer"),
        format!("worker {}", secured.user("observer")),
        format!("worker {}", secured.user("coordinator")),
    ] {
        secured.dir.ends(2, &line).tells(["these credentials do not allow"]);
    }
    let refused = secured.status("worker");
    refused.tells(["do not allow `Subscription to \"agon.beats\"`"]);
    assert_eq!(refused.code, Some(2));
}

#[test]
fn nothing_counts_of_a_worker_that_is_revoked_while_it_plays() {
    agon_testkit::slow!();
    let mut secured = Secured::start(60, "python3 EXAMPLES/cluster/greedy.py");
    secured.add_user("ada");
    secured.add_worker("ada");
    let dir = &secured.dir;
    let mut command = dir.agon(&secured.tournament("coordinator", "out"));
    let mut playing = command.stderr(File::create(dir.path("log")).unwrap()).spawn().unwrap();
    dir.wait_for("out", 3, &mut playing);
    dir.ok("worker revoke queue ada");
    // The server has not heard of it, and Ada plays on.
    let words = "its sender's credentials were revoked";
    until("a result that does not count", || dir.read("log").contains(words));
    let of_ada = || dir.read("out/journal.jsonl").matches("\"worker\":\"ada-").count();
    // What counted may be on its way into the journal.
    thread::sleep(Duration::from_secs(1));
    let before = of_ada();
    thread::sleep(Duration::from_secs(2));
    assert_eq!(of_ada(), before);
    let server = secured.server.process().to_string();
    assert!(Command::new("kill").args(["-HUP", &server]).status().unwrap().success());
    assert_eq!(secured.workers[0].wait().unwrap().code(), Some(2));
    secured.add_worker("worker");
    let dir = &secured.dir;
    assert_eq!(playing.wait().unwrap().code(), Some(0), "{}", dir.read("log"));
    let journal = dir.read("out/journal.jsonl");
    assert_eq!(journal.matches("\"worker\":\"ada-").count(), before);
    assert!(before < 60 && journal.contains("\"worker\":\"worker-"), "{before}");
    dir.ok("tournament plan.toml --out local");
    assert_eq!(dir.results("out"), dir.results("local"));
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
    let mut secured = Secured::start(2, "spy");
    let words = ["worker.creds", "authority.pem", "nats-server.conf"].map(|name| {
        let path = secured.dir.path("queue").join(name);
        format!("../queue/{name} {}", path.display())
    });
    let words = words.join(" ");
    let manifest = format!(
        "game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"python3 spy.py own {words}\"\n\
         build = \"python3 spy.py {words} 2> own\"\n"
    );
    secured.dir.write("spy/agon.toml", manifest);
    secured.dir.write("spy/spy.py", SPY);
    secured.add_worker("worker");
    secured.dir.ok(&secured.tournament("coordinator", "out"));
    let results = secured.dir.read("out/journal.jsonl");
    // It sees its own file, in which its build wrote that it saw nothing.
    let expected = "the spy has found own\\nthe spy has found\\n";
    assert!(results.contains(expected) && !results.contains("queue/"), "{results}");
}

#[test]
fn figures_are_served_and_a_table_is_shown() {
    agon_testkit::needs!(PROGRAM);
    let server = NatsServer::start();
    let dir = TestDir::new();
    let status = format!("worker status {}", server.address());
    let mut figures = dir.start(&format!("{status} --metrics 127.0.0.1:0"));
    let line = hears(&mut figures, "/metrics");
    let address = line.strip_prefix("figures are at http://127.0.0.1:").unwrap();
    let port = address.strip_suffix("/metrics").unwrap().parse().unwrap();
    let get = |path: &str| http::request(port, "GET", path, &[], "");
    assert_eq!(get("/").0, 404);
    assert!(get("/metrics").1.contains("agon_queue_workers 0\n"));
    let mut worker = dir.agon(&format!("worker {} --slots 3", server.address()));
    let mut worker = worker.stderr(Stdio::null()).spawn().unwrap();
    until("the worker", || get("/metrics").1.contains("agon_queue_slots 3\n"));
    until("the worker in a table", || {
        let table = dir.run(&status);
        let row = "1 worker, 0 of 3 slots busy, 0.0 matches/s, 0 matches waiting\n";
        table.out.contains(row) && table.code == Some(0)
    });
    // A client that says nothing does not stop others.
    let silent = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    assert!(get("/metrics").1.ends_with("# EOF\n"));
    drop(silent);
    signal(&figures, Signal::INT);
    assert_eq!(figures.wait().unwrap().code(), Some(0));
    worker.kill().unwrap();
    worker.wait().unwrap();
    dir.ends(2, "worker status nats://127.0.0.1:9");
}

#[test]
fn a_unit_is_printed() {
    let done = TestDir::new().ok("worker tls://queue.example --label 'lab 7' --install");
    done.prints(["\"tls://queue.example\" \"--label\" \"lab 7\""]);
}
