//! The power fails while the server works: what was not synced is lost, or only a part of it is
//! there. Nothing that was acknowledged may be missing, and no match may count twice.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, UNIX_EPOCH},
};

use agon_arena::BlobStore;

use crate::{
    kill::{check, number, open, upload},
    support::Server,
};

/// How often the power fails. `AGON_FAILURES` names another number: the long job has a hundred.
const FAILURES: u64 = 10;

/// What disks write in one go, in bytes.
const BLOCK: usize = 4096;

/// Random numbers (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns true in one of so many cases.
    fn one_of(&mut self, cases: u64) -> bool {
        self.next().is_multiple_of(cases)
    }
}

/// Builds the disk that loses its power.
fn disk(folder: &Path) -> PathBuf {
    let path = folder.join("disk.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&path)
        .arg("tests/power/disk.c")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    path
}

/// The name that `disk.c` gives a file.
fn key(path: &Path) -> String {
    let at = fs::symlink_metadata(path).unwrap();
    let birth = at.created().unwrap().duration_since(UNIX_EPOCH).unwrap();
    format!("{}-{}.{}", at.ino(), birth.as_secs(), birth.subsec_nanos())
}

/// What is on the disk after a loss of power.
struct Wreck<'a> {
    mirror: &'a Path,
    /// The files at the end, by key.
    live: BTreeMap<String, PathBuf>,
    random: Random,
    /// Blocks that were not synced, and are there.
    lucky: u64,
}

impl Wreck<'_> {
    fn note(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.note(&path);
            } else if path.is_file() {
                self.live.insert(key(&path), path);
            }
        }
    }

    /// Returns the entries of a folder that were synced: name, kind and key.
    fn durable(&self, path: &str) -> BTreeMap<String, (char, String)> {
        let list = self.mirror.join("folders").join(format!("top{}", path.replace('/', "+")));
        let text = fs::read_to_string(list).unwrap_or_default();
        let entry = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let (kind, key) = (words.next()?.chars().next()?, words.next()?.to_owned());
            Some((words.next()?.to_owned(), (kind, key)))
        };
        text.lines().filter_map(entry).collect()
    }

    /// Writes what is left of a folder. `path` is empty or begins with a slash.
    fn write(&mut self, data: &Path, path: &str, target: &Path) {
        fs::create_dir_all(target).unwrap();
        let mut entries = self.durable(path);
        let place = PathBuf::from(format!("{}{path}", data.display()));
        let now: Vec<_> = fs::read_dir(&place)
            .map(|found| found.map(|entry| entry.unwrap().path()).collect())
            .unwrap_or_default();
        let left_out = ["work", "cache", "reserve", "agon.db-shm"];
        let mut names = BTreeSet::new();
        for path in now {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let kind = if path.is_dir() { 'd' } else { 'f' };
            // A name that was not synced may be there or not.
            let is_known = entries.contains_key(&name);
            if !left_out.contains(&name.as_str()) && !is_known && self.random.one_of(2) {
                entries.insert(name.clone(), (kind, key(&path)));
            }
            names.insert(name);
        }
        for (name, (kind, key)) in entries {
            // Nor need the removal of a name have reached the disk.
            if !names.contains(&name) && self.random.one_of(2) {
                continue;
            }
            let inner = target.join(&name);
            match kind {
                'd' => self.write(data, &format!("{path}/{name}"), &inner),
                _ => fs::write(inner, self.contents(&key)).unwrap(),
            }
        }
    }

    /// Returns what is left of a file: of what was not synced, some blocks.
    fn contents(&mut self, key: &str) -> Vec<u8> {
        let mut bytes = fs::read(self.mirror.join("files").join(key)).unwrap_or_default();
        let Some(live) = self.live.get(key) else { return bytes };
        let live = fs::read(live).unwrap();
        let length = match self.random.one_of(2) {
            true => bytes.len().max(live.len()),
            false => bytes.len(),
        };
        bytes.resize(length, 0);
        for at in (0..length.min(live.len())).step_by(BLOCK) {
            let end = (at + BLOCK).min(length).min(live.len());
            if bytes[at..end] != live[at..end] && self.random.one_of(2) {
                bytes[at..end].copy_from_slice(&live[at..end]);
                self.lucky += 1;
            }
        }
        bytes
    }
}

/// Checks that all files that the database names are there and undamaged.
fn check_blobs(data: &Path) {
    let connection = open(data);
    let blobs = BlobStore::open(&data.join("blobs")).unwrap();
    let sql = "SELECT replay FROM matches WHERE replay IS NOT NULL
        UNION SELECT source FROM versions WHERE source IS NOT NULL
        UNION SELECT built FROM versions WHERE built IS NOT NULL";
    let mut query = connection.prepare(sql).unwrap();
    for digest in query.query_map([], |row| row.get::<_, String>(0)).unwrap() {
        blobs.get(digest.unwrap().parse().unwrap()).unwrap();
    }
}

#[test]
fn a_loss_of_power_loses_nothing_acknowledged() {
    agon_testkit::needs!("cc");
    let folder = tempfile::tempdir().unwrap();
    let preload = disk(folder.path());
    let failures = std::env::var("AGON_FAILURES").ok().and_then(|text| text.parse().ok());
    let failures: u64 = failures.unwrap_or(FAILURES);
    let mut data = folder.path().join("ladder");
    let server = Server::start(&data, &["--arena", "cluster"]);
    let mut root = server.administrator();
    let form = [
        ("title", "Cluster"),
        ("per_day", "10000"),
        ("boss", "cluster/greedy"),
        ("boss", "cluster/random"),
    ];
    root.post("/admin/arenas/cluster", "/admin/arenas/cluster", &form);
    let ada = server.author(&mut root, "ada");
    assert!(server.stop());
    let (mut acknowledged, mut lucky) = (Vec::new(), 0);
    for seed in 0..failures {
        let mirror = folder.path().join(format!("mirror{seed}"));
        fs::create_dir_all(mirror.join("files")).unwrap();
        fs::create_dir_all(mirror.join("folders")).unwrap();
        let variables = [
            ("LD_PRELOAD", preload.to_str().unwrap()),
            ("AGON_POWER_DATA", data.to_str().unwrap()),
            ("AGON_POWER_MIRROR", mirror.to_str().unwrap()),
        ];
        let server = Server::start_with(&data, &["--pace", "0"], &variables);
        let mut random = Random(seed);
        let is_over = Arc::new(AtomicBool::new(false));
        let mut author = server.client();
        author.set_cookie("agon-session", ada.cookie("agon-session").unwrap());
        let uploads = upload(&is_over, author, seed as usize);
        thread::sleep(Duration::from_millis(500 + random.next() % 1_500));
        drop(server);
        is_over.store(true, Ordering::Relaxed);
        acknowledged.extend(uploads.join().unwrap());
        let next = folder.path().join(format!("ladder{seed}"));
        let mut wreck = Wreck { mirror: &mirror, live: BTreeMap::new(), random, lucky: 0 };
        wreck.note(&data);
        wreck.write(&data, "", &next);
        lucky += wreck.lucky;
        fs::remove_dir_all(&mirror).unwrap();
        fs::remove_dir_all(&data).unwrap();
        data = next;
        println!("failure {seed}: {} hand-ins were acknowledged so far", acknowledged.len());
        check(&data, &acknowledged);
        check_blobs(&data);
    }
    assert!(acknowledged.len() as u64 >= failures, "there were hand-ins: {acknowledged:?}");
    assert!(lucky > failures, "some of what was not synced is there: {lucky} blocks");
    let played = number(&open(&data), "SELECT count(*) FROM matches WHERE state = 'played'");
    println!("{played} matches, {} hand-ins, {lucky} lucky blocks", acknowledged.len());
    assert!(played > failures);
}
