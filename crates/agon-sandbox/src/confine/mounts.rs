//! Mounts files and folders for a program's root, and sets the rights in them.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, ffi::OsString, fs, io, os::unix::ffi::OsStringExt};

use rustix::mount::{MountFlags, mount_remount};

/// Binds a file, or a folder with everything that is mounted in it.
pub(super) fn bind(source: &Path, target: &Path) -> io::Result<()> {
    Ok(rustix::mount::mount_bind_recursive(source, target)?)
}

/// Mounts a file system in memory.
pub(super) fn memory(target: &Path, options: &str, flags: MountFlags) -> io::Result<()> {
    let options = std::ffi::CString::new(options)?;
    Ok(rustix::mount::mount("agon", target, "tmpfs", flags, options.as_c_str())?)
}

/// Makes all mounts read-only, unless they are `writable`.
///
/// Also takes devices and changes of user from them, unless they are `devices`.
pub(super) fn restrict(
    table: &[u8],
    writable: &[PathBuf],
    devices: &Path,
) -> Result<(), (PathBuf, io::Error)> {
    for (place, mut flags) in mounts(table) {
        flags |= MountFlags::NOSUID;
        if !place.starts_with(devices) {
            flags |= MountFlags::NODEV;
        }
        if !writable.contains(&place) {
            flags |= MountFlags::RDONLY;
        }
        match mount_remount(&place, flags | MountFlags::BIND, "") {
            // Another mount covers it, so no program reaches it.
            Ok(())
            | Err(
                rustix::io::Errno::INVAL | rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR,
            ) => {}
            Err(error) => return Err((place, error.into())),
        }
    }
    Ok(())
}

/// Reads the mounts of a table like `/proc/self/mountinfo`, by place.
///
/// They come with the flags that a remount must repeat. Of several mounts at one place the last one
/// is on top.
fn mounts(table: &[u8]) -> BTreeMap<PathBuf, MountFlags> {
    let mut mounts = BTreeMap::new();
    for line in table.split(|byte| *byte == b'\n') {
        let mut fields = line.split(|byte| *byte == b' ').skip(4);
        let (Some(place), Some(options)) = (fields.next(), fields.next()) else { continue };
        let mut flags = MountFlags::empty();
        for option in options.split(|byte| *byte == b',') {
            flags |= match option {
                b"ro" => MountFlags::RDONLY,
                b"nosuid" => MountFlags::NOSUID,
                b"nodev" => MountFlags::NODEV,
                b"noexec" => MountFlags::NOEXEC,
                b"nosymfollow" => MountFlags::NOSYMFOLLOW,
                // By default the kernel keeps the way access times are recorded.
                _ => MountFlags::empty(),
            };
        }
        mounts.insert(PathBuf::from(OsString::from_vec(unescape(place))), flags);
    }
    mounts
}

/// Decodes the kernel's form of blanks and the like: a backslash and three octal digits.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, after)) = rest.split_first() {
        let digits = after
            .get(..3)
            .filter(|digits| *first == b'\\' && digits.iter().all(|d| (b'0'..=b'7').contains(d)));
        match digits {
            Some(digits) => {
                plain.push(
                    digits.iter().fold(0_u8, |value, digit| {
                        value.wrapping_mul(8).wrapping_add(digit - b'0')
                    }),
                );
                rest = &after[3..];
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

/// Makes a mount point: a folder or an empty file, like the given one.
pub(super) fn point(like: &Path, target: &Path) -> io::Result<()> {
    if target.symlink_metadata().is_ok() {
        return Ok(());
    }
    if fs::metadata(like)?.is_dir() {
        return fs::create_dir_all(target);
    }
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::File::create(target).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let table = b"22 27 0:21 / /proc rw,nosuid,relatime shared:1 - proc proc rw\n\
            23 27 0:22 /a\\040b /mnt/a\\040b\\134c ro,nodev,noexec,noatime - ext4 /dev/vda rw\n\
            24 27 0:23 / /proc ro - proc proc rw\n";
        let mounts = mounts(table);
        assert_eq!(mounts.len(), 2);
        assert_eq!(mounts[Path::new("/proc")], MountFlags::RDONLY);
        let flags = MountFlags::RDONLY | MountFlags::NODEV | MountFlags::NOEXEC;
        assert_eq!(mounts[Path::new("/mnt/a b\\c")], flags);
    }
}
