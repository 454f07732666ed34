//! The power fails while the server works: of what was not synced, only parts are there. Nothing
//! that was acknowledged may be missing, no match may count twice, and the public log must still be
//! the one that people have seen.

mod backup;
mod disk;
mod wreck;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use agon_arena::BlobStore;
use agon_core::Seed;
use agon_ladder::ledger::{
    Audit, AuditError, FollowError, Remembered, Report, Sample, Source, SourceError, audit,
    fingerprint, follow,
};

use crate::{
    kill::{check, upload},
    proof::{Site, site},
    support::{Client, Database, Server, many_hand_ins, wait_for},
};
use disk::{Disk, preload};
use wreck::{Random, Tally};

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
        let flags = ["--arena", "cluster", "--pace", "0"];
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
        many_hand_ins(&mut root);
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
        let report = wait_for("a signed log", || match audit(&site, &options, |_| {}) {
            Ok(report) => Some(report),
            Err(AuditError::Follow(FollowError::Source(SourceError::Failed(_)))) => None,
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
        let server = Server::start(&self.data(), &["--arena", "cluster", "--pace", "0"]);
        self.check_log(&server);
        wait_for("matches", || (Database::of(&self.data()).number(PLAYED) > 10).then_some(()));
        let mut root = self.root(&server).unwrap_or_else(|| server.administrator());
        let reply = root.post("/admin/arenas/cluster/pause", "/admin/arenas/cluster", &[]);
        assert_eq!(reply.status, 200);
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
        for seed in first..failures.min(first + OF_ONE) {
            ladder.lose_power(seed);
            println!("failure {seed}: {} hand-ins so far", ladder.acknowledged.len());
        }
        hand_ins += ladder.acknowledged.len() as u64;
        played += ladder.check_all();
    }
    println!("{hand_ins} hand-ins, {played} matches, {tally:?}");
    // A busy machine does little between two failures.
    assert!(hand_ins > 0 && played > failures);
    // The power failed at moments when something was not synced.
    let Tally { lost_blocks, lucky_blocks, lost_names, lucky_names } = tally;
    assert!(lost_blocks + lost_names > 0);
    let counts = [lost_blocks, lucky_blocks, lost_names, lucky_names];
    assert!(failures < 50 || counts.iter().all(|&count| count > 0));
}
