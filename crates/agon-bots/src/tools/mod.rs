//! Finds the programs and libraries of this machine that run and compile bots, for `agon doctor`.
//!
//! Each host knows how to find its tools; this module asks it without a bot.

mod tool;

use std::path::{Path, PathBuf};
use std::{fs, io, thread};

use rustix::fs::{Access, access, statvfs};

use crate::{HostOptions, cache, clojure, compile::Compiler, wasm};

pub use tool::{Absent, Found, Tool, examine, not_on_path};

pub(crate) use tool::{ASKING, version_in};

/// Returns all tools that the arena itself uses to run or compile bots.
///
/// They are `cc`, `c++`, `clang`, `wasm-ld`, libraries for WebAssembly, `agon-wasm-host`, `java`
/// and `clojure.jar`. A tool that is missing only because another one is missing is left out.
pub fn tools(options: &HostOptions) -> Vec<Tool> {
    let compilers =
        ["bot.c", "bot.cpp"].map(|source| Compiler::system(Path::new(source), options).tool());
    compilers.into_iter().chain(wasm::tools(options)).chain(clojure::tools(options)).collect()
}

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

/// What the machine has; `None` for what it does not tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Processor cores that the arena may use.
    pub cores: Option<usize>,
    /// Processes that were ready to run in the last minute, on average.
    pub load: Option<f64>,
    /// Memory.
    pub memory: Option<Memory>,
    /// The folder for compiled bots.
    pub cache: Cache,
}

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All of it.
    pub total: u64,
    /// What programs can still have.
    pub available: u64,
}

impl Machine {
    /// Looks at the machine.
    pub fn look(options: &HostOptions) -> Machine {
        let read = |path| fs::read_to_string(path).ok();
        let memory = read("/proc/meminfo").and_then(|text| Memory::parse(&text));
        let groups = read("/proc/self/cgroup").unwrap_or_default();
        let limits = limits_of_groups(&groups, Path::new("/sys/fs/cgroup"));
        Machine {
            cores: thread::available_parallelism().ok().map(Into::into),
            load: read("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            memory: memory.map(|memory| limits.into_iter().fold(memory, Memory::within)),
            cache: Cache::look(options),
        }
    }

    /// Returns whether more programs want to run than there are cores.
    pub fn is_busy(&self) -> bool {
        self.load.zip(self.cores).is_some_and(|(load, cores)| load > cores as f64)
    }
}

impl Memory {
    /// Reads `/proc/meminfo`.
    fn parse(text: &str) -> Option<Memory> {
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
            kilobytes.checked_mul(1024)
        };
        Some(Memory { total: field("MemTotal")?, available: field("MemAvailable")? })
    }

    /// The same where no more than `most` bytes may be used, of which `used` are.
    fn within(self, (most, used): (u64, u64)) -> Memory {
        let total = self.total.min(most);
        Memory { total, available: self.available.min(most.saturating_sub(used)) }
    }
}

/// Returns the bytes that the groups of a process may use, and those that they do: its own group
/// and all around it, since each may have a limit.
///
/// `groups` is `/proc/self/cgroup`, and `root` is where groups are mounted.
fn limits_of_groups(groups: &str, root: &Path) -> Vec<(u64, u64)> {
    let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse().ok();
    let mut limits = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (mount, most, used) = match controllers {
            "" => (root.to_owned(), "memory.max", "memory.current"),
            "memory" => (root.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"),
            _ => continue,
        };
        // A container may see a path from outside, of which nothing is mounted.
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            let group = mount.join(group);
            if let Some(most) = number(group.join(most)) {
                limits.push((most, number(group.join(used)).unwrap_or(0)));
            }
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_there() {
        let all = tools(&HostOptions::default());
        let names: Vec<_> = all.iter().map(|tool| tool.name).collect();
        for name in ["cc", "c++", "wasm-ld", "agon-wasm-host", "java", "clojure.jar"] {
            assert!(names.contains(&name), "{names:?}");
        }
        for Tool { name, found } in all {
            match found {
                Ok(found) => assert!(found.path.exists(), "{name}: {found:?}"),
                Err(Absent { why, remedy }) => {
                    assert!(!why.is_empty() && !remedy.is_empty(), "{name}")
                }
            }
        }
    }

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

    #[test]
    fn memory_is_what_may_be_used() {
        let text = "MemTotal:       1000 kB\nMemFree:          10 kB\nMemAvailable:    600 kB\n";
        let memory = Memory::parse(text).unwrap();
        assert_eq!(memory, Memory { total: 1_024_000, available: 614_400 });
        assert_eq!(memory.within((9_000_000, 7)), memory);
        assert_eq!(memory.within((1000, 400)), Memory { total: 1000, available: 600 });
        assert_eq!(Memory::parse("MemTotal: many"), None);
    }

    #[test]
    fn all_groups_around_a_process_limit_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for (group, most, used) in [("", "max", "9"), ("a", "500", "300"), ("a/b", "800", "100")] {
            fs::create_dir_all(root.join(group)).unwrap();
            fs::write(root.join(group).join("memory.max"), format!("{most}\n")).unwrap();
            fs::write(root.join(group).join("memory.current"), used).unwrap();
        }
        assert_eq!(limits_of_groups("0::/a/b\n", root), [(800, 100), (500, 300)]);
        assert_eq!(limits_of_groups("0::/\n1:cpu:/a\n", root), []);
        fs::create_dir_all(root.join("memory/c")).unwrap();
        fs::write(root.join("memory/c/memory.limit_in_bytes"), "70").unwrap();
        assert_eq!(limits_of_groups("4:memory:/c\n0::/\n", root), [(70, 0)]);
    }
}
