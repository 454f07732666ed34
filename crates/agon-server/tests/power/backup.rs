//! The power fails while a backup is made, and after one was restored.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use super::{
    FOLDER, check_blobs,
    disk::{Disk, preload},
    failures,
    wreck::{self, Random, Tally},
};
use crate::{
    hand_in::hand_in,
    kill::check,
    support::{Server, said},
};

fn agon_server(words: [&str; 4], disk: &Disk) -> Output {
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
    let (data, place) = (new.join(FOLDER), place.to_str().unwrap());
    succeeds(&agon_server(["restore", place, "--data", data.to_str().unwrap()], &disk));
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
    let form = [("title", "Cluster"), ("per_day", "10000"), ("boss", "cluster/random")];
    let reply = root.post("/admin/arenas/cluster", "/admin/arenas/cluster", &form);
    assert_eq!(reply.status, 200, "{}", reply.text());
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
    let (mut tally, mut interrupted) = (Tally::default(), 0);
    for seed in 0..failures() {
        let mut random = Random(seed);
        let disk = Disk::new(folder.join(format!("mirror{seed}")), &preload, &backups);
        let place = backups.join(FOLDER);
        let words = ["backup", "--data", data.to_str().unwrap(), place.to_str().unwrap()];
        let versions = hand_in_one();
        succeeds(&agon_server(words, &disk));
        hand_in_one();
        disk.fail(&mut random);
        let output = agon_server(words, &disk);
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
