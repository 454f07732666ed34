//! An order to start a program, with its limits and its confinement. The arena sends it to the
//! zygote.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Snapshot;

/// A program to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The whole path of the program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// The whole path of the folder it starts in.
    pub folder: OsString,
    /// The processor cores that it may use; empty for the cores of the calling process.
    pub cores: Vec<usize>,
    /// The resources that it may use.
    pub limits: Limits,
    /// Its confinement; `None` for none.
    pub sandbox: Option<Sandbox>,
    /// Copies of files that it sees instead of their current versions.
    pub snapshot: Snapshot,
    /// Time for its children to end after it. If none is left, the end is reported at once.
    pub grace: Duration,
}

/// The resources of a program with all its processes.
///
/// `None` is no limit beyond those of the calling process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of CPU time of one process.
    pub cpu: Option<u64>,
    /// Bytes of memory that all its processes together use. It is measured every 20 ms.
    pub memory: Option<u64>,
    /// Processes and threads.
    pub processes: Option<u64>,
    /// Open files of one process.
    pub files: Option<u64>,
    /// Bytes of each file that it writes.
    pub file: Option<u64>,
}

/// The confinement of a program. It sees only the files and folders named here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// Whether a missing mechanism is an error.
    ///
    /// Otherwise the program is confined as well as possible.
    pub strict: bool,
    /// Whether it runs as a user of its own where the arena's user has others, although files of
    /// the arena's user may be closed to that one. Under root all programs do.
    pub own_user: bool,
    /// Whole paths of folders and files that it may read and execute, beside those of the system.
    pub read: Vec<OsString>,
    /// Whole paths of folders that it may write to, beside its scratch folder.
    pub write: Vec<OsString>,
    /// Whether later programs get the same writable folders, and so can use its sandbox again.
    ///
    /// What is in the folders is then the arena's matter.
    pub lasting: bool,
    /// Whether it has a network of its own with nothing but a loopback address, on which it may
    /// serve. The arena gets a [socket](crate::Child::socket) there.
    pub loopback: bool,
    /// Writable folders with a size limit in bytes. Open files without a name do not count.
    pub bounded: Vec<(OsString, u64)>,
    /// The most bytes in its scratch folder, `/tmp`.
    pub scratch: u64,
    /// An empty folder, used as the scratch folder where `/tmp` cannot be replaced.
    ///
    /// That is the case without a mount namespace.
    pub fallback: OsString,
}

/// Characters that end a path in a command line, as in `cd bots; python3 'fox.py' --data=x:y`.
const SEPARATORS: &[u8] = b" \t\n;&|<>()'\"`=:,";

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

/// Replaces the paths of originals in an argument by the paths of their copies.
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
    use crate::Snapshot;

    #[test]
    fn paths_within_arguments_are_replaced() {
        let all = ["/c/0", "/c/0/b.py", "/c/0/data"];
        let snapshot =
            Snapshot { copies: vec![("/bots/fox".into(), "/c/0".into())], ..Snapshot::default() };
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
