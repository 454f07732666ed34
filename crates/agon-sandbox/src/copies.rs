//! Makes an order start a program from copies of its files, where the copies cannot be mounted in
//! the places of the originals.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::{Path, PathBuf},
};

use crate::Order;

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
