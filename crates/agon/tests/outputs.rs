//! Whatever a command writes goes where the path leads: devices, FIFOs and links stay what they
//! are, and errors name the file.

use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::{fs, process::Command, thread};

use assert_cmd::cargo::cargo_bin;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use crate::support::{Done, TestDir, names, root};

/// A folder with a replay of each game that has outputs of its own, and a small tournament.
fn recorded() -> TestDir {
    let dir = TestDir::new();
    dir.ok("play cellhack builtin:hunter builtin:random --set width=24 --set height=16 --turns 9 \
            --seed 3 --replay m.agon");
    dir.ok("play binfection --set field_width=12 --set turns_limit=5 --seed 1 --replay b.agon");
    let plan = "game = \"cluster\"\nmatches = 40\nbots = [\"builtin:random\", \
        \"builtin:greedy\"]\n[settings]\nside = 3\n[format]\nkind = \"round-robin\"\n";
    dir.write("cup.toml", plan);
    dir.ok("tournament cup.toml");
    dir
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

fn kind(path: &Path) -> fs::FileType {
    fs::symlink_metadata(path).unwrap().file_type()
}

#[test]
fn fifos_get_what_files_get_and_links_stay() {
    let dir = recorded();
    let [plain, fifo, link] = ["plain", "fifo", "link"].map(|name| dir.path(name));
    for (line, start) in COMMANDS {
        dir.ok(&line.replace("OUT", "plain"));
        let expected = dir.bytes("plain");
        assert!(!expected.is_empty() && expected.starts_with(start), "{line}");
        // What a replay says of its match differs each time.
        let same = |bytes: &[u8]| {
            if line.contains("--replay") { !bytes.is_empty() } else { bytes == expected }
        };

        mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let path = fifo.clone();
        // The end comes when the writer closes it.
        let reading = thread::spawn(move || fs::read(path).unwrap());
        dir.ok(&line.replace("OUT", "fifo"));
        assert!(same(&reading.join().unwrap()), "{line}");
        assert!(kind(&fifo).is_fifo(), "{line}");

        fs::create_dir_all(dir.path("elsewhere")).unwrap();
        symlink("elsewhere/file", &link).unwrap();
        dir.ok(&line.replace("OUT", "link"));
        assert!(kind(&link).is_symlink() && same(&dir.bytes("elsewhere/file")), "{line}");
        for file in [&plain, &fifo, &link, &dir.path("elsewhere/file")] {
            fs::remove_file(file).unwrap();
        }
    }
}

/// Makes a device of our own on which there is no room; `None` unless that works.
fn full_device(dir: &TestDir) -> Option<PathBuf> {
    let path = dir.path("full");
    let mode = Mode::from_raw_mode(0o666);
    let made = mknodat(CWD, &path, FileType::CharacterDevice, mode, makedev(1, 7));
    if made.is_ok() && fs::File::options().write(true).open(&path).is_ok() {
        return Some(path);
    }
    agon_testkit::leave_to_root("need root and a folder in which devices may be opened");
    None
}

/// Runs a command that may write files of four kibibytes only.
fn limited(dir: &TestDir, line: &str) -> Done {
    let mut shell = Command::new("bash");
    shell.args(["-c", "ulimit -f 4; exec \"$@\"", "bash"]).arg(cargo_bin("agon"));
    Done::of(shell.args(line.split_whitespace()).current_dir(dir.path("")))
}

#[test]
fn a_file_that_becomes_too_large_is_an_error_that_names_it_and_the_limit() {
    let dir = recorded();
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
        let Done { code, err, .. } = limited(&dir, line);
        let small = fs::metadata(dir.path("large")).is_ok_and(|facts| facts.len() < 4096);
        if !small || code != Some(0) {
            assert_eq!(code, Some(2), "{line}: {err}");
            assert!(err.contains("large") && err.contains("4096 bytes at most"), "{line}: {err}");
            assert!(!dir.path("large.part").exists(), "{line}");
            let _ = fs::remove_file(dir.path("large"));
        }
    }
    fs::remove_dir_all(dir.path("cup-results")).unwrap();
    let done = limited(&dir, "tournament cup.toml");
    assert_eq!(done.code, Some(2), "{}", done.err);
    done.says("cup-results").says("4096 bytes at most");
}

#[test]
fn a_full_disk_is_an_error_that_names_the_file_and_devices_stay_devices() {
    let dir = recorded();
    let Some(full) = full_device(&dir) else { return };
    symlink("full", dir.path("link")).unwrap();
    for (at, (line, _)) in COMMANDS.into_iter().enumerate() {
        let name = ["full", "link"][at % 2];
        let said = dir.fails(&line.replace("OUT", name));
        let is_named =
            ["cannot write ", " in "].map(|words| said.contains(&(words.to_owned() + name)));
        assert!(
            is_named.contains(&true) && said.contains("No space left on device"),
            "{line}: {said}"
        );
        assert!(kind(&full).is_char_device(), "{line}");
        assert!(kind(&dir.path("link")).is_symlink(), "{line}");
    }
    let left = names(dir.path(""));
    assert!(left.iter().all(|name| !name.ends_with(".part")), "{left:?}");
}

#[test]
fn no_output_takes_the_place_of_what_is_read() {
    let dir = recorded();
    fs::copy(root().join("examples/bots/cellhack/drifter.c"), dir.path("bot.c")).unwrap();
    dir.write("rules.toml", "side = 3\n");
    fs::hard_link(dir.path("m.agon"), dir.path("hard")).unwrap();
    symlink("m.agon", dir.path("soft")).unwrap();
    let replays = COMMANDS.iter().filter_map(|&(line, _)| {
        let input = line.split(' ').find(|word| word.ends_with(".agon"))?;
        Some((line.replace("OUT", &format!("./{input}")), input))
    });
    let journal = "cup-results/journal.jsonl";
    let others = [
        ("replay export m.agon --gif hard", "m.agon"),
        ("replay export m.agon --gif soft", "m.agon"),
        ("tournament report cup-results --html cup-results/journal.jsonl", journal),
        ("play cellhack bot.c builtin:random --turns 3 --replay bot.c", "bot.c"),
        ("play cellhack bot.c builtin:random --turns 3 --gif ./bot.c", "bot.c"),
        ("play cluster --rules rules.toml --replay rules.toml", "rules.toml"),
        ("play cluster --set side=3 --gif y --replay y", "m.agon"),
    ];
    for (line, input) in replays.chain(others.map(|(line, input)| (line.to_owned(), input))) {
        let before = dir.bytes(input);
        let said = dir.fails(&line);
        let words = ["would be lost", "for a film and for the replay"];
        assert!(words.iter().any(|words| said.contains(words)), "{line}: {said}");
        assert_eq!(dir.bytes(input), before, "{line}");
    }
    assert!(!dir.path("y").exists());
}
