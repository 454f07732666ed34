//! Tests that outputs go where their paths lead, and that links, devices and FIFOs stay what they
//! are.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs::{self, File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{os::unix::net::UnixListener, thread};

use agon_files::{WholeFile, WriteError, create, write, write_whole};
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use tempfile::{TempDir, tempdir};

type Way = fn(&Path, &[u8]) -> Result<(), WriteError>;

/// Both ways to write a file.
const WAYS: [Way; 2] = [write, write_whole];

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

fn folder() -> (TempDir, impl Fn(&str) -> PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().to_owned();
    (folder, move |name: &str| path.join(name))
}

#[test]
fn a_new_file_has_the_usual_permissions_and_an_old_one_keeps_its_own() {
    for way in WAYS {
        let (folder, path) = folder();
        File::create(path("usual")).unwrap();
        way(&path("new"), b"new").unwrap();
        let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode("new"), mode("usual"));
        fs::set_permissions(path("new"), Permissions::from_mode(0o640)).unwrap();
        way(&path("new"), b"newer").unwrap();
        assert_eq!((mode("new"), fs::read(path("new")).unwrap()), (0o640, b"newer".to_vec()));
        assert_eq!(names(folder.path()), ["new", "usual"]);
    }
}

#[test]
fn a_link_stays_and_the_file_that_it_leads_to_is_written() {
    for way in WAYS {
        let (folder, path) = folder();
        fs::create_dir(path("sub")).unwrap();
        fs::write(path("sub/file"), "old").unwrap();
        symlink("sub/file", path("link")).unwrap();
        symlink("link", path("second")).unwrap();
        symlink(path("sub/none"), path("dangling")).unwrap();
        for (name, target) in
            [("link", "sub/file"), ("second", "sub/file"), ("dangling", "sub/none")]
        {
            way(&path(name), name.as_bytes()).unwrap();
            assert!(fs::symlink_metadata(path(name)).unwrap().is_symlink(), "{name}");
            assert_eq!(fs::read_to_string(path(target)).unwrap(), name);
        }
        assert_eq!(names(&path("sub")), ["file", "none"]);
        symlink("circle", path("circle")).unwrap();
        let error = way(&path("circle"), b"").unwrap_err();
        assert!(error.source.to_string().contains("circles"), "{error:?}");
        drop(folder);
    }
}

#[test]
fn a_fifo_gets_all_and_stays_one() {
    for way in WAYS {
        let (folder, path) = folder();
        mknodat(CWD, path("fifo"), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        symlink("fifo", path("link")).unwrap();
        for name in ["fifo", "link"] {
            let reader = {
                let fifo = path("fifo");
                thread::spawn(move || fs::read(fifo).unwrap())
            };
            way(&path(name), &[7; 200_000]).unwrap();
            assert!(reader.join().unwrap() == [7; 200_000]);
        }
        assert!(fs::symlink_metadata(path("fifo")).unwrap().file_type().is_fifo());
        assert_eq!(names(folder.path()), ["fifo", "link"]);
    }
}

#[test]
fn a_device_stays_one() {
    let (folder, path) = folder();
    // The one that takes everything, under a name of our own.
    let made = mknodat(
        CWD,
        path("null"),
        FileType::CharacterDevice,
        Mode::from_raw_mode(0o666),
        makedev(1, 3),
    );
    if made.is_err() || File::options().write(true).open(path("null")).is_err() {
        return agon_testkit::leave_to_root(
            "need root and a folder in which devices may be opened",
        );
    }
    symlink("null", path("link")).unwrap();
    for way in WAYS {
        for name in ["null", "link"] {
            way(&path(name), b"nothing").unwrap();
        }
    }
    assert!(fs::symlink_metadata(path("null")).unwrap().file_type().is_char_device());
    assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
    assert_eq!(names(folder.path()), ["link", "null"]);
}

#[test]
fn what_is_open_already_is_written_through() {
    for way in WAYS {
        let (folder, path) = folder();
        let open =
            File::options().create_new(true).read(true).append(true).open(path("file")).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        for text in ["one", "two"] {
            way(Path::new(&format!("/proc/self/fd/{number}")), text.as_bytes()).unwrap();
        }
        let mut text = String::new();
        (&open).read_to_string(&mut text).unwrap();
        assert_eq!(text, "two", "the same file, not another one of its name");
        assert_eq!(names(folder.path()), ["file"]);
    }
}

#[test]
fn sockets_and_folders_are_refused() {
    let (folder, path) = folder();
    let _listener = UnixListener::bind(path("socket")).unwrap();
    fs::create_dir(path("sub")).unwrap();
    symlink("sub", path("link")).unwrap();
    for way in WAYS {
        let text = |name: &str| {
            let error = way(&path(name), b"x").unwrap_err();
            format!("{error}: {}", error.source)
        };
        assert!(
            text("socket").contains("cannot write ") && text("socket").contains("it is a socket")
        );
        assert!(text("sub").contains("sub: is a directory"), "{}", text("sub"));
        assert!(text("link").contains("is a directory"));
    }
    assert_eq!(names(folder.path()), ["link", "socket", "sub"]);
}

#[test]
fn a_file_is_whole_or_as_before() {
    let (folder, path) = folder();
    fs::write(path("film"), "old").unwrap();
    let whole = WholeFile::create(&path("film")).unwrap();
    whole.writer().unwrap().write_all(b"half of it").unwrap();
    assert_eq!(names(folder.path()), ["film", "film.part"]);
    drop(whole);
    assert_eq!(
        (names(folder.path()), fs::read_to_string(path("film")).unwrap()),
        (vec!["film".into()], "old".into())
    );
    let whole = WholeFile::create(&path("deep/er/film")).unwrap();
    whole.writer().unwrap().write_all(b"all").unwrap();
    assert_eq!(whole.keep().unwrap(), 3);
    assert_eq!(names(&path("deep/er")), ["film"]);
}

#[test]
fn unfinished_files_of_others_are_left_alone() {
    let (folder, path) = folder();
    // One of a process that was killed, and one that is written.
    fs::write(path("a.part"), "left behind").unwrap();
    let first = WholeFile::create(&path("a")).unwrap();
    assert_eq!(
        (first.part(), fs::read(first.part()).unwrap()),
        (path("a.part").as_path(), Vec::new())
    );
    let second = WholeFile::create(&path("a")).unwrap();
    assert_eq!(second.part(), path("a.2.part"));
    second.writer().unwrap().write_all(b"second").unwrap();
    first.writer().unwrap().write_all(b"first").unwrap();
    second.keep().unwrap();
    first.keep().unwrap();
    assert_eq!(
        (names(folder.path()), fs::read_to_string(path("a")).unwrap()),
        (vec!["a".into()], "first".into())
    );
    // Somebody's link is neither followed nor taken away.
    fs::write(path("notes"), "mine").unwrap();
    symlink("notes", path("a.part")).unwrap();
    write_whole(&path("a"), b"third").unwrap();
    assert_eq!(fs::read_to_string(path("notes")).unwrap(), "mine");
    assert_eq!(names(folder.path()), ["a", "a.part", "notes"]);
}

#[test]
fn who_may_not_write_a_file_does_not_replace_it() {
    let (_folder, path) = folder();
    let file = path("file");
    fs::write(&file, "kept").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    // Even root may not, in a thread that has given up its privileges.
    let tried = thread::spawn(move || {
        let mut own = capabilities(None).unwrap();
        own.effective = CapabilitySet::empty();
        set_capabilities(None, own).unwrap();
        WAYS.map(|way| way(&file, b"other").is_err())
    });
    assert_eq!(tried.join().unwrap(), [true; 2]);
    assert_eq!(fs::read_to_string(path("file")).unwrap(), "kept");
}

#[test]
fn an_output_that_cannot_be_opened_is_named() {
    let (_folder, path) = folder();
    fs::write(path("file"), "").unwrap();
    let error = create(&path("file/x")).unwrap_err().to_string();
    assert_eq!(error, format!("cannot write {}", path("file/x").display()));
}
