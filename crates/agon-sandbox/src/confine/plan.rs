//! Plans which files a program sees, and where. `root` then mounts them.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::{fs, io, sync::OnceLock};

use super::{ConfineError, failed};
use crate::{Order, Sandbox, Snapshot};

/// The links in a path from which it counts as circular, as in the kernel.
const LINKS: usize = 40;

/// The files that a program sees, by whole paths without links, and the links on the way there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Folders and files, and whether they may be written to; folders come before their contents.
    pub(super) shown: BTreeMap<PathBuf, bool>,
    /// Links with their targets.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
    /// Folders that must exist, even if empty.
    pub(super) folders: Vec<PathBuf>,
    /// Places with files from elsewhere, and the paths of these files.
    sources: BTreeMap<PathBuf, PathBuf>,
}

impl Plan {
    /// Plans an order.
    pub(super) fn new(order: &Order, sandbox: &Sandbox) -> Result<Plan, ConfineError> {
        let mut plan = Plan::of_system().clone();
        plan.take(&order.snapshot);
        for path in sandbox.read.iter().chain([&order.program]) {
            let path = plan.named(path)?;
            plan.shown.entry(path).or_insert(false);
        }
        for path in &sandbox.write {
            let path = plan.named(path)?;
            plan.shown.insert(path, true);
        }
        let folder = Path::new(&order.folder);
        let resolved = plan.resolve(folder).map_err(failed(folder.display().to_string()))?;
        plan.folders.push(resolved);
        if let Some(home) = home(order) {
            let resolved = plan.resolve(home).unwrap_or_else(|_| home.into());
            plan.folders.push(resolved);
        }
        plan.drop_needless();
        Ok(plan)
    }

    /// Shows copies in the places of their originals.
    fn take(&mut self, snapshot: &Snapshot) {
        let copies = snapshot.copies.iter().map(|(place, copy)| (place.into(), copy.into()));
        let live = snapshot.live.iter().map(|place| (place.into(), place.into()));
        self.sources = copies.chain(live).collect();
        self.shown.extend(self.sources.keys().map(|place| (place.clone(), false)));
        self.links.extend(snapshot.links.iter().map(|(link, target)| (link.into(), target.into())));
    }

    /// Returns the path on the machine of the file that is shown in a place.
    pub(super) fn source<'a>(&'a self, place: &'a Path) -> &'a Path {
        self.sources.get(place).map_or(place, PathBuf::as_path)
    }

    /// Returns whether a place is within a folder of the machine, so that it must exist already.
    ///
    /// In a copy it can be made.
    pub(super) fn is_within(&self, place: &Path) -> bool {
        let around = place.ancestors().skip(1).find(|folder| self.shown.contains_key(*folder));
        around.is_some_and(|folder| self.source(folder) == folder)
    }

    /// Returns whether a place is a copy, or an original within a copy.
    fn is_own(&self, place: &Path) -> bool {
        self.sources.contains_key(place)
    }

    /// Returns a link's target as the program will see it; `None` if the place has no link.
    fn target(&self, place: &Path) -> io::Result<Option<PathBuf>> {
        if let Some(target) = self.links.get(place) {
            return Ok(Some(target.clone()));
        }
        let copied = place.ancestors().find_map(|folder| Some((folder, self.sources.get(folder)?)));
        let there = match copied {
            Some((folder, copy)) => copy.join(place.strip_prefix(folder).unwrap_or(Path::new(""))),
            None => place.to_owned(),
        };
        match fs::symlink_metadata(&there) {
            Ok(facts) if facts.is_symlink() => fs::read_link(&there).map(Some),
            Ok(_) => Ok(None),
            // The copy exists, whatever has become of its original.
            Err(_) if self.sources.keys().any(|copy| copy.starts_with(place)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the part of the system that every program sees.
    ///
    /// The search takes hundreds of system calls. So it runs once, and forked processes inherit
    /// the result.
    pub(super) fn of_system() -> &'static Plan {
        static SYSTEM: OnceLock<Plan> = OnceLock::new();
        SYSTEM.get_or_init(|| {
            let mut plan = Plan::default();
            for path in system_paths() {
                // Broken or unreadable settings of the system do not concern the program.
                if let Ok(path) = plan.resolve(&path) {
                    plan.shown.insert(path, false);
                }
            }
            plan
        })
    }

    /// Returns the place of a path in the order, if a program may see it.
    fn named(&mut self, path: &OsStr) -> Result<PathBuf, ConfineError> {
        let name = Path::new(path).display().to_string();
        let place = self.resolve(Path::new(path)).map_err(failed(name.as_str()))?;
        let own = ["/", "/tmp", "/dev", "/dev/shm"].iter().any(|own| place == Path::new(own));
        if own || place.starts_with("/proc") {
            let why = "a sandboxed program has its own; put what it needs into a folder below, or \
                elsewhere";
            return Err(failed(name)(io::Error::new(io::ErrorKind::InvalidInput, why)));
        }
        Ok(place)
    }

    /// Follows a whole path, and notes the links on the way.
    fn resolve(&mut self, path: &Path) -> io::Result<PathBuf> {
        let mut place = PathBuf::from("/");
        let mut rest: VecDeque<OsString> =
            path.components().map(|part| part.as_os_str().into()).collect();
        let mut links = 0;
        while let Some(part) = rest.pop_front() {
            match Path::new(&part).components().next() {
                Some(Component::Normal(name)) => {
                    let next = place.join(name);
                    let Some(target) = self.target(&next)? else {
                        place = next;
                        continue;
                    };
                    links += 1;
                    if links > LINKS {
                        return Err(rustix::io::Errno::LOOP.into());
                    }
                    for part in target.components().rev() {
                        rest.push_front(part.as_os_str().into());
                    }
                    self.links.insert(next, target);
                }
                Some(Component::RootDir) => place = PathBuf::from("/"),
                Some(Component::ParentDir) => {
                    // The kernel enters a folder before it leaves it again.
                    self.folders.push(place.clone());
                    place.pop();
                }
                Some(Component::CurDir | Component::Prefix(_)) | None => {}
            }
        }
        Ok(place)
    }

    /// Returns whether a place is writable by the shown files; `None` if it is invisible.
    fn writable(&self, place: &Path) -> Option<bool> {
        place.ancestors().find_map(|folder| self.shown.get(folder)).copied()
    }

    /// Removes files that are visible anyway.
    fn drop_needless(&mut self) {
        for (place, writable) in std::mem::take(&mut self.shown) {
            if self.is_own(&place) || self.writable(&place) != Some(writable) {
                self.shown.insert(place, writable);
            }
        }
        let links = std::mem::take(&mut self.links);
        self.links = links.into_iter().filter(|(link, _)| self.writable(link).is_none()).collect();
    }
}

/// Returns the home folder in the program's environment.
pub(super) fn home(order: &Order) -> Option<&Path> {
    let (_, home) = order.env.iter().find(|(name, _)| name == "HOME")?;
    let home = Path::new(home);
    let plain =
        home.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    (home.is_absolute() && plain && home != Path::new("/")).then_some(home)
}

/// Folders of the system, with installed files and no user's data.
const FOLDERS: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Files below `/etc` that runtimes read: for the loader, the time zone, languages.
///
/// A star stands for any text.
const SETTINGS: [&str; 27] = [
    "alternatives",
    "crypto-policies",
    "dotnet",
    "erlang",
    "gemrc",
    "guile*",
    "java*",
    "julia",
    "ld-musl*",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "localtime",
    "lua",
    "mono",
    "os-release",
    "perl",
    "php*",
    "pki/tls/openssl.cnf",
    "python*",
    "R",
    "racket",
    "ruby*",
    "sbclrc",
    "ssl/openssl.cnf",
    "timezone",
];

/// Harmless device files, each with the machine's own that is shown.
///
/// Memory that processes share through `zero` counts for nobody. `full` gives zeros as well, and
/// no memory.
pub(super) const DEVICES: [(&str, &str); 5] = [
    ("null", "null"),
    ("zero", "full"),
    ("full", "full"),
    ("random", "random"),
    ("urandom", "urandom"),
];

/// Returns the existing folders and files of the system, by their common names.
pub(super) fn system_paths() -> Vec<PathBuf> {
    let folders = FOLDERS.iter().map(PathBuf::from).filter(|path| path.exists());
    folders.chain(settings()).collect()
}

fn settings() -> Vec<PathBuf> {
    let etc = Path::new("/etc");
    let names: Vec<_> =
        fs::read_dir(etc).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    let mut found = Vec::new();
    for setting in SETTINGS {
        match setting.strip_suffix('*') {
            Some(start) => found.extend(
                names
                    .iter()
                    .filter(|name| name.as_encoded_bytes().starts_with(start.as_bytes()))
                    .map(|name| etc.join(name)),
            ),
            None => found.push(etc.join(setting)),
        }
    }
    found.retain(|path| path.exists());
    found
}
