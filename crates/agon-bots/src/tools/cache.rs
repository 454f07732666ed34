//! Describes the folder for compiled bots to `agon doctor`: its size, free space and problems.

use std::{fs, io, path::Path, path::PathBuf};

use rustix::fs::{Access, access, statvfs};

use crate::{HostOptions, cache};

/// The folder for compiled bots, which may not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Its path.
    pub path: PathBuf,
    /// Bytes of all files in it.
    pub bytes: u64,
    /// Bytes that fit in.
    pub free: u64,
    /// The reason why nothing can be written there.
    pub problem: Option<String>,
}

impl Cache {
    /// Examines the folder and changes nothing.
    pub fn look(options: &HostOptions) -> Cache {
        let path = cache::place(options);
        // The folder and its parents are made when they are needed.
        let there = path.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
        let free = statvfs(there).map_or(0, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        let problem = match access(there, Access::WRITE_OK | Access::EXEC_OK) {
            _ if !there.is_dir() => Some(format!("{} is not a folder", there.display())),
            Err(error) => Some(format!("{}: {}", there.display(), io::Error::from(error))),
            Ok(()) => cache::problem(options).map(str::to_owned),
        };
        Cache { bytes: size(&path), free, problem, path }
    }
}

/// Returns the bytes of all visible files below a folder. Does not follow links.
fn size(folder: &Path) -> u64 {
    let mut bytes = 0;
    // A list, not recursion: a compiler may leave deep folders.
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(facts) if facts.is_dir() => folders.push(entry.path()),
                Ok(facts) => bytes += facts.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(path: PathBuf) -> Cache {
        Cache::look(&HostOptions { cache: Some(path), ..HostOptions::default() })
    }

    #[test]
    fn a_cache_has_a_size_and_need_not_be_there() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("deep")).unwrap();
        fs::write(folder.path().join("a.so"), [0; 300]).unwrap();
        fs::write(folder.path().join("deep/b.so"), [0; 40]).unwrap();
        let cache = look(folder.path().to_owned());
        assert_eq!((cache.bytes, cache.problem), (340, None));
        let cache = look(folder.path().join("new/deeper"));
        assert_eq!((cache.bytes, cache.problem), (0, None));
        assert!(!folder.path().join("new").exists());
        let problem = look(folder.path().join("a.so/cache")).problem.unwrap();
        assert!(problem.ends_with("a.so is not a folder"), "{problem}");
    }
}
