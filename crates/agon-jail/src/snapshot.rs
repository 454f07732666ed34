//! Copies of files that a program sees in place of the originals.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::symlink,
    },
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::Order;

/// The links that lead to links from which they count as circular, as in the kernel.
const LINKS: usize = 40;

/// Characters that end a path in a command line, as in `cd bots; python3 'fox.py' --data=x:y`.
const SEPARATORS: &[u8] = b" \t\n;&|<>()'\"`=:,";

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
    fn link_live(&self) {
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

impl Order {
    /// Replaces originals by copies: the program, and paths in its arguments.
    ///
    /// A confined program also starts in the copy of its folder. An unconfined one may write to
    /// the original.
    pub(crate) fn start_copies(&mut self) {
        if self.snapshot.copies.is_empty() {
            return;
        }
        self.snapshot.link_live();
        let folder = PathBuf::from(&self.folder);
        let copied = |path: &Path| self.snapshot.copy_of(path).filter(|copy| copy.exists());
        // It may also write to folders that its arguments name.
        let told = |arg: &OsString| self.sandbox.is_none() && folder.join(arg).is_dir();
        let arg = |arg: &OsString| {
            if told(arg) { arg.clone() } else { with_copies(arg, &folder, &copied) }
        };
        let args = self.args.iter().map(arg).collect();
        let program = copied(Path::new(&self.program));
        let inside = if self.sandbox.is_some() { copied(&folder) } else { None };
        self.args = args;
        self.program = program.map_or_else(|| std::mem::take(&mut self.program), OsString::from);
        self.folder = inside.map_or_else(|| std::mem::take(&mut self.folder), OsString::from);
    }
}

/// Replaces paths of originals in an argument by those of their copies.
fn with_copies(arg: &OsStr, folder: &Path, copied: &impl Fn(&Path) -> Option<PathBuf>) -> OsString {
    if let Some(copy) = copied(&folder.join(arg)).filter(|_| !arg.is_empty()) {
        return copy.into();
    }
    let mut bytes = Vec::new();
    for part in arg.as_bytes().split_inclusive(|byte| SEPARATORS.contains(byte)) {
        let end =
            part.len() - usize::from(part.last().is_some_and(|byte| SEPARATORS.contains(byte)));
        let word = OsStr::from_bytes(&part[..end]);
        let copy = if word.is_empty() { None } else { copied(&folder.join(word)) };
        bytes.extend_from_slice(copy.as_deref().map_or(word, Path::as_os_str).as_bytes());
        bytes.extend_from_slice(&part[end..]);
    }
    OsString::from_vec(bytes)
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

    #[test]
    fn paths_within_arguments_are_replaced() {
        let all = ["/c/0", "/c/0/b.py", "/c/0/data"];
        let snapshot = snapshot();
        let copied = |path: &Path| {
            snapshot.copy_of(path).filter(|copy| all.contains(&copy.to_str().unwrap()))
        };
        let arg = |text: &str| {
            with_copies(text.as_ref(), Path::new("/bots/fox"), &copied).into_string().unwrap()
        };
        assert_eq!(arg("b.py"), "/c/0/b.py");
        assert_eq!(arg("--from=data:/bots/fox/b.py"), "--from=/c/0/data:/c/0/b.py");
        assert_eq!(arg("cd /bots/fox; python3 'b.py' -x"), "cd /c/0; python3 '/c/0/b.py' -x");
        for same in ["", "-x", "c.py", "data2", "="] {
            assert_eq!(arg(same), same);
        }
    }
}
