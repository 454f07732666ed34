//! The power fails while a backup is made, and after one was restored.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
    thread,
    time::Duration,
};

use super::{
    FOLDER, PLAYED, check_blobs,
    disk::{Disk, preload},
    failures,
    wreck::{self, Random, Tally},
};
use crate::{
    kill::{check, number, open},
    support::{Server, wait_for},
};

fn agon_server(words: [&str; 4], disk: Option<&Disk>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agon-server"));
    command.args(words).envs(disk.iter().flat_map(|disk| disk.variables()));
    command.output().unwrap()
}

fn succeeds(output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
}

/// Restores a backup on a disk of its own, whose power then fails, and checks what is there.
fn check_restored(place: &str, folder: &Path, preload: &Path, seed: u64, tally: &mut Tally) {
    let [new, left] = ["new", "left"].map(|name| folder.join(format!("{name}{seed}")));
    fs::create_dir(&new).unwrap();
    let disk = Disk::new(folder.join(format!("mirror-new{seed}")), preload, &new);
    let data = new.join(FOLDER);
    succeeds(&agon_server(["restore", place, "--data", data.to_str().unwrap()], Some(&disk)));
    wreck::write(&disk.mirror, &new, &left, seed, tally);
    check(&left.join(FOLDER), &[]);
    check_blobs(&left.join(FOLDER));
    for folder in [new, left, disk.mirror] {
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_loss_of_power_leaves_the_last_complete_backup() {
    agon_testkit::needs!("cc");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let preload = preload(folder);
    let data = folder.join("ladder");
    let server = Server::start(&data, &["--arena", "cluster", "--pace", "0"]);
    let more = |than: u64| {
        wait_for("matches", || Some(number(&open(&data), PLAYED)).filter(|&played| played > than))
    };
    let mut played = more(3);
    let mut backups = folder.join("backups");
    fs::create_dir(&backups).unwrap();
    let (mut tally, mut interrupted) = (Tally::default(), 0);
    for seed in 0..failures() {
        let mut random = Random(seed);
        let disk = Disk::new(folder.join(format!("mirror{seed}")), &preload, &backups);
        let place = backups.join(FOLDER);
        let words = ["backup", "--data", data.to_str().unwrap(), place.to_str().unwrap()];
        succeeds(&agon_server(words, Some(&disk)));
        played = more(played);
        // Copies are named by the time.
        thread::sleep(Duration::from_millis(2));
        disk.fail(&mut random);
        let output = agon_server(words, Some(&disk));
        match output.status.code() {
            None => interrupted += 1,
            Some(_) => succeeds(&output),
        }
        let next = folder.join(format!("backups{seed}"));
        wreck::write(&disk.mirror, &backups, &next, random.next(), &mut tally);
        fs::remove_dir_all(&disk.mirror).unwrap();
        fs::remove_dir_all(&backups).unwrap();
        backups = next;
        let place = backups.join(FOLDER);
        check_restored(place.to_str().unwrap(), folder, &preload, seed, &mut tally);
    }
    println!("{interrupted} backups were interrupted, {tally:?}");
    assert!(interrupted > 0 && tally.lost_names + tally.lucky_names > 0);
    assert!(server.stop());
}
