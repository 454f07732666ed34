//! Servers of NATS for tests, which are killed, stopped and removed.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs::File, thread};

use tempfile::TempDir;

/// The program; `cargo xtask setup` installs it.
pub const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/nats/bin/nats-server");

/// A server of NATS with a folder of its own. Dropping it removes both.
#[derive(Debug)]
pub struct NatsServer {
    folder: TempDir,
    port: u16,
    arguments: Vec<String>,
    child: Option<Child>,
}

impl NatsServer {
    /// Makes and starts a server with JetStream on this machine.
    pub fn start() -> NatsServer {
        NatsServer::start_with(&[])
    }

    /// Does the same, with more arguments; in them, `{folder}` stands for its folder. With a
    /// configuration (`--config`), that says where JetStream is.
    pub fn start_with(arguments: &[&str]) -> NatsServer {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().display().to_string();
        let arguments =
            arguments.iter().map(|argument| argument.replace("{folder}", &place)).collect();
        let mut server = NatsServer { folder, port: free_port(), arguments, child: None };
        server.start_again();
        server
    }

    /// Returns its address.
    pub fn address(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Returns the number of its process.
    pub fn process(&self) -> u32 {
        self.child.as_ref().expect("the server runs").id()
    }

    /// Returns its folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts it, after it was killed.
    pub fn start_again(&mut self) {
        let log = File::options().create(true).append(true).open(self.folder.path().join("log"));
        let log = log.expect("a log");
        let mut command = Command::new(PROGRAM);
        command.args(["--addr", "127.0.0.1", "--port", &self.port.to_string()]);
        if !self.arguments.iter().any(|argument| argument == "--config") {
            command.arg("--config").arg(self.write_config());
        }
        let child = command
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a log"))
            .stderr(log)
            .spawn();
        self.child = Some(child.expect("the server can be started"));
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(20), "{}", self.log());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Writes a configuration with which tests do not depend on how full this machine's disk is.
    fn write_config(&self) -> PathBuf {
        let config = self.folder.path().join("server.conf");
        let text = format!(
            "jetstream {{ store_dir: {:?}, max_memory_store: 8GB, max_file_store: 64GB }}\n",
            self.folder.path().join("jetstream")
        );
        std::fs::write(&config, text).expect("a configuration");
        config
    }

    /// Kills it, as a crash would.
    pub fn kill(&mut self) {
        let mut child = self.child.take().expect("the server runs");
        child.kill().expect("the server runs");
        child.wait().expect("the server ends");
    }

    /// Returns what it has written.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    listener.expect("a free port").port()
}
