//! Measures the start of a program and the notice of its end: alone, supervised, and confined.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::io::{self, Read};
use std::process::{Command, Stdio as Std};
use std::{fs, os::unix::fs::PermissionsExt, time::Duration};

use agon_sandbox::{Launcher, Limits, Order, Sandbox, Snapshot, Stdio};
use criterion::{Criterion, criterion_group, criterion_main};
use rustix::event::{PollFd, PollFlags, poll};

const PROGRAM: &str = "/bin/true";

/// Runs the program without a sandbox.
fn plain() {
    let mut child = Command::new(PROGRAM).stdin(Std::null()).stdout(Std::piped()).spawn().unwrap();
    let mut text = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut text).unwrap();
    assert!(child.wait().unwrap().success());
}

/// Runs the program in a sandbox.
fn kept(order: &Order) {
    let launcher = Launcher { path: env!("CARGO_BIN_EXE_agon-sandbox").into(), args: Vec::new() };
    let null = || fs::File::open("/dev/null").unwrap().into();
    let (mut output, stdout) = io::pipe().unwrap();
    let stdio = Stdio { stdin: null(), stdout: stdout.into(), stderr: null() };
    let mut child = launcher.start(order, &stdio, &[]).unwrap();
    drop(stdio);
    output.read_to_end(&mut Vec::new()).unwrap();
    // No message follows its end: the socket is then readable.
    let mut fds = [PollFd::new(&child.ended_fd, PollFlags::IN)];
    poll(&mut fds, None).unwrap();
    assert_eq!(child.ended().unwrap().status, Some(0));
}

fn start(c: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    let limits = Limits {
        cpu: None,
        memory: Some(1 << 30),
        processes: Some(128),
        files: Some(1024),
        file: Some(1 << 26),
    };
    let order = Order {
        program: PROGRAM.into(),
        args: Vec::new(),
        env: vec![("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), "/home/fox".into())],
        folder: folder.path().into(),
        cores: vec![0],
        limits,
        sandbox: None,
        snapshot: Snapshot::default(),
        grace: Duration::ZERO,
    };
    let sandbox =
        Sandbox { read: vec![folder.path().into()], scratch: 64 << 20, ..Sandbox::default() };
    // A program that may write to a folder has a new sandbox each time.
    let desk = folder.path().join("desk");
    fs::create_dir(&desk).unwrap();
    fs::set_permissions(&desk, fs::Permissions::from_mode(0o777)).unwrap();
    let writes = Sandbox { write: vec![desk.into()], ..sandbox.clone() };
    let confined = Order { sandbox: Some(sandbox), ..order.clone() };
    let furnished = Order { sandbox: Some(writes), ..order.clone() };
    let mut group = c.benchmark_group("start");
    group.bench_function("plain", |b| b.iter(plain));
    group.bench_function("kept", |b| b.iter(|| kept(&order)));
    group.bench_function("confined", |b| b.iter(|| kept(&confined)));
    group.bench_function("confined, furnished anew", |b| b.iter(|| kept(&furnished)));
    group.finish();
}

criterion_group!(benches, start);
criterion_main!(benches);
