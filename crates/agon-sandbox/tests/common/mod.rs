//! Starts programs for the tests of this crate.
// Each test program uses a part of this, and a failing test may panic anywhere.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::io::{self, PipeReader, PipeWriter, Read};
use std::{env, fs::File, time::Duration};

use agon_sandbox::{Child, Ending, Launcher, Limits, Order, Sandbox, Snapshot, StartError, Stdio};

pub use agon_testkit::eventually;

/// A program with the test's ends of its pipes.
pub struct Started {
    pub child: Child,
    pub stdin: Option<PipeWriter>,
    pub stdout: PipeReader,
    pub stderr: PipeReader,
}

pub fn launcher() -> Launcher {
    Launcher { path: env!("CARGO_BIN_EXE_agon-sandbox").into(), args: Vec::new() }
}

/// Makes an order to run a shell script, unconfined.
pub fn sh(script: &str) -> Order {
    order("/bin/sh", &["-c", script])
}

pub fn order(program: &str, args: &[&str]) -> Order {
    Order {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), "/home/fox".into())],
        folder: "/".into(),
        cores: Vec::new(),
        limits: Limits::default(),
        sandbox: None,
        snapshot: Snapshot::default(),
        grace: Duration::ZERO,
    }
}

/// Makes the same order, confined.
pub fn confined(order: Order) -> Order {
    let sandbox = Sandbox { scratch: 16 << 20, own_user: true, ..Sandbox::default() };
    Order { sandbox: Some(sandbox), ..order }
}

pub fn start(order: &Order) -> Result<Started, StartError> {
    let (stdin, own_stdin) = io::pipe().unwrap();
    let (own_stdout, stdout) = io::pipe().unwrap();
    let (own_stderr, stderr) = io::pipe().unwrap();
    let stdio = Stdio { stdin: stdin.into(), stdout: stdout.into(), stderr: stderr.into() };
    let child = launcher().start(order, &stdio, &[])?;
    Ok(Started { child, stdin: Some(own_stdin), stdout: own_stdout, stderr: own_stderr })
}

impl Started {
    /// Returns its output up to the end.
    pub fn output(&mut self) -> String {
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).unwrap();
        text
    }

    pub fn errors(&mut self) -> String {
        let mut text = String::new();
        self.stderr.read_to_string(&mut text).unwrap();
        text
    }

    /// Returns a line of its output.
    pub fn line(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while self.stdout.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap()
    }

    /// Returns its end, if it ends by itself.
    pub fn ending(&mut self) -> Ending {
        eventually("the program ends", || self.child.ended().cloned())
    }
}

/// Returns whether a process runs.
pub fn runs(pid: &str) -> bool {
    let mut stat = String::new();
    let read =
        File::open(format!("/proc/{pid}/stat")).and_then(|mut file| file.read_to_string(&mut stat));
    read.is_ok()
        && !matches!(stat.rsplit(')').next().unwrap().split_whitespace().next(), Some("Z" | "X"))
}
