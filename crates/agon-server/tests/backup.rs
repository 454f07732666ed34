//! Copies of the whole folder while the server works, and back.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{ffi::OsStr, fs, os::unix::fs::PermissionsExt, thread, time::Duration};

use agon_arena::BlobStore;

use crate::hand_in::{enter, hand_in};
use crate::support::{
    Client, Database, Server, Texts, agon_server, flags, said, short_arena, wait_until,
};
use crate::{kill::check, secrets::Small};

fn backup(data: &Path, place: &Path) -> Output {
    let words = [OsStr::new("backup"), OsStr::new("--data"), data.as_os_str(), place.as_os_str()];
    agon_server(words.into_iter().chain(flags(data).iter().map(OsStr::new)))
}

fn restore(place: &Path, new: &Path) -> Output {
    restore_with(place, new, &[])
}

fn restore_with(place: &Path, new: &Path, more: &[&str]) -> Output {
    let words = [OsStr::new("restore"), place.as_os_str(), OsStr::new("--data"), new.as_os_str()];
    let flags = flags(new);
    let more = flags.iter().map(String::as_str).chain(more.iter().copied()).map(OsStr::new);
    agon_server(words.into_iter().chain(more))
}

fn succeeds(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", said(output));
}

/// A server with a bot, some matches and a key, and a signed-in author.
pub(crate) fn server_with_a_bot(data: &Path) -> (Server, Client) {
    // A single boss, which plays with nobody but the author: few matches, and small copies.
    let server = Server::start(data, &["--pace", "0"]);
    let mut root = server.administrator();
    short_arena(&mut root, &["random"]);
    let mut ada = server.author(&mut root, "ada");
    enter(&mut ada, "");
    wait_until("matches", || {
        let played = "SELECT count(*) FROM matches WHERE state = 'played'";
        Database::of(data).number(played) > 5
    });
    (server, ada)
}

/// Each match that was played: its number, seed and replay.
fn matches(data: &Path) -> Vec<Texts> {
    let sql = "SELECT number, seed, replay FROM matches WHERE state = 'played' ORDER BY number";
    Database::of(data).rows(sql)
}

#[test]
fn copies_are_whole_or_not_restored_and_damage_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("ladder");
    let (server, ada) = server_with_a_bot(&data);
    an_interrupted_copy_is_never_restored(folder.path(), &data);
    a_copy_made_while_all_are_busy_is_whole(folder.path(), server, &ada);
    damage_is_found_and_named(folder.path(), &data);
}

fn a_copy_made_while_all_are_busy_is_whole(folder: &Path, server: Server, ada: &Client) {
    let [data, place, new] = ["ladder", "busy", "new"].map(|name| folder.join(name));
    let secret = fs::read_to_string(data.join("keys/log.key")).unwrap();
    let mut author = ada.clone();
    let uploads = thread::spawn(move || {
        let code = |round: u32| format!("raise SystemExit({round})\n");
        (2..12).map(|round| hand_in(&mut author, "cluster", "python", &code(round))).count()
    });
    for _ in 0..3 {
        succeeds(&backup(&data, &place));
    }
    assert_eq!(uploads.join().unwrap(), 10);
    succeeds(&backup(&data, &place));
    let copies = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name());
    let copies = copies.filter(|name| name.to_string_lossy().starts_with("copy-"));
    assert_eq!(copies.count(), 1, "the last copy has taken the place of the others");
    succeeds(&restore(&place, &new));
    let (restored, live) = (matches(&new), matches(&data));
    assert!(restored.len() > 5 && live.starts_with(&restored), "they are the same matches");
    assert!(server.stop());
    let acknowledged: Vec<u32> = (1..=11).collect();
    check(&new, &acknowledged);
    let key = new.join("keys/log.key");
    assert_eq!(fs::read_to_string(&key).unwrap(), secret);
    assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&new).unwrap().permissions().mode() & 0o777, 0o700);
    // The copy is a server: who was signed in still is, and matches go on.
    let server = Server::start(&new, &["--pace", "0"]);
    assert!(server.link.is_none(), "the administrator is there");
    let mut again = server.client();
    again.set_cookie("agon-session", ada.cookie("agon-session").unwrap());
    let page = again.get("/arenas/cluster/bots/ada/versions/1");
    assert!(page.has("It can play"), "{}", page.text());
    wait_until("more matches", || matches(&new).len() > restored.len());
    assert!(server.stop());
    check(&new, &acknowledged);
    // A restore replaces nothing.
    let output = restore(&place, &new);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("is not empty"), "{}", said(&output));
}

fn an_interrupted_copy_is_never_restored(folder: &Path, data: &Path) {
    let place = folder.join("copy");
    let new = |number: u64| folder.join(format!("new{number}"));
    for round in 0..8 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_agon-server"))
            .args(["backup", "--data"])
            .args([data, &place])
            .args(flags(data))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Another moment each time.
        thread::sleep(Duration::from_millis(6 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        let output = restore(&place, &new(round));
        if place.join("manifest.json").exists() {
            succeeds(&output);
            check(&new(round), &[1]);
        } else {
            assert_eq!(output.status.code(), Some(2), "{}", said(&output));
            assert!(said(&output).contains("no complete backup"), "{}", said(&output));
            assert!(!new(round).exists(), "nothing was written");
        }
    }
    succeeds(&backup(data, &place));
    succeeds(&restore(&place, &new(99)));
    check(&new(99), &[1]);
    // A restore that was interrupted is not served.
    fs::write(new(99).join("restoring"), "").unwrap();
    let (flags, new) = (flags(&new(99)), new(99));
    let serve = ["--listen", "127.0.0.1:0", "--data", new.to_str().unwrap()].into_iter();
    let output = agon_server(serve.chain(flags.iter().map(String::as_str)));
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("was interrupted"), "{}", said(&output));
}

/// Returns the file of the files that ada handed in.
fn source_of_ada(data: &Path, blobs: &Path) -> PathBuf {
    let sql = "SELECT source FROM versions WHERE source IS NOT NULL AND number = 1";
    let digest = Database::of(data).text(sql).unwrap();
    blobs.join(&digest[..2]).join(digest)
}

/// The server does not run.
fn damage_is_found_and_named(folder: &Path, data: &Path) {
    let [place, new] = ["damaged", "mended"].map(|name| folder.join(name));
    succeeds(&backup(data, &place));
    // A bit changes in the copy.
    let path = source_of_ada(data, &place.join("blobs"));
    let mut bytes = fs::read(&path).unwrap();
    bytes[7] ^= 1;
    fs::write(&path, bytes).unwrap();
    let output = restore(&place, &new);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("the files of ada v1 in cluster"), "{}", said(&output));
    assert!(!new.exists(), "nothing was restored");
    let output = restore_with(&place, &new, &["--incomplete"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(matches(&new), matches(data), "the rest is there");
    assert!(!source_of_ada(&new, &new.join("blobs")).exists());
    // The database changes.
    let copy = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path());
    let mut copies = copy.filter(|path| path.join("agon.db").exists());
    let database = copies.next().unwrap().join("agon.db");
    let mut bytes = fs::read(&database).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&database, bytes).unwrap();
    let other = folder.join("other");
    let output = restore(&place, &other);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("agon.db is damaged"), "{}", said(&output));
    // A file is missing in the server's own folder: the copy has all others.
    let fresh = folder.join("fresh");
    fs::remove_file(source_of_ada(data, &data.join("blobs"))).unwrap();
    let output = backup(data, &fresh);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("the files of ada v1 in cluster"), "{}", said(&output));
    let all = BlobStore::open(&fresh.join("blobs")).unwrap().list().unwrap();
    assert!(all.len() >= matches(data).len());
}

#[test]
fn what_is_no_ladder_or_another_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [data, other, place] = ["ladder", "other", "copy"].map(|name| folder.path().join(name));
    let says = |output: &Output, text: &str| {
        assert_eq!(output.status.code(), Some(2));
        assert!(said(output).contains(text), "{}", said(output));
    };
    says(&backup(&data, &place), "has no ladder");
    says(&restore(&place, &data), "no complete backup");
    for data in [&data, &other] {
        assert!(Server::start(data, &[]).stop());
    }
    says(&backup(&data, &data.join("copy")), "inside the server's folder");
    succeeds(&backup(&data, &place));
    says(&backup(&other, &place), "a backup of another server");
    let strange = folder.path().join("strange");
    fs::create_dir(&strange).unwrap();
    fs::write(strange.join("thesis.txt"), "x").unwrap();
    says(&backup(&data, &strange), "has other files, such as `thesis.txt`");
    // A newer Agon made it.
    Database::of(&data).execute("INSERT INTO migrations VALUES (99, 'x')");
    says(&backup(&data, &place), "a newer Agon made this database");
    let new = folder.path().join("new");
    succeeds(&restore(&place, &new));
}

#[test]
fn a_full_disk_leaves_the_copy_before() {
    let folder = tempfile::tempdir().unwrap();
    let Some(small) = Small::mount(&folder.path().join("small"), 4) else {
        // Only root may mount something, and not everywhere.
        return;
    };
    let [data, new] = ["ladder", "new"].map(|name| folder.path().join(name));
    let (server, mut ada) = server_with_a_bot(&data);
    let place = small.0.join("copy");
    succeeds(&backup(&data, &place));
    let before = matches(&data);
    for round in 0..12_u64 {
        // Different, and hard to pack.
        let noise: String = (0..60_000)
            .map(|n| format!("{:x}", (n + round * 60_000).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
            .collect();
        hand_in(&mut ada, "cluster", "python", &format!("raise SystemExit()\n# {noise}\n"));
    }
    let output = backup(&data, &place);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("cannot be"), "{}", said(&output));
    succeeds(&restore(&place, &new));
    let restored = matches(&new);
    assert!(restored.len() > 5 && before.len() + 200 > restored.len());
    assert!(server.stop());
}
