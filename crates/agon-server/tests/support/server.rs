//! The server as a process.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use std::{ffi::OsStr, net::TcpListener, thread};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::{Api, Client, Database, PATIENCE, Reply, short_arena};

/// The file with the token for the figures; tests of other crates use it, too.
const TOKEN: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../agon-server/tests/support/metrics.token");

/// Names a program that starts the server, perhaps as somebody else who cannot read the
/// repository. Its arguments are the server's program and the server's arguments.
pub(crate) const STARTER: &str = "AGON_TEST_STARTER";

/// A running server. Dropping it kills it.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
    port: u16,
    data: PathBuf,
    /// The folder, if it ends with the server.
    folder: Option<TempDir>,
    flags: Vec<String>,
    /// Variables of its environment.
    variables: Vec<(String, String)>,
    /// The lines that it says.
    lines: Receiver<String>,
    /// The first link of its administrator, if it printed one.
    pub(crate) link: Option<String>,
}

/// The flags of an arena for cluster in which matches are played before anybody hands in a bot.
pub(crate) const LIVELY: [&str; 6] =
    ["--arena", "cluster", "--boss", "cluster/greedy", "--boss", "cluster/random"];

/// Returns the flags for a boss that is quick: the usual ones think for minutes of CPU time, for
/// which all other tests would wait. A single boss does not play before an author hands in a bot.
fn quick_boss(flags: &[String]) -> &'static [&'static str] {
    let has = |wanted: &str| flags.iter().any(|flag| flag == wanted);
    if has("cluster") && !has("--boss") { &["--boss", "cluster/random"] } else { &[] }
}

impl Server {
    /// Starts a server with these flags, in a folder of its own.
    pub(crate) fn with(flags: &[&str]) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Server::start(folder.path(), flags);
        server.folder = Some(folder);
        server
    }

    /// Starts a server with these flags; returns it with its administrator.
    pub(crate) fn with_root(flags: &[&str]) -> (Server, Client) {
        let server = Server::with(flags);
        let root = server.administrator();
        (server, root)
    }

    /// Starts a server with an arena for cluster.
    pub(crate) fn cluster() -> Server {
        Server::with(&["--arena", "cluster"])
    }

    /// Starts a server with an arena for cluster; returns it with its administrator and an author.
    pub(crate) fn with_ada() -> (Server, Client, Client) {
        let (server, mut root) = Server::with_root(&["--arena", "cluster"]);
        let ada = server.author(&mut root, "ada");
        (server, root, ada)
    }

    /// Does the same with an arena without a boss: no match is played while there is one bot. What
    /// a test does not look at would only hold up others.
    pub(crate) fn quiet() -> (Server, Client, Client) {
        let (server, mut root) = Server::with_root(&[]);
        short_arena(&mut root, &[]);
        let ada = server.author(&mut root, "ada");
        (server, root, ada)
    }

    /// Starts a server with a folder.
    pub(crate) fn start(data: &Path, flags: &[&str]) -> Server {
        Server::start_with(data, flags, &[])
    }

    /// Does the same with variables in its environment.
    pub(crate) fn start_with(data: &Path, flags: &[&str], variables: &[(&str, &str)]) -> Server {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let variables: Vec<(String, String)> = variables.iter().map(owned).collect();
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        // A port that nobody uses now; somebody else might take it before the server does.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            if let Some(server) = Server::try_start(data, port, &flags, &variables) {
                return server;
            }
        }
        panic!("the server does not start");
    }

    fn try_start(
        data: &Path,
        port: u16,
        flags: &[String],
        variables: &[(String, String)],
    ) -> Option<Server> {
        let starter = variables.iter().find(|(name, _)| name == STARTER).map(|(_, path)| path);
        let mut command = Command::new(starter.map_or_else(program, PathBuf::from));
        let mut child = command
            .args(starter.map(|_| program()))
            .arg("--data")
            .arg(data)
            .arg("--listen")
            .arg(format!("127.0.0.1:{port}"))
            // Tests ask very often, and all from one address.
            .args(
                (!flags.iter().any(|flag| flag == "--requests-per-minute"))
                    .then_some(["--requests-per-minute", "0"])
                    .into_iter()
                    .flatten(),
            )
            .args(starter.map_or(&["--metrics-token", TOKEN][..], |_| &[]))
            .args(match flags.iter().any(|flag| flag == "--database") {
                true => Vec::new(),
                false => super::flags(data),
            })
            .args(quick_boss(flags))
            .args(flags)
            .envs(variables.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = child.stderr.take().unwrap();
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if std::env::var_os("AGON_SERVER_TALKS").is_some() {
                    eprintln!("server: {line}");
                }
                let _ = sender.send(line);
            }
        });
        let is_secure = flags.iter().any(|flag| flag.starts_with("--tls"));
        let scheme = if is_secure { "https" } else { "http" };
        let mut server = Server {
            child,
            address: format!("{scheme}://127.0.0.1:{port}"),
            port,
            data: data.to_owned(),
            folder: None,
            flags: flags.to_vec(),
            variables: variables.to_vec(),
            lines,
            link: None,
        };
        let mut said = Vec::new();
        loop {
            let Ok(line) = server.lines.recv_timeout(PATIENCE) else {
                panic!("the server ends or hangs; it said: {said:?}");
            };
            said.push(line.clone());
            if line.starts_with("error: ") {
                assert!(line.contains("cannot listen"), "{line}");
                return None;
            }
            if let Some((_, code)) = line.split_once("/join/") {
                server.link = Some(format!("/join/{code}"));
            }
            if line.contains(" (matches at a time: ") {
                break;
            }
        }
        Some(server)
    }

    /// Fetches the figures with the token.
    pub(crate) fn metrics(&self) -> Reply {
        let token = std::fs::read_to_string(TOKEN).unwrap();
        let header = format!("Authorization: Bearer {}\r\n", token.trim());
        self.client().request("GET", "/metrics", &header, &[]).unwrap()
    }

    /// Returns a client that nobody knows yet.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.port)
    }

    /// Makes the administrator's account, and returns the client that is signed in.
    pub(crate) fn administrator(&self) -> Client {
        let link = self.link.clone().expect("a new server prints a link");
        let mut client = self.client();
        let reply = client.post(&link, &link, &[("name", "root"), ("password", "correct horse")]);
        assert_eq!(reply.path, "/admin/arenas", "{}", reply.text());
        client
    }

    /// Returns a client of the API with the rights of the administrator.
    pub(crate) fn manager(&self) -> Api {
        Api::login(self.client(), "root", "correct horse", &["read", "submit", "manage"])
    }

    /// Makes an author, and returns a client of the API that may read and submit.
    pub(crate) fn api_author(&self, administrator: &mut Client, name: &str) -> Api {
        self.author(administrator, name);
        Api::login(self.client(), name, "battery staple", &["read", "submit"])
    }

    /// Makes an account by an invitation, and returns the client that is signed in.
    pub(crate) fn author(&self, administrator: &mut Client, name: &str) -> Client {
        let fields = [("role", "author"), ("uses", "1"), ("days", "1"), ("note", "")];
        let reply = administrator.post("/admin/invitations", "/admin/people", &fields);
        let link = reply.find("/join/", 40);
        let mut client = self.client();
        let reply = client.post(&link, &link, &[("name", name), ("password", "battery staple")]);
        assert!(reply.path.starts_with("/?"), "{}: {}", reply.path, reply.text());
        client
    }

    /// Ends it at once, without any warning, and starts it again with the same folder.
    pub(crate) fn kill_and_start(mut self) -> Server {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let flags = std::mem::take(&mut self.flags);
        self.start_again(&flags)
    }

    /// Stops it well, changes what is in its folder, and starts it again with other flags.
    pub(crate) fn restart(mut self, flags: &[&str], change: impl FnOnce(&Path)) -> Server {
        assert!(self.interrupt(), "it ends well");
        change(&self.data);
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        self.start_again(&flags)
    }

    /// Starts it again with the same folder and port: clients go on.
    fn start_again(mut self, flags: &[String]) -> Server {
        let folder = self.folder.take();
        for _ in 0..50 {
            let again = Server::try_start(&self.data, self.port, flags, &self.variables);
            if let Some(mut server) = again {
                server.folder = folder;
                return server;
            }
            thread::sleep(Duration::from_millis(100));
        }
        panic!("the server does not start again");
    }

    /// Stops it as Ctrl-C does, and returns whether it ended well.
    pub(crate) fn stop(mut self) -> bool {
        self.interrupt()
    }

    fn interrupt(&mut self) -> bool {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
        self.child.wait().unwrap().success()
    }

    /// Connects to its database.
    pub(crate) fn database(&self) -> Database {
        Database::of(&self.data)
    }

    /// Waits until it has ended, or for so long.
    pub(crate) fn wait(&mut self, at_most: Duration) {
        let began = Instant::now();
        while self.child.try_wait().unwrap().is_none() && began.elapsed() < at_most {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the lines that it has said since the last call.
    pub(crate) fn said(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }

    /// Returns the number of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the folder with everything.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }
}

/// Runs the server's program with other words than those of a server.
pub(crate) fn agon_server<W: AsRef<OsStr>>(words: impl IntoIterator<Item = W>) -> Output {
    Command::new(program()).args(words).stdin(Stdio::null()).output().unwrap()
}

/// Returns what a program wrote to stderr.
pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the server's program. The tests of `agon-client` use this file, too: they take the
/// program that is there, which `cargo build -p agon-server` brings up to date.
fn program() -> PathBuf {
    let own = option_env!("CARGO_BIN_EXE_agon-server").map(PathBuf::from);
    own.unwrap_or_else(|| agon_console::serve_options::SERVER.find_or_build(|_| ()).unwrap())
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut String::new());
        }
    }
}
