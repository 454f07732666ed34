//! The program itself: how it ends, and how a database survives if it or its arena is killed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::Write,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use agon_database::{DIALOGUE, HOST, Order, pack};
use agon_parts::{greet, send};
use rusqlite::Connection;

use crate::made_up::{open, plan, records};

/// Runs the program with this input.
fn run(input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-database-host"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Its end is dropped at once: as if the arena were killed.
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn order(order: &Order, bytes: &[u8]) -> Vec<u8> {
    let mut message = Vec::new();
    send(&mut message, order, bytes).unwrap();
    message
}

fn open_order(file: &Path) -> Order {
    Order::Open { file: file.into(), plan: "digest".to_owned() }
}

/// The process that has a file open, but for this one.
fn process_with(file: &Path) -> Option<String> {
    let file = file.canonicalize().unwrap();
    let own = std::process::id().to_string();
    let has_it = |process: &PathBuf| {
        let open = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        open.filter_map(|link| fs::read_link(link.path()).ok()).any(|target| target == file)
    };
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let found = processes.filter(|process| !process.ends_with(&own)).find(has_it)?;
    Some(found.file_name().unwrap().to_str().unwrap().to_owned())
}

#[test]
fn it_greets_and_ends_with_its_input() {
    let mut greeting = Vec::new();
    greet(&HOST, DIALOGUE, &mut greeting).unwrap();
    let output = run(b"");
    assert_eq!((output.status.code(), output.stdout), (Some(0), greeting));
    // In the middle of an order, of which nothing is done.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    let whole = order(&open_order(&path), &pack::<()>(&[]));
    for length in 1..whole.len() {
        let output = run(&whole[..length]);
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]), "{length} bytes");
    }
    assert!(!path.exists());
    assert_eq!(run(&whole).status.code(), Some(0));
    let left: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["results.sqlite"], "all is in one file");
}

#[test]
fn what_is_no_order_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let too_early = order(&Order::Append { before: 0 }, &pack::<()>(&[]));
    let no_bots = order(&open_order(&folder.path().join("results.sqlite")), b"\x05");
    for (input, why) in [
        (&b"\x01\x00\x00\x00\x00\x00\x00\x00\x77"[..], ""),
        (&[0xff; 16], "longer than any may be"),
        (&too_early, "no database is open"),
        (&no_bots, "these are no bots"),
    ] {
        let output = run(input);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.starts_with("agon-database-host: ") && said.contains(why), "{said}");
    }
}

#[test]
fn killed_in_the_middle_it_is_missed_and_another_one_goes_on() {
    agon_testkit::needs!("kill");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    let plan = plan("");
    let records = records(&plan, &mut plan.schedule(), usize::MAX);
    let mut database = open(&path, &plan, &records[..5]).unwrap();
    let process = process_with(&path).unwrap();
    assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
    for _ in 0..2 {
        let error = database.append(&records[5..7]).unwrap_err().to_string();
        let start =
            format!("{}: `agon-database-host`, which writes it, ended (signal: 9", path.display());
        assert!(error.starts_with(&start), "{error}");
        assert_eq!(database.matches(), 5);
    }
    drop(database);
    assert_eq!(open(&path, &plan, &records).unwrap().matches(), 24);
}

#[test]
fn dropped_it_leaves_one_file_and_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    let plan = plan("");
    let records = records(&plan, &mut plan.schedule(), usize::MAX);
    let database = open(&path, &plan, &records).unwrap();
    assert!(process_with(&path).is_some());
    drop(database);
    assert_eq!(process_with(&path), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// An arena was killed. Its program still carries out the last order, while the next arena
/// continues.
#[test]
fn what_another_one_has_just_written_is_not_written_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    let plan = plan("");
    let records = records(&plan, &mut plan.schedule(), usize::MAX);
    let mut old = open(&path, &plan, &records[..5]).unwrap();
    let mut new = open(&path, &plan, &records[..5]).unwrap();
    old.append(&records[5..9]).unwrap();
    new.append(&records[5..7]).unwrap();
    new.append(&records[7..]).unwrap();
    assert_eq!(new.matches(), 24);
    drop((old, new));
    let connection = Connection::open(&path).unwrap();
    let mut rows = connection.prepare("SELECT id FROM match ORDER BY match").unwrap();
    let ids: Vec<String> =
        rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(ids, records.iter().map(|record| record.id.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_database_that_somebody_else_writes_is_an_error() {
    agon_testkit::slow!();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.sqlite");
    let plan = plan("");
    let records = records(&plan, &mut plan.schedule(), usize::MAX);
    let mut database = open(&path, &plan, &records[..5]).unwrap();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = database.append(&records[5..]).unwrap_err().to_string();
    let end =
        ": database is locked; the database can be deleted, and is then made anew from the journal";
    assert_eq!(error, format!("{}{end}", path.display()));
    assert_eq!(database.matches(), 5);
    other.execute_batch("ROLLBACK").unwrap();
    database.append(&records[5..]).unwrap();
    assert_eq!(database.matches(), 24);
}

#[test]
fn a_name_of_any_bytes_will_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"\xffresults.sqlite"));
    let plan = plan("");
    let records = records(&plan, &mut plan.schedule(), 3);
    drop(open(&path, &plan, &records).unwrap());
    assert!(path.is_file());
    assert_eq!(open(&path, &plan, &records).unwrap().matches(), 3);
    // What cannot be replaced.
    let path = folder.path().join("none/results.sqlite");
    let error = open(&path, &plan, &records).unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{}: unable to open database file", path.display())),
        "{error}"
    );
}
