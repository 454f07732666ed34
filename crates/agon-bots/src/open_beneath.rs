//! Opens files of a bot's folder, which may change while Agon reads it.
//!
//! Somebody could replace a file by a link to a secret, or by a pipe that never ends. So this
//! module follows no link, and opens regular files only. All copies of folders use it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// The most bytes of a manifest or an ignore file.
const SMALL: u64 = 64 << 10;

const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

const FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens a file below a folder.
///
/// # Errors
/// If there is none, it is not a regular file, or a part of its path is a link.
pub fn open_beneath(root: &Path, path: &Path) -> io::Result<File> {
    let folder = openat(CWD, root, FOLDER, Mode::empty())?;
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let opened = match openat2(&folder, path, FLAGS, Mode::empty(), beneath) {
        // Kernels before 5.6 have no such call, and filters of containers refuse it.
        Err(Errno::NOSYS | Errno::PERM) => open_by_names(folder, path),
        opened => opened,
    };
    regular(opened)
}

/// Opens a file of a bot: one below its home, if it has one.
///
/// # Errors
/// As [`open_beneath`]. A bot without a home was named by a person, also by a link.
pub(crate) fn open_file(path: &Path, home: Option<&Path>) -> io::Result<File> {
    let Some(home) = home else {
        return regular(openat(CWD, path, FLAGS.difference(OFlags::NOFOLLOW), Mode::empty()));
    };
    open_beneath(home, path.strip_prefix(home).map_err(io::Error::other)?)
}

/// Opens a file name by name, so that no part of its path can be a link.
fn open_by_names(root: OwnedFd, path: &Path) -> rustix::io::Result<OwnedFd> {
    let mut folder = root;
    let mut parts = path.components().filter(|part| *part != Component::CurDir).peekable();
    while let Some(part) = parts.next() {
        let Component::Normal(name) = part else { return Err(Errno::XDEV) };
        if parts.peek().is_none() {
            return openat(&folder, name, FLAGS, Mode::empty());
        }
        folder = match openat(folder.as_fd(), name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
            // So says the kernel of a link.
            Err(Errno::NOTDIR) => return Err(Errno::LOOP),
            opened => opened?,
        };
    }
    Err(Errno::NOENT)
}

fn regular(opened: rustix::io::Result<OwnedFd>) -> io::Result<File> {
    let file = File::from(opened.map_err(|error| match error {
        Errno::LOOP => io::Error::other("it is a link, or in a folder that is one"),
        error => error.into(),
    })?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    Ok(file)
}

/// Reads a small text below a folder; `None` if there is no such file.
///
/// # Errors
/// As [`open_beneath`], and if it is too large or not UTF-8.
pub(crate) fn read_small(root: &Path, path: &Path) -> io::Result<Option<String>> {
    if fs::symlink_metadata(root.join(path)).is_err_and(|e| e.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    open_beneath(root, path)?.take(SMALL + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > SMALL {
        return Err(io::Error::other(format!("it is larger than {} KiB", SMALL >> 10)));
    }
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))?;
    // Some editors write a byte order mark.
    Ok(Some(text.trim_start_matches('\u{feff}').to_owned()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Files that open something else than a bot's files, and what.
    const OTHERS: [(&str, &str); 10] = [
        ("agon-bots/src/batch/serve.rs", "/dev/null, in the host's own process"),
        ("agon-bots/src/clock/queues.rs", "/proc"),
        ("agon-bots/src/clojure/java.rs", "Agon's cache"),
        ("agon-bots/src/folder_bot/kept_build.rs", "Agon's cache"),
        ("agon-bots/src/game_file.rs", "the store in Agon's cache"),
        ("agon-bots/src/http/address.rs", "/proc"),
        ("agon-bots/src/process/measurement.rs", "/proc"),
        ("agon-bots/src/shortage.rs", "/proc"),
        ("agon-bots/src/snapshot/copy.rs", "a file that a person named, or a copy"),
        ("agon-bots/src/tools/mod.rs", "/proc"),
    ];

    /// Lists the sources below a folder that open files by their paths, without their tests.
    fn openers(crates: &Path, place: &str, found: &mut Vec<String>) {
        let whole = crates.join(place);
        if whole.is_dir() {
            for entry in fs::read_dir(whole).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                openers(crates, &format!("{place}/{name}"), found);
            }
        } else if place.ends_with(".rs") && !place.ends_with("tests.rs") {
            let text = fs::read_to_string(whole).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let opens = [
                "File::open(",
                "OpenOptions::new",
                "fs::copy(",
                "fs::read(",
                "fs::read_to_string(",
            ];
            if opens.iter().any(|open| code.contains(open)) {
                found.push(place.to_owned());
            }
        }
    }

    #[test]
    fn nothing_else_opens_files_of_bots() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut found = Vec::new();
        for place in [
            "agon-bots/src",
            "agon-arena/src/bundle.rs",
            "agon-arena/src/resolve.rs",
            "agon-server/src/intake",
            "agon-server/src/tries.rs",
        ] {
            openers(crates, place, &mut found);
        }
        found.sort();
        let known: Vec<&str> = OTHERS.iter().map(|(place, _)| *place).collect();
        assert_eq!(found, known, "open files of bots with `open_beneath`");
    }

    #[test]
    fn only_regular_files_of_the_folder_are_read() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("bot");
        fs::create_dir_all(root.join("lib")).unwrap();
        fs::write(outer.path().join("secret"), "secret").unwrap();
        fs::write(root.join("lib/a"), "text").unwrap();
        symlink("../secret", root.join("link")).unwrap();
        symlink("..", root.join("up")).unwrap();
        rustix::fs::mknodat(CWD, root.join("pipe"), rustix::fs::FileType::Fifo, Mode::RWXU, 0)
            .unwrap();
        fs::write(root.join("large"), vec![b'x'; (SMALL + 1) as usize]).unwrap();
        // Both ways: that of new kernels, and that of old ones.
        let by_names = |path: &str| {
            let folder = openat(CWD, &root, FOLDER, Mode::empty()).unwrap();
            regular(open_by_names(folder, Path::new(path))).map(drop)
        };
        let read = |path: &str| read_small(&root, Path::new(path));
        assert_eq!(read("lib/a").unwrap().as_deref(), Some("text"));
        assert_eq!(read("missing").unwrap(), None);
        assert!(by_names("lib/a").is_ok() && by_names("./lib/./a").is_ok());
        for path in ["missing", "", "..", "../secret", "lib/../../secret", "/etc/hostname"] {
            assert!(by_names(path).is_err() && open_beneath(&root, Path::new(path)).is_err());
        }
        for (path, why) in [
            ("link", "a link"),
            ("up/secret", "a link"),
            ("pipe", "not a regular file"),
            ("lib", "not a regular file"),
            ("large", "larger than 64 KiB"),
        ] {
            let error = read(path).unwrap_err().to_string();
            assert!(error.contains(why), "{path}: {error}");
            if path != "large" {
                let error = by_names(path).unwrap_err().to_string();
                assert!(error.contains(why), "{path}: {error}");
            }
        }
    }
}
