//! Whatever a command writes goes where the path leads: devices, FIFOs and links stay what they
//! are, and errors name the file.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::Read,
    os::unix::fs::{FileTypeExt, symlink},
    path::Path,
    process::{Command, Output, Stdio},
    thread::{self, JoinHandle},
};

use assert_cmd::cargo::cargo_bin;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use tempfile::TempDir;

fn agon(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(cargo_bin("agon"));
    command.current_dir(folder).args(line.split_whitespace()).stdin(Stdio::null()).output().unwrap()
}

#[track_caller]
fn done(folder: &Path, line: &str) {
    let output = agon(folder, line);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{line}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A folder with a replay of each game that has outputs of its own, and a small tournament.
fn recorded() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let cellhack = "play cellhack builtin:hunter builtin:random --set width=24 --set height=16 \
        --turns 9 --seed 3";
    done(path, &format!("{cellhack} --replay m.agon"));
    done(path, "play binfection --set field_width=12 --set turns_limit=5 --seed 1 --replay b.agon");
    let plan = "game = \"cluster\"\nmatches = 40\nbots = [\"builtin:random\", \
        \"builtin:greedy\"]\n[settings]\nside = 3\n[format]\nkind = \"round-robin\"\n";
    fs::write(path.join("cup.toml"), plan).unwrap();
    done(path, "tournament cup.toml");
    folder
}

/// All commands that write a file `OUT`, and how what they write begins.
const COMMANDS: [(&str, &[u8]); 11] = [
    ("replay export m.agon --gif OUT", b"GIF89a"),
    ("replay export m.agon --apng OUT", b"\x89PNG"),
    ("replay export m.agon --states OUT", b"{"),
    ("replay export m.agon --cellhack OUT", b""),
    ("replay export b.agon --res OUT", b""),
    ("replay chart m.agon --svg OUT", b"<svg"),
    ("replay chart m.agon --png OUT", b"\x89PNG"),
    ("play cluster --set side=3 --seed 1 --gif OUT", b"GIF89a"),
    ("play cluster --set side=3 --seed 1 --replay OUT", b""),
    ("play cellhack builtin:random builtin:hunter --turns 3 --seed 1 --replay-cellhack OUT", b""),
    ("tournament report cup-results --html OUT", b"<!"),
];

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
}

/// Reads a FIFO to its end, which comes when its writer closes it.
fn reader(path: &Path) -> JoinHandle<Vec<u8>> {
    let path = path.to_owned();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        fs::File::open(path).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    })
}

#[test]
fn fifos_get_what_files_get_and_links_stay() {
    let folder = recorded();
    let folder = folder.path();
    for (line, start) in COMMANDS {
        done(folder, &line.replace("OUT", "plain"));
        let plain = fs::read(folder.join("plain")).unwrap();
        assert!(!plain.is_empty() && (plain.starts_with(start) || start == b""), "{line}");
        fs::remove_file(folder.join("plain")).unwrap();

        fifo(&folder.join("fifo"));
        let reading = reader(&folder.join("fifo"));
        done(folder, &line.replace("OUT", "fifo"));
        assert!(same(line, &reading.join().unwrap(), &plain), "{line}");
        assert!(fs::symlink_metadata(folder.join("fifo")).unwrap().file_type().is_fifo(), "{line}");
        fs::remove_file(folder.join("fifo")).unwrap();

        fs::create_dir_all(folder.join("elsewhere")).unwrap();
        symlink("elsewhere/file", folder.join("link")).unwrap();
        done(folder, &line.replace("OUT", "link"));
        assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_symlink(), "{line}");
        assert!(same(line, &fs::read(folder.join("elsewhere/file")).unwrap(), &plain), "{line}");
        fs::remove_file(folder.join("link")).unwrap();
        fs::remove_dir_all(folder.join("elsewhere")).unwrap();
    }
}

/// Whether two outputs of a command are the same, but for what is different each time.
fn same(line: &str, one: &[u8], other: &[u8]) -> bool {
    if line.contains("--replay") { !one.is_empty() } else { one == other }
}

#[test]
fn devices_stay_devices() {
    let folder = recorded();
    let folder = folder.path();
    let device = folder.join("null");
    // The one that takes everything, under a name of our own.
    let made =
        mknodat(CWD, &device, FileType::CharacterDevice, Mode::from_raw_mode(0o666), makedev(1, 3));
    if made.is_err() || fs::File::options().write(true).open(&device).is_err() {
        return agon_testkit::leave_to_root(
            "need root and a folder in which devices may be opened",
        );
    }
    symlink("null", folder.join("link")).unwrap();
    for (line, _) in COMMANDS {
        for name in ["null", "link"] {
            agon(folder, &line.replace("OUT", name));
            assert!(
                fs::symlink_metadata(&device).unwrap().file_type().is_char_device(),
                "{line} {name}"
            );
            assert!(
                fs::symlink_metadata(folder.join("link")).unwrap().is_symlink(),
                "{line} {name}"
            );
        }
    }
    let left: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".part")), "{left:?}");
}

/// Runs a command that may write files of four kibibytes only.
fn limited(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut shell = Command::new("bash");
    shell
        .args(["-c", "ulimit -f 4; exec \"$@\"", "bash"])
        .arg(cargo_bin("agon"))
        .args(line.split_whitespace());
    let output = shell.current_dir(folder).stdin(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_file_that_becomes_too_large_is_an_error_that_names_it_and_the_limit() {
    let folder = recorded();
    let folder = folder.path();
    for line in [
        "replay export m.agon --gif large",
        "replay export m.agon --apng large",
        "replay export m.agon --states large",
        "replay export m.agon --cellhack large",
        "replay chart m.agon --svg large --size 4000x3000 --series energy",
        "replay chart m.agon --png large --size 4000x3000",
        "play cellhack builtin:hunter builtin:random --turns 300 --seed 3 --replay large",
        "tournament report cup-results --html large",
    ] {
        let (code, error) = limited(folder, line);
        if fs::metadata(folder.join("large")).is_ok_and(|facts| facts.len() < 4096)
            && code == Some(0)
        {
            // It was small enough.
            continue;
        }
        assert_eq!(code, Some(2), "{line}: {error}");
        assert!(error.contains("large") && error.contains("4096 bytes at most"), "{line}: {error}");
        let part = folder.join("large.part");
        assert!(!part.exists(), "{line}");
        let _ = fs::remove_file(folder.join("large"));
    }
    fs::remove_dir_all(folder.join("cup-results")).unwrap();
    let (code, error) = limited(folder, "tournament cup.toml");
    assert!(code == Some(2) && error.contains("cup-results"), "{error}");
    assert!(error.contains("4096 bytes at most"), "{error}");
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    let folder = recorded();
    let folder = folder.path();
    let device = folder.join("full");
    // The one on which there is no space, under a name of our own.
    let made =
        mknodat(CWD, &device, FileType::CharacterDevice, Mode::from_raw_mode(0o666), makedev(1, 7));
    if made.is_err() || fs::File::options().write(true).open(&device).is_err() {
        return agon_testkit::leave_to_root(
            "need root and a folder in which devices may be opened",
        );
    }
    for (line, _) in COMMANDS {
        let output = agon(folder, &line.replace("OUT", "full"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {error}");
        let names = error.contains("cannot write full") || error.contains("in full");
        assert!(names && error.contains("No space left on device"), "{line}: {error}");
    }
}

#[test]
fn no_output_takes_the_place_of_what_is_read() {
    let folder = recorded();
    let path = folder.path();
    let example =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots/cellhack/drifter.c");
    fs::copy(example, path.join("bot.c")).unwrap();
    fs::write(path.join("rules.toml"), "side = 3\n").unwrap();
    fs::hard_link(path.join("m.agon"), path.join("hard")).unwrap();
    symlink("m.agon", path.join("soft")).unwrap();
    let replays = COMMANDS.iter().filter_map(|&(line, _)| {
        let input = line.split(' ').find(|word| word.ends_with(".agon"))?;
        Some((line.replace("OUT", &format!("./{input}")), input))
    });
    let others = [
        ("replay export m.agon --gif hard", "m.agon"),
        ("replay export m.agon --gif soft", "m.agon"),
        (
            "tournament report cup-results --html cup-results/journal.jsonl",
            "cup-results/journal.jsonl",
        ),
        ("play cellhack bot.c builtin:random --turns 3 --replay bot.c", "bot.c"),
        ("play cellhack bot.c builtin:random --turns 3 --gif ./bot.c", "bot.c"),
        ("play cluster --rules rules.toml --replay rules.toml", "rules.toml"),
        ("play cluster --set side=3 --gif y --replay y", "m.agon"),
    ];
    for (line, input) in replays.chain(others.map(|(line, input)| (line.to_owned(), input))) {
        let before = fs::read(path.join(input)).unwrap();
        let output = agon(path, &line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(
            said.contains("would be lost") || said.contains("for a film and for the replay"),
            "{line}: {said}"
        );
        assert_eq!(fs::read(path.join(input)).unwrap(), before, "{line}");
    }
    assert!(!path.join("y").exists());
}
