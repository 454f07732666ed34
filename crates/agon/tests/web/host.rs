//! The program that serves pages: missing, another one, lost; and what is left of it when the arena
//! ends.

use std::{
    ffi::OsStr,
    fs::{self, File},
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use agon_match::replay::Replay;
use tempfile::TempDir;

use super::{agon, replay};

/// How long anything may take, on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// `agon` at work, whose output goes to files.
struct Arena {
    child: Child,
    folder: TempDir,
}

impl Arena {
    fn start(args: &[&str], host: Option<&OsStr>) -> Arena {
        let folder = TempDir::new().unwrap();
        let file = |name| File::create(folder.path().join(name)).unwrap();
        let mut command = agon(args);
        command.stdin(Stdio::null()).stdout(file("stdout")).stderr(file("stderr"));
        host.map(|host| command.env("AGON_WEB_HOST", host));
        let child = command.spawn().unwrap();
        Arena { child, folder }
    }

    fn said(&self, stream: &str) -> String {
        fs::read_to_string(self.folder.path().join(stream)).unwrap()
    }

    /// What `look` finds, once it does.
    #[track_caller]
    fn wait<T>(&mut self, what: &str, mut look: impl FnMut(&mut Arena) -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            assert!(Instant::now() < end, "no {what}: {}", self.said("stderr"));
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until it says where the page is; gives the port.
    #[track_caller]
    fn port(&mut self) -> u16 {
        let port = |text: String| {
            text.split_once(" at http://127.0.0.1:")?.1.split('/').next()?.parse().ok()
        };
        self.wait("address", |arena| port(arena.said("stderr") + &arena.said("stdout")))
    }

    #[track_caller]
    fn says(&mut self, text: &str) {
        self.wait(text, |arena| arena.said("stderr").contains(text).then_some(()));
    }

    /// Waits for its end; gives the exit code, `None` for a signal, and what it says on standard
    /// error.
    #[track_caller]
    fn end(mut self) -> (Option<i32>, String) {
        let status = self.wait("end", |arena| arena.child.try_wait().unwrap());
        (status.code(), self.said("stderr"))
    }

    /// Kills the program that serves its page.
    fn kill_host(&mut self) {
        let host = host_of(self.child.id()).expect("it is there");
        signal("-KILL", host);
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn signal(signal: &str, process: u32) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

/// The child of this process that serves pages.
fn host_of(parent: u32) -> Option<u32> {
    let is_it = |status: String| {
        let value = |key: &str| {
            Some(status.lines().find_map(|line| line.strip_prefix(key))?.trim().to_owned())
        };
        value("Name:") == Some("agon-web-host".to_owned())
            && value("PPid:") == Some(parent.to_string())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.find(|number| fs::read_to_string(format!("/proc/{number}/status")).is_ok_and(is_it))
}

/// Waits until nobody listens on a port any more.
fn wait_until_free(port: u16) {
    let end = Instant::now() + PATIENCE;
    while TcpListener::bind(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < end, "the port stays taken");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A match that takes some seconds.
const SLOW: [&str; 11] = [
    "play",
    "cluster",
    "builtin:random",
    "builtin:random",
    "--view",
    "web",
    "--no-open",
    "--pace",
    "2",
    "--seed",
    "1",
];

#[test]
fn a_program_that_is_missing_is_named() {
    let folder = TempDir::new().unwrap();
    let file = replay(&folder, "cluster");
    let none = folder.path().join("none");
    for args in [&["watch", "--web", "--no-open", file.to_str().unwrap()][..], &SLOW] {
        let (code, text) = Arena::start(args, Some(OsStr::new(""))).end();
        let wanted = "error: `agon-web-host` is missing: correct the environment variable \
            AGON_WEB_HOST, or unset it\n";
        assert_eq!((code, text.as_str()), (Some(2), wanted));
        let (code, text) = Arena::start(args, Some(none.as_os_str())).end();
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("none: cannot be started: No such file"), "{text}");
    }
}

#[test]
fn another_program_serves_nothing() {
    agon_testkit::slow!();
    for (program, wanted) in [("true", "it ended at once, exit status: 0"), ("cat", "greet")] {
        let (code, text) = Arena::start(&SLOW, Some(OsStr::new(program))).end();
        assert_eq!(code, Some(2), "{text}");
        assert!(
            text.starts_with(&format!("error: {program}: ")) && text.contains(wanted),
            "{text}"
        );
        assert!(text.contains("correct the environment variable AGON_WEB_HOST"), "{text}");
    }
}

#[test]
fn a_port_that_is_taken_is_an_error() {
    let folder = TempDir::new().unwrap();
    let file = replay(&folder, "cluster");
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let args = ["watch", "--web", "--no-open", "--port", &port, file.to_str().unwrap()];
    let (code, text) = Arena::start(&args, None).end();
    let wanted = format!(
        "error: cannot listen on 127.0.0.1:{port}; --port takes another port, 0 any free one: \
         Address already in use (os error 98)\n"
    );
    assert_eq!((code, text), (Some(2), wanted));
}

#[test]
fn a_replay_is_watched_until_the_program_is_lost() {
    agon_testkit::needs!("kill");
    let folder = TempDir::new().unwrap();
    let file = replay(&folder, "cluster");
    let mut arena = Arena::start(&["watch", "--web", "--no-open", file.to_str().unwrap()], None);
    arena.port();
    arena.kill_host();
    let (code, text) = arena.end();
    let wanted = "error: `agon-web-host`, which serves the page, has ended: signal: 9 (SIGKILL)\n";
    assert!(code == Some(2) && text.ends_with(wanted), "{text}");
}

#[test]
fn a_match_that_is_watched_goes_on_without_a_page() {
    agon_testkit::slow!();
    let mut arena = Arena::start(&SLOW, None);
    arena.port();
    arena.kill_host();
    arena.says("(SIGKILL); the match goes on without a page\n");
    let status = arena.wait("end", |arena| arena.child.try_wait().unwrap());
    let text = arena.said("stderr");
    assert!(status.success() && text.matches("has ended").count() == 1, "{text}");
    assert!(arena.said("stdout").contains("random"), "the result is told");
}

#[test]
fn a_match_that_is_over_needs_no_page() {
    agon_testkit::needs!("kill");
    let mut arena = Arena::start(&[&SLOW[..7], &["--set", "side=3"]].concat(), None);
    arena.says("the page stays until Ctrl-C");
    arena.kill_host();
    let (code, text) = arena.end();
    assert!(
        code == Some(0) && text.ends_with("(SIGKILL); the match is over, and its page is gone\n"),
        "{text}"
    );
}

#[test]
fn whoever_plays_needs_the_page() {
    agon_testkit::needs!("kill");
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("cluster.agon");
    let mut arena = Arena::start(
        &[
            "cluster",
            "human",
            "builtin:random",
            "--view",
            "web",
            "--no-open",
            "--replay",
            file.to_str().unwrap(),
        ],
        None,
    );
    arena.port();
    // While the person is asked.
    thread::sleep(Duration::from_millis(300));
    arena.kill_host();
    let (code, text) = arena.end();
    assert!(code == Some(2) && text.ends_with("(SIGKILL); nobody can play without it\n"), "{text}");
    assert!(Replay::open_file(&file).is_ok(), "what was played is kept");
}

#[test]
fn it_ends_with_the_arena() {
    agon_testkit::needs!("kill");
    let folder = TempDir::new().unwrap();
    let file = replay(&folder, "cluster");
    for (how, args) in [
        ("-INT", &["watch", "--web", "--no-open", file.to_str().unwrap()][..]),
        ("-INT", &SLOW),
        ("-TERM", &["watch", "--web", "--no-open", file.to_str().unwrap()][..]),
        ("-KILL", &SLOW),
    ] {
        let mut arena = Arena::start(args, None);
        let port = arena.port();
        let host = host_of(arena.child.id()).unwrap();
        assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
        signal(how, arena.child.id());
        let (code, text) = arena.end();
        if how == "-KILL" {
            wait_until_free(port);
        } else {
            assert_eq!(code, Some(130), "{text}");
            // At once: the arena has waited for it.
            TcpListener::bind(("127.0.0.1", port)).unwrap();
            assert!(!fs::exists(format!("/proc/{host}")).unwrap());
        }
    }
}
