//! Servers of PostgreSQL for tests, which are made, killed and removed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, net::TcpListener, os::unix::fs::PermissionsExt, thread, time::Duration};

use tempfile::TempDir;

/// The variable with the address of a server whose databases tests may make: `postgres://` and
/// what follows, up to the name of a database.
pub const VARIABLE: &str = "AGON_TEST_POSTGRES";

/// Where Debian has the programs of each release.
const RELEASES: &str = "/usr/lib/postgresql";

/// A server of PostgreSQL with a folder of its own. Dropping it removes both.
#[derive(Debug)]
pub struct TestServer {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

impl TestServer {
    /// Makes and starts a server on this machine; `None` if PostgreSQL is not installed.
    ///
    /// It orders texts as people do, unlike the ladder's tables, and syncs nothing: only the
    /// machine's own end could lose something.
    pub fn start() -> Option<TestServer> {
        let programs = programs()?;
        let folder = tempfile::tempdir().expect("a folder");
        // The server refuses to be root, and must reach its own folder.
        let open = fs::Permissions::from_mode(0o711);
        fs::set_permissions(folder.path(), open).expect("permissions");
        let data = folder.path().join("data");
        fs::create_dir(&data).expect("a folder");
        if is_root() {
            run(Command::new("chown").arg("postgres:postgres").arg(&data));
        }
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.expect("a free port").port();
        let server = TestServer { folder, programs, port };
        run(server
            .program("initdb")
            .args(["--auth=trust", "--encoding=UTF8", "--username=agon", "--no-sync"])
            .args(["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"])
            .arg("-D")
            .arg(&data));
        server.start_again();
        Some(server)
    }

    /// Returns the address of the server, without the name of a database.
    pub fn address(&self) -> String {
        format!("postgres://agon@127.0.0.1:{}", self.port)
    }

    /// Returns the port on which the server listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts the server, which was killed.
    pub fn start_again(&self) {
        let options = format!(
            "-c listen_addresses=localhost -c port={} -c unix_socket_directories={} -c fsync=off \
             -c max_connections=300",
            self.port,
            self.data().display()
        );
        // Processes of one that was killed may take a moment to notice.
        for _ in 0..100 {
            let mut start = self.control();
            start.args(["--wait", "--timeout=120", "--silent", "-o", &options, "-l"]);
            start.arg(self.data().join("log")).arg("start");
            let status = start.stdout(Stdio::null()).stderr(Stdio::null()).status();
            if status.expect("pg_ctl runs").success() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        let log = fs::read_to_string(self.data().join("log")).unwrap_or_default();
        panic!("the server does not start: {log}");
    }

    /// Has the server speak TLS, with a certificate and its key, as PEM; also without TLS.
    pub fn encrypt(&self, certificate: &Path, key: &Path) {
        for (from, name) in [(certificate, "server.crt"), (key, "server.key")] {
            let to = self.data().join(name);
            fs::copy(from, &to).expect("a copy");
            fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).expect("permissions");
            if is_root() {
                run(Command::new("chown").arg("postgres:postgres").arg(&to));
            }
        }
        let conf = self.data().join("postgresql.conf");
        let text = fs::read_to_string(&conf).expect("its settings");
        fs::write(&conf, text + "\nssl = on\n").expect("its settings");
        self.kill();
        self.start_again();
    }

    /// Kills the server at once, without any warning.
    pub fn kill(&self) {
        signal("KILL", &[self.process()]);
        // Its other processes notice, and end.
        while TcpListener::bind(("127.0.0.1", self.port)).is_err() {
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops all processes of the server until the return value is dropped. It still takes
    /// connections, and answers nothing.
    pub fn freeze(&self) -> Frozen<'_> {
        let first = self.process();
        // It first, so that it starts no more of them.
        signal("STOP", std::slice::from_ref(&first));
        let mut processes = children(&first);
        signal("STOP", &processes);
        processes.push(first);
        Frozen { processes, _server: self }
    }

    /// Returns the number of the server's first process.
    fn process(&self) -> String {
        let file = self.data().join("postmaster.pid");
        let text = fs::read_to_string(&file).expect("the server runs");
        text.lines().next().expect("the number of its process").to_owned()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn control(&self) -> Command {
        let mut command = self.program("pg_ctl");
        command.arg("-D").arg(self.data());
        command
    }

    /// Returns a program of the server, run as somebody who is not root.
    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = Command::new(&program);
        if is_root() {
            command = Command::new("setpriv");
            command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
        }
        command.current_dir("/").stdin(Stdio::null());
        command
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let mut stop = self.control();
        stop.args(["--mode=immediate", "--wait", "stop"]);
        // One that was killed cannot be stopped.
        let _ = stop.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// A server whose processes are stopped. Dropping it lets them go on.
#[derive(Debug)]
pub struct Frozen<'a> {
    processes: Vec<String>,
    _server: &'a TestServer,
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        signal("CONT", &self.processes);
    }
}

/// Sends a signal to processes, if there are any.
fn signal(name: &str, processes: &[String]) {
    if !processes.is_empty() {
        run(Command::new("kill").args(["-s", name]).args(processes));
    }
}

/// Returns the children of a process.
fn children(parent: &str) -> Vec<String> {
    let is_child = |number: &String| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        // After the name, which is in parentheses: state, and parent.
        let parent_of = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent_of == Some(parent)
    };
    let entries = fs::read_dir("/proc").expect("a list of processes").flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).filter(is_child).collect()
}

fn programs() -> Option<PathBuf> {
    let has = |folder: &Path| folder.join("initdb").exists();
    let releases = fs::read_dir(RELEASES).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = releases.map(|release| release.path().join("bin")).collect();
    found.retain(|folder| has(folder));
    // The newest one: numbers of two digits, for years to come.
    found.sort_unstable();
    let path = env::var_os("PATH")?;
    found.pop().or_else(|| env::split_paths(&path).find(|folder| has(folder)))
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn run(command: &mut Command) {
    // Not a pipe: the server would keep it open.
    let status = command.stdout(Stdio::null()).status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?} fails: {status}");
}
