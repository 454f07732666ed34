//! Opens files of a bot's folder, which may change while Agon reads it.
//!
//! Somebody could replace a file by a link to a secret, or by a pipe that never ends. So this
//! module follows no link, and opens regular files only. All copies of folders use it.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2},
    io::Errno,
};

/// The most bytes of a manifest or an ignore file.
const SMALL: u64 = 64 << 10;

const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Opens a file below a folder.
///
/// # Errors
/// If there is none, it is not a regular file, or a part of its path is a link.
pub(crate) fn open_beneath(root: &Path, path: &Path) -> io::Result<File> {
    let folder =
        openat(CWD, root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let opened = match openat2(&folder, path, FLAGS, Mode::empty(), beneath) {
        // Kernels before 5.6 have no such call.
        Err(Errno::NOSYS) => openat(&folder, path, FLAGS, Mode::empty()),
        opened => opened,
    };
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
    String::from_utf8(bytes).map(Some).map_err(|_| io::Error::other("it is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

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
        let read = |path: &str| read_small(&root, Path::new(path));
        assert_eq!(read("lib/a").unwrap().as_deref(), Some("text"));
        assert_eq!(read("missing").unwrap(), None);
        for (path, why) in [
            ("link", "a link"),
            ("up/secret", "a link"),
            ("pipe", "not a regular file"),
            ("lib", "not a regular file"),
            ("large", "larger than 64 KiB"),
        ] {
            let error = read(path).unwrap_err().to_string();
            assert!(error.contains(why), "{path}: {error}");
        }
    }
}
