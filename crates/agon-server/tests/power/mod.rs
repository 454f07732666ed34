//! The power fails while the server works: of what was not synced, only parts are there. Nothing
//! that was acknowledged may be missing, no match may count twice, and the public log must still be
//! the one that people have seen.

mod wreck;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::{fs, sync::Arc, time::Duration};

use agon_arena::BlobStore;
use agon_core::Seed;
use agon_ladder::ledger::{
    Audit, LogError, Remembered, Report, Sample, Source, audit, fingerprint, follow,
};
use wreck::{Disk, Random, Tally, preload};

use crate::hand_in::hand_in;
use crate::kill::{check, upload};
use crate::proof::{Site, site};
use crate::support::{
    Client, Database, LIVELY, Server, many_hand_ins, organise, said, wait_for, wait_until,
};

/// How often the power fails. `AGON_FAILURES` names another number: the long job has a hundred.
const FAILURES: u64 = 4;

/// How often it fails for one ladder. So new folders are tried, too.
const OF_ONE: u64 = 10;

/// The folder of the server on its disk. The server makes both parts.
const FOLDER: &str = "srv/ladder";

const SESSION: &str = "agon-session";

const PLAYED: &str = "SELECT count(*) FROM matches WHERE state = 'played'";

fn failures() -> u64 {
    let failures = std::env::var("AGON_FAILURES").ok().and_then(|text| text.parse().ok());
    failures.unwrap_or(FAILURES)
}

/// A ladder, and what people know of it.
struct Ladder<'a> {
    folder: &'a Path,
    preload: PathBuf,
    disk: PathBuf,
    /// The sessions of the administrator and of an author, once they have accounts.
    root: Option<String>,
    ada: Option<String>,
    /// The versions that were acknowledged.
    acknowledged: Vec<u32>,
    /// What somebody remembers of the public log.
    known: Option<Remembered>,
    /// The fingerprint of a key that was announced.
    next: Option<String>,
    tally: &'a mut Tally,
}

impl<'a> Ladder<'a> {
    fn new(folder: &'a Path, first: u64, tally: &'a mut Tally) -> Ladder<'a> {
        let disk = folder.join(format!("new{first}"));
        fs::create_dir(&disk).unwrap();
        Ladder {
            folder,
            preload: preload(folder),
            disk,
            root: None,
            ada: None,
            acknowledged: Vec::new(),
            known: None,
            next: None,
            tally,
        }
    }

    fn data(&self) -> PathBuf {
        self.disk.join(FOLDER)
    }

    /// Starts the server, lets it work, and takes its power away.
    fn lose_power(&mut self, seed: u64) {
        let disk = Disk::new(self.folder.join(format!("mirror{seed}")), &self.preload, &self.disk);
        let flags = [&LIVELY[..], &["--pace", "0"]].concat();
        let server = Server::start_with(&self.data(), &flags, &disk.variables());
        self.check_log(&server);
        let mut random = Random(seed);
        self.make_accounts(&server, &mut random);
        self.work(server, &mut random, &disk);

        let next = self.folder.join(format!("disk{seed}"));
        wreck::write(&disk.mirror, &self.disk, &next, random.next(), self.tally);
        fs::remove_dir_all(&disk.mirror).unwrap();
        fs::remove_dir_all(&self.disk).unwrap();
        self.disk = next;
        check(&self.data(), &self.acknowledged);
        check_blobs(&self.data());
    }

    /// Checks that the accounts are there. Makes those that are missing, at first not always.
    fn make_accounts(&mut self, server: &Server, random: &mut Random) {
        let is_new = self.root.is_none();
        if is_new && random.one_of(3) {
            return;
        }
        let mut root = self.root(server).unwrap_or_else(|| server.administrator());
        assert_eq!(root.get("/admin/arenas").path, "/admin/arenas");
        self.root = root.cookie(SESSION).map(str::to_owned);
        if self.ada.is_some() || is_new && random.one_of(3) {
            return;
        }
        many_hand_ins(&mut root, &["greedy", "random"]);
        self.ada = server.author(&mut root, "ada").cookie(SESSION).map(str::to_owned);
    }

    fn root(&self, server: &Server) -> Option<Client> {
        self.root.as_deref().map(|session| signed_in(server, session))
    }

    /// Hands in versions and reads the log, until the server ends without any warning.
    fn work(&mut self, mut server: Server, random: &mut Random, disk: &Disk) {
        let is_over = Arc::new(AtomicBool::new(false));
        let reader = read_log(&is_over, site(&server), self.known.clone());
        let round = self.acknowledged.len();
        let author = self.ada.as_deref().map(|session| signed_in(&server, session));
        let uploads = author.map(|author| upload(&is_over, author, round));
        let has_other_key = self.ada.is_some() && random.one_of(2);
        let fails_early = random.one_of(2);

        random.pause();
        if has_other_key && fails_early {
            disk.fail(random);
        }
        if has_other_key {
            self.next = rotate(&self.data(), disk);
            random.pause();
        }
        if !random.one_of(4) {
            disk.fail(random);
            server.wait(Duration::from_secs(1));
        }
        drop(server);
        is_over.store(true, Ordering::Relaxed);
        self.known = reader.join().unwrap();
        if let Some(uploads) = uploads {
            self.acknowledged.extend(uploads.join().unwrap());
        }
    }

    /// Checks that the log is the one that somebody knows, and is as it should be.
    fn check_log(&mut self, server: &Server) -> Report {
        let site = site(server);
        let current = || Some(String::from_utf8(site.get("log/key").ok()?).unwrap());
        if let Some(next) = self.next.take() {
            wait_for("the key that was announced", || {
                (fingerprint(current()?.trim()) == next).then_some(())
            });
        }
        let sample = Sample::Some(3, Seed(self.acknowledged.len() as u64));
        let options = Audit { remembered: self.known.clone(), sample, ..Audit::default() };
        let report = wait_for("a signed log", || match audit(&site, &options, |_| {}, |_| {}) {
            Ok(report) => Some(report),
            Err(LogError::Failed(_)) => None,
            Err(other) => panic!("{other}"),
        });
        // The table may be newer than the last checkpoint.
        let found = report.findings.iter().find(|finding| finding.number.is_some());
        assert!(found.is_none(), "{report:?}");
        self.known.clone_from(&report.remembered);
        report
    }

    /// Checks everything once nothing changes any more.
    fn check_all(&mut self) -> u64 {
        let flags = [&LIVELY[..], &["--pace", "0"]].concat();
        let server = Server::start(&self.data(), &flags);
        self.check_log(&server);
        wait_until("matches", || Database::of(&self.data()).number(PLAYED) > 10);
        let mut root = self.root(&server).unwrap_or_else(|| server.administrator());
        organise(&mut root, "cluster", "pause");
        let played = wait_for("a checkpoint over all matches", || {
            let report = self.check_log(&server);
            let is_complete = report.matches == Database::of(&self.data()).number(PLAYED);
            (is_complete && report.findings.is_empty()).then_some(report.matches)
        });
        drop(server);
        check(&self.data(), &self.acknowledged);
        fs::remove_dir_all(&self.disk).unwrap();
        played
    }
}

fn signed_in(server: &Server, session: &str) -> Client {
    let mut client = server.client();
    client.set_cookie(SESSION, session);
    client
}

/// Reads the public log until it is over; returns what is to be remembered of it.
fn read_log(
    is_over: &Arc<AtomicBool>,
    site: Site,
    mut known: Option<Remembered>,
) -> JoinHandle<Option<Remembered>> {
    let is_over = Arc::clone(is_over);
    thread::spawn(move || {
        while !is_over.load(Ordering::Relaxed) {
            // The server may end within a reply; `check_log` notices what is really wrong.
            if let Ok(now) = follow(&site, known.as_ref()) {
                known = Some(now);
            }
            thread::sleep(Duration::from_millis(20));
        }
        known
    })
}

/// Announces another key of the log; returns its fingerprint, unless the power failed before.
fn rotate(data: &Path, disk: &Disk) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-server"));
    command.args(["rotate-key", "--data"]).arg(data).envs(disk.variables());
    let output = command.output().unwrap();
    // Without a code, a signal has ended it.
    output.status.code()?;
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let (_, key) = said.split_once("the next key is ").unwrap();
    Some(key.split(';').next().unwrap().to_owned())
}

/// Checks that all files that the database names are there and undamaged.
fn check_blobs(data: &Path) {
    let blobs = BlobStore::open(&data.join("blobs")).unwrap();
    let sql = "SELECT replay FROM matches WHERE replay IS NOT NULL
        UNION SELECT source FROM versions WHERE source IS NOT NULL
        UNION SELECT built FROM versions WHERE built IS NOT NULL";
    for row in Database::of(data).rows(sql) {
        blobs.get(row[0].as_deref().unwrap().parse().unwrap()).unwrap();
    }
}

#[test]
fn a_loss_of_power_loses_nothing_acknowledged() {
    agon_testkit::needs!("cc");
    let folder = tempfile::tempdir().unwrap();
    let failures = failures();
    let mut tally = Tally::default();
    let (mut hand_ins, mut played) = (0, 0);
    for first in (0..failures).step_by(OF_ONE as usize) {
        let mut ladder = Ladder::new(folder.path(), first, &mut tally);
        let mut seed = first;
        // A busy machine does little between two failures: then there are more.
        while seed < failures.min(first + OF_ONE)
            || (failures < OF_ONE && ladder.acknowledged.is_empty() && seed < 5 * failures)
        {
            ladder.lose_power(seed);
            println!("failure {seed}: {} hand-ins so far", ladder.acknowledged.len());
            seed += 1;
        }
        hand_ins += ladder.acknowledged.len() as u64;
        played += ladder.check_all();
    }
    println!("{hand_ins} hand-ins, {played} matches, {tally:?}");
    assert!(hand_ins > 0 && played > failures);
    // The power failed at moments when something was not synced.
    let Tally { lost_blocks, lucky_blocks, lost_names, lucky_names } = tally;
    assert!(lost_blocks + lost_names > 0);
    let counts = [lost_blocks, lucky_blocks, lost_names, lucky_names];
    assert!(failures < 50 || counts.iter().all(|&count| count > 0));
}

fn run_with(words: [&str; 4], disk: &Disk) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-server"));
    command.args(words).envs(disk.variables());
    command.output().unwrap()
}

fn succeeds(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
}

/// Restores a backup on a disk of its own, whose power then fails, and checks what is there.
fn check_restored(place: &Path, preload: &Path, seed: u64, versions: &[u32]) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let [new, left] = ["new", "left"].map(|name| folder.join(name));
    fs::create_dir(&new).unwrap();
    let disk = Disk::new(folder.join("mirror"), preload, &new);
    let data = new.join(FOLDER);
    let place = place.to_str().unwrap();
    succeeds(&run_with(["restore", place, "--data", data.to_str().unwrap()], &disk));
    wreck::write(&disk.mirror, &new, &left, seed, &mut Tally::default());
    check(&left.join(FOLDER), versions);
    check_blobs(&left.join(FOLDER));
}

#[test]
fn a_loss_of_power_leaves_the_last_complete_backup() {
    agon_testkit::needs!("cc");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let preload = preload(folder);
    let data = folder.join("ladder");
    let server = Server::start(&data, &["--arena", "cluster", "--pace", "0"]);
    let mut root = server.administrator();
    // One boss: two would play all the time, and each backup would have more to copy than the last.
    many_hand_ins(&mut root, &["random"]);
    let mut ada = server.author(&mut root, "ada");
    let mut versions = Vec::new();
    let mut hand_in_one = || {
        let number = versions.len() as u32 + 1;
        hand_in(&mut ada, "cluster", "python", &format!("raise SystemExit({number})\n"));
        versions.push(number);
        versions.clone()
    };
    let mut backups = folder.join("backups");
    fs::create_dir(&backups).unwrap();
    let mut tally = Tally::default();
    let mut interrupted = 0;
    for seed in 0..failures() {
        let mut random = Random(seed);
        let disk = Disk::new(folder.join(format!("mirror{seed}")), &preload, &backups);
        let place = backups.join(FOLDER);
        let words = ["backup", "--data", data.to_str().unwrap(), place.to_str().unwrap()];
        let versions = hand_in_one();
        succeeds(&run_with(words, &disk));
        hand_in_one();
        disk.fail(&mut random);
        let output = run_with(words, &disk);
        match output.status.code() {
            None => interrupted += 1,
            Some(_) => succeeds(&output),
        }
        let next = folder.join(format!("backups{seed}"));
        wreck::write(&disk.mirror, &backups, &next, random.next(), &mut tally);
        fs::remove_dir_all(&disk.mirror).unwrap();
        fs::remove_dir_all(&backups).unwrap();
        backups = next;
        check_restored(&backups.join(FOLDER), &preload, seed, &versions);
    }
    println!("{interrupted} backups were interrupted, {tally:?}");
    assert!(interrupted > 0 && tally.lost_names + tally.lucky_names > 0);
    assert!(server.stop());
}
