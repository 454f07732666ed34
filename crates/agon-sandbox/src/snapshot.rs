//! Describes which copies of files a program sees in place of the originals.
//!
//! `agon-bots` copies a bot's files before a match, so that later edits do not change what plays.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::{fs, os::unix::fs::symlink};

use serde::{Deserialize, Serialize};

/// The links that lead to links from which they count as circular, as in the kernel.
const LINKS: usize = 40;

/// Copies of folders and files that a program sees in place of the originals.
///
/// Without mounts or confinement that is impossible. Then the program starts in the folder of
/// the copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Whole paths without links: the place and its copy.
    pub copies: Vec<(OsString, OsString)>,
    /// Places of folders and files that are shown as originals.
    ///
    /// Copies have an empty folder or file there.
    pub live: Vec<OsString>,
    /// Links on the way to copies, with their targets.
    pub links: Vec<(OsString, OsString)>,
}

impl Snapshot {
    /// Returns the path of a file's copy in a copied folder, even if the file does not exist.
    pub fn copy_of(&self, path: &Path) -> Option<PathBuf> {
        let place = self.place(path)?;
        let depth = |folder: &OsStr| {
            if place.starts_with(folder) { Path::new(folder).components().count() } else { 0 }
        };
        let (folder, copy) = self.copies.iter().max_by_key(|(folder, _)| depth(folder))?;
        let live = self.live.iter().map(|folder| depth(folder)).max().unwrap_or(0);
        if depth(folder) <= live {
            return None;
        }
        let rest = place.strip_prefix(folder).ok()?;
        Some(if rest.as_os_str().is_empty() { copy.into() } else { Path::new(copy).join(rest) })
    }

    /// Returns a whole path without known links and without `..`.
    fn place(&self, path: &Path) -> Option<PathBuf> {
        let mut place = plain(path);
        for _ in 0..LINKS {
            let Some((link, target)) = self.links.iter().find(|(link, _)| place.starts_with(link))
            else {
                return Some(place);
            };
            let rest = place.strip_prefix(link).ok()?.to_owned();
            let folder = Path::new(link).parent()?;
            place = plain(&folder.join(target).join(rest));
        }
        None
    }

    /// Makes the links out of the copies to files that are shown as originals.
    pub(crate) fn link_live(&self) {
        for place in &self.live {
            let copied = Path::new(place).parent().and_then(|folder| self.copy_of(folder));
            let name = Path::new(place).file_name();
            if let (Some(folder), Some(name)) = (copied, name) {
                let copy = folder.join(name);
                // Another start may do the same. In the end there is a link or an empty folder.
                if fs::remove_dir(&copy).or_else(|_| fs::remove_file(&copy)).is_ok() {
                    let _ = symlink(place, &copy);
                }
            }
        }
    }
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot() -> Snapshot {
        let pair = |from: &str, to: &str| (from.into(), to.into());
        Snapshot {
            copies: vec![pair("/bots/fox", "/c/0"), pair("/bots/fox/target/bot", "/c/1")],
            live: vec!["/bots/fox/target".into()],
            links: vec![pair("/bots/now", "fox"), pair("/now", "/bots/now")],
        }
    }

    #[test]
    fn the_deepest_copy_counts() {
        let copy = |path: &str| snapshot().copy_of(Path::new(path));
        assert_eq!(copy("/bots/fox"), Some("/c/0".into()));
        assert_eq!(copy("/bots/fox/./a/../b.py"), Some("/c/0/b.py".into()));
        assert_eq!(copy("/bots/fox/target/bot"), Some("/c/1".into()));
        assert_eq!(copy("/now/b.py"), Some("/c/0/b.py".into()));
        for other in ["/bots/fox/target", "/bots/fox/target/deps", "/bots", "/bots/foxes", "/"] {
            assert_eq!(copy(other), None, "{other}");
        }
    }

    #[test]
    fn links_in_circles_lead_nowhere() {
        let snapshot = Snapshot { links: vec![("/a".into(), "/a".into())], ..snapshot() };
        assert_eq!(snapshot.copy_of(Path::new("/a/b")), None);
    }
}
