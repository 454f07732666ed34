//! A server that `agon-nats secure` has configured, users, and a coordinator's bridge.

use std::fs::{self, File};
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{path::PathBuf, thread};

use agon_files::parts::{Message, receive, send};
use agon_match::spec::Digest;
use agon_remote::fleet::{Class, Lane};
use agon_remote::{Answer, Order};
use agon_testkit::nats::NatsServer;
use async_nats::{Client, ConnectOptions, Event, HeaderMap};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use nkeys::KeyPair;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::PROGRAM;

/// The run of the coordinator.
pub(crate) const RUN: &str = "0123456789abcdef";

/// The longest that anything here may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// A server with credentials.
pub(crate) struct Secured {
    pub(crate) server: NatsServer,
    folder: TempDir,
}

impl Secured {
    pub(crate) fn start() -> Secured {
        let folder = tempfile::tempdir().unwrap();
        let made = agon_nats(&folder, &["secure", "queue", "--host", "127.0.0.1"]);
        assert!(made.status.success(), "{made:?}");
        let config = folder.path().join("queue/nats-server.conf").display().to_string();
        Secured { server: NatsServer::start_with(&["--config", &config]), folder }
    }

    pub(crate) fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        let output = agon_nats(&self.folder, args);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    /// Writes credentials of one more user.
    pub(crate) fn add(&self, role: &str, name: &str) {
        let added = self.run(&["credential", "queue", role, "--name", name]);
        assert_eq!(added.0, Some(0), "{added:?}");
    }

    pub(crate) fn address(&self) -> String {
        self.server.address().replace("nats://", "tls://")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("queue").join(name)
    }

    pub(crate) fn credentials(&self, user: &str) -> Credentials {
        Credentials::read(&fs::read_to_string(self.file(&format!("{user}.creds"))).unwrap())
    }

    /// The flags of a user.
    pub(crate) fn flags(&self, user: &str) -> [String; 4] {
        let path = |name: &str| self.file(name).display().to_string();
        let credentials = path(&format!("{user}.creds"));
        ["--authority".to_owned(), path("authority.pem"), "--credentials".to_owned(), credentials]
    }

    /// Starts a worker with a user's credentials.
    pub(crate) fn worker(&self, user: &str) -> Worker {
        let log = self.folder.path().join(format!("{user}.log"));
        let mut command = Command::new(PROGRAM);
        command
            .arg(self.address())
            .args(self.flags(user))
            .args(["--slots", "1", "--label", user, "-v"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log).unwrap());
        Worker { child: command.spawn().unwrap(), log }
    }

    /// Connects as a user that does not use Agon. What the server refuses comes to the receiver.
    pub(crate) async fn connect(&self, user: &str) -> (Client, UnboundedReceiver<String>) {
        let (refused, refusals) = unbounded_channel();
        let path = self.file(&format!("{user}.creds"));
        let client = ConnectOptions::new()
            .credentials_file(path)
            .await
            .unwrap()
            .add_root_certificates(self.file("authority.pem"))
            .require_tls(true)
            .custom_inbox_prefix(format!("_INBOX.{}", self.credentials(user).user))
            .event_callback(move |event| {
                if let Event::ServerError(error) = event {
                    let _ = refused.send(error.to_string());
                }
                async {}
            })
            .connect(self.address())
            .await
            .unwrap();
        (client, refusals)
    }
}

fn agon_nats(folder: &TempDir, args: &[&str]) -> Output {
    Command::new(PROGRAM).args(args).current_dir(folder.path()).output().unwrap()
}

/// What is in a file of credentials.
pub(crate) struct Credentials {
    pub(crate) token: String,
    pub(crate) user: String,
    pub(crate) claims: Value,
    pub(crate) key: KeyPair,
}

impl Credentials {
    fn read(text: &str) -> Credentials {
        let token = text.lines().nth(1).unwrap().to_owned();
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
        let claims: Value = serde_json::from_slice(&claims).unwrap();
        let seed = text.lines().find(|line| line.starts_with("SU")).unwrap();
        let user = claims["sub"].as_str().unwrap().to_owned();
        Credentials { token, user, claims, key: KeyPair::from_seed(seed).unwrap() }
    }

    /// Returns the headers of a message.
    pub(crate) fn sign(&self, purpose: &str, run: &str, payload: &[u8]) -> HeaderMap {
        let text = format!("{purpose}\0{run}\0{}", Digest::of(payload));
        headers(&self.token, &STANDARD.encode(self.key.sign(text.as_bytes()).unwrap()))
    }
}

pub(crate) fn headers(token: &str, signature: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("Agon-Token", token);
    headers.insert("Agon-Signature", signature);
    headers
}

/// A worker that runs.
pub(crate) struct Worker {
    pub(crate) child: Child,
    log: PathBuf,
}

impl Worker {
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    #[track_caller]
    pub(crate) fn wait_until_it_says(&self, text: &str) {
        let began = Instant::now();
        while !self.said().contains(text) {
            assert!(began.elapsed() < PATIENCE, "{}", self.said());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until it ends by itself, and returns its exit code.
    #[track_caller]
    pub(crate) fn end(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(began.elapsed() < PATIENCE, "{}", self.said());
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program as the part of a coordinator.
pub(crate) struct Bridge {
    child: Child,
    orders: ChildStdin,
    answers: Receiver<Message<Answer>>,
}

impl Bridge {
    /// Starts it with the coordinator's credentials, and waits until it leads the run.
    pub(crate) fn open(secured: &Secured) -> Bridge {
        let bridge = Bridge::start(secured);
        bridge.wait_for(|answer| matches!(answer.value, Answer::Opened { .. }));
        bridge
    }

    /// Starts it with the coordinator's credentials.
    pub(crate) fn start(secured: &Secured) -> Bridge {
        let mut command = Command::new(PROGRAM);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let orders = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        // Its greeting: the name of the program, and the version of the dialogue.
        receive::<(String, u64)>(&mut out).unwrap().unwrap();
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            while let Ok(Some(answer)) = receive(&mut out) {
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        let mut bridge = Bridge { child, orders, answers };
        let path = |name: &str| Some(secured.file(name).display().to_string());
        let open = Order::Open {
            server: secured.address(),
            credentials: path("coordinator.creds"),
            authority: path("authority.pem"),
            bot_store: None,
            run: RUN.to_owned(),
        };
        bridge.tell(&open, &[]);
        bridge
    }

    pub(crate) fn tell(&mut self, order: &Order, bytes: &[u8]) {
        send(&mut self.orders, order, bytes).unwrap();
        self.orders.flush().unwrap();
    }

    /// Publishes a batch, and returns its place.
    pub(crate) fn publish(&mut self, batch: u64, class: &Class, bytes: &[u8]) -> u64 {
        let about = serde_json::to_string(class).unwrap();
        let (lane, class) = (Lane::Normal, class.name());
        self.tell(&Order::Publish { batch, lane, class, about }, bytes);
        let is_carried = |answer: &Message<Answer>| matches!(answer.value, Answer::Carried { .. });
        match self.wait_for(is_carried).value {
            Answer::Carried { place, .. } => place,
            _ => unreachable!(),
        }
    }

    /// Returns whether the server still has a batch.
    pub(crate) fn has(&mut self, batch: u64, place: u64) -> bool {
        self.tell(&Order::Look { batch, place }, &[]);
        let is_found = |answer: &Message<Answer>| matches!(answer.value, Answer::Found { .. });
        matches!(self.wait_for(is_found).value, Answer::Found { is_there: true, .. })
    }

    /// Waits for an answer; others are dropped.
    #[track_caller]
    pub(crate) fn wait_for(&self, is_it: impl Fn(&Message<Answer>) -> bool) -> Message<Answer> {
        let began = Instant::now();
        let mut others = Vec::new();
        while let Some(left) = PATIENCE.checked_sub(began.elapsed()) {
            match self.answers.recv_timeout(left) {
                Ok(answer) if is_it(&answer) => return answer,
                Ok(answer) => others.push(answer.value),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        others.retain(|answer| !matches!(answer, Answer::Lease(_)));
        panic!("only these answers came: {others:?}");
    }

    /// Returns whose results come, and what people are told, until results with these bytes come.
    #[track_caller]
    pub(crate) fn heard_until(&self, last: &[u8]) -> Vec<Message<Answer>> {
        let mut all = Vec::new();
        loop {
            let answer = self.wait_for(|answer| !matches!(answer.value, Answer::Lease(_)));
            if answer.bytes == last {
                return all;
            }
            all.push(answer);
        }
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
