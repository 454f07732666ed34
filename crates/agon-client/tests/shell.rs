//! A shell in which an author types commands.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::{fs, os::unix::process::ExitStatusExt, thread};

use crate::support::{Client, Server};

/// A shell with settings of its own.
pub(crate) struct Shell {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    /// Checks its exit code.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Done {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Checks that these words are on standard output.
    #[track_caller]
    pub(crate) fn prints(self, words: &str) -> Done {
        assert!(self.out.contains(words), "{words}: {self:?}");
        self
    }

    /// Checks that these words are on standard error.
    #[track_caller]
    pub(crate) fn says(self, words: &str) -> Done {
        assert!(self.err.contains(words), "{words}: {self:?}");
        self
    }
}

/// A command that runs.
pub(crate) struct Running {
    pub(crate) child: Child,
    said: BufReader<ChildStderr>,
}

/// Starts a ladder for cluster with the account of ada, and returns her shell, signed in.
pub(crate) fn ladder() -> (Server, Shell) {
    let (server, _, _) = Server::with_ada();
    let shell = Shell::new();
    shell.sign_in(&server, "ada");
    (server, shell)
}

impl Running {
    /// Waits until it has said a line with these words on standard error.
    pub(crate) fn wait_for(mut self, words: &str) -> Running {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(self.said.read_line(&mut line).unwrap() > 0, "it never said: {words}");
        }
        self
    }

    /// Waits until it ends. Standard error is what nobody has read yet.
    pub(crate) fn done(self) -> Done {
        let Running { child, mut said } = self;
        // Both at the same time: a full pipe would keep it from going on.
        let rest = thread::spawn(move || {
            let mut err = String::new();
            said.read_to_string(&mut err).unwrap();
            err
        });
        let output = child.wait_with_output().unwrap();
        let err = rest.join().unwrap();
        // Shells report a signal like this.
        let code = output.status.code().or_else(|| output.status.signal().map(|of| 128 + of));
        Done { code: code.unwrap(), out: String::from_utf8(output.stdout).unwrap(), err }
    }
}

impl Shell {
    pub(crate) fn new() -> Shell {
        Shell { folder: tempfile::tempdir().unwrap(), variables: Vec::new() }
    }

    /// Sets an environment variable.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Shell {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the folder in which commands run.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the file with servers and tokens.
    pub(crate) fn servers_file(&self) -> PathBuf {
        self.folder().join("config/agon/servers.toml")
    }

    /// Returns a command of the client.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.folder());
        for name in ["AGON_SERVER_URL", "AGON_TOKEN", "http_proxy", "HTTP_PROXY", "all_proxy"] {
            command.env_remove(name);
        }
        command.env("XDG_CONFIG_HOME", self.folder().join("config")).env("NO_COLOR", "1");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command.
    pub(crate) fn run(&self, args: &[&str]) -> Done {
        self.run_with(args, "")
    }

    /// Runs a command that succeeds.
    #[track_caller]
    pub(crate) fn ok(&self, args: &[&str]) -> Done {
        self.run(args).ends(0)
    }

    /// Runs a command with a text on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: &str) -> Done {
        let mut running = self.start(args);
        // A command that reads nothing may be over already.
        let _ = running.child.stdin.take().unwrap().write_all(input.as_bytes());
        running.done()
    }

    /// Starts a command of the client.
    pub(crate) fn start(&self, args: &[&str]) -> Running {
        let mut child = self
            .command(env!("CARGO_BIN_EXE_agon-client"), args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        Running { child, said }
    }

    /// Changes the manifest of a bot.
    pub(crate) fn change_manifest(&self, bot: &str, change: impl FnOnce(String) -> String) {
        let path = self.folder().join(bot).join("agon.toml");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, change(text)).unwrap();
    }

    /// Signs in with a new token of a person.
    pub(crate) fn sign_in(&self, server: &Server, name: &str) {
        let done =
            self.run_with(&["login", &server.address, "--token-stdin"], &token(server, name));
        assert_eq!(done.code, 0, "{done:?}");
        assert!(done.err.contains(&format!("signed in as {name} until ")), "{done:?}");
    }

    /// Writes a bot for cluster into a folder, with what does not belong to it.
    pub(crate) fn write_bot(&self, folder: &str, code: &str) {
        let folder = self.folder().join(folder);
        let kit = Path::new("../../starter-kits/python");
        for (from, to) in [("common/agon.py", "agon.py"), ("games/cluster/legal.py", "legal.py")] {
            fs::create_dir_all(&folder).unwrap();
            fs::copy(kit.join(from), folder.join(to)).unwrap();
        }
        let manifest = "game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"python3 bot.py\"\n";
        for (path, text) in [
            ("agon.toml", manifest),
            ("bot.py", code),
            (".git/config", "secret"),
            ("__pycache__/bot.pyc", "old"),
            (".agonignore", "*.log\n"),
            ("big.log", "much"),
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
}

/// Returns a new token of a person that `Server::author` has made.
pub(crate) fn token(server: &Server, name: &str) -> String {
    let body = format!("{{\"name\":\"{name}\",\"password\":\"battery staple\"}}");
    let mut client: Client = server.client();
    let headers = "Content-Type: application/json\r\n";
    let reply = client.request("POST", "/api/v1/tokens", headers, body.as_bytes()).unwrap();
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.find("agon_", 40)
}
