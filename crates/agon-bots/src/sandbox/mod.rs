//! Decides how the programs of bots are confined; `agon-sandbox` then does it.
//!
//! `agon-sandbox` starts every program that runs for a bot: the bot itself, a host with its
//! library, a JVM, a compiler. This module decides which files it may see (`paths`), and which
//! variables of the arena's environment it gets (`options`). It also remembers how the programs
//! started so far are confined, and what is hidden from them, of which `agon` warns the person.

mod options;
mod paths;

use std::path::{Path, PathBuf, absolute};
use std::sync::{Arc, Mutex, PoisonError};
use std::{ffi::OsString, fs, io, os::unix::fs::PermissionsExt};

use agon_sandbox::{Confinement, Folder, Launcher, Limits, Missing, Order, Sandbox};
use rustix::process::geteuid;

use crate::Snapshot;
use crate::process::{Launch, Sees};

pub(crate) use options::{JVM_WORDS, Needs};
pub(crate) use paths::{
    installed, is_installed, is_others, is_system, libraries, of_arguments, own_folder,
};

pub use options::{Level, MEMORY, SandboxOptions};
pub use paths::{SeenByAll, hide, is_seen_by_all};

/// The most processes and threads of a bot.
const PROCESSES: u64 = 128;

/// The most open files of a bot's process.
const FILES: u64 = 1024;

/// The most bytes of one file, and of all files in the scratch folder.
const SCRATCH: u64 = 64 << 20;

/// The most bytes of a folder through which the arena and a program exchange files.
const FOLDER: u64 = 256 << 20;

/// The name of the program that starts programs.
const LAUNCHER: &str = "agon-sandbox";

impl SandboxOptions {
    /// Finds the program that starts programs.
    pub(crate) fn launcher(&self) -> io::Result<Launcher> {
        if let Some(launcher) = &self.launcher {
            return Ok(launcher.clone());
        }
        // Tests and benchmarks are one folder further down.
        let own = std::env::current_exe()?;
        let beside = own
            .ancestors()
            .skip(1)
            .take(2)
            .map(|folder| folder.join(LAUNCHER))
            .find(|path| path.is_file());
        let missing = || {
            let folder = own.parent().unwrap_or(Path::new("/")).display();
            io::Error::other(format!(
                "the program `{LAUNCHER}`, which starts programs, is not in {folder} (`cargo build \
                 -p {LAUNCHER}`)"
            ))
        };
        Ok(Launcher { path: beside.ok_or_else(missing)?, args: Vec::new() })
    }

    /// Makes the order for a launch.
    pub(crate) fn order(&self, launch: &Launch, cores: Vec<usize>) -> io::Result<Order> {
        let folder = absolute(launch.folder.as_deref().unwrap_or(Path::new(".")))?;
        let program = program(&launch.program)?;
        let (limits, sandbox) = match self.level {
            Level::Off => (launch.limits, None),
            _ => (self.limits(launch), Some(self.sandbox(launch, &program, &folder))),
        };
        let mut env: Vec<_> = match self.level {
            Level::Off => std::env::vars_os().collect(),
            _ => options::passed_on(std::env::vars_os(), &self.env),
        };
        if let (Some(memory), true) = (limits.memory, sandbox.is_some()) {
            let told = options::of_memory(memory).into_iter();
            let is_set = |name: &OsString| env.iter().any(|(other, _)| other == name);
            env.extend(told.filter(|(name, _)| !is_set(name)).collect::<Vec<_>>());
        }
        // Otherwise sets and dictionaries of Python have another order in each run.
        if env.iter().all(|(name, _)| name != "PYTHONHASHSEED") {
            env.push(("PYTHONHASHSEED".into(), "0".into()));
        }
        env.retain(|(name, _)| launch.env.iter().all(|(other, _)| other != name));
        env.extend(launch.env.iter().cloned());
        let args = launch.args.clone();
        let program = program.into();
        let folder = folder.into();
        let mut snapshot = Snapshot::shown(&launch.snapshots);
        let grace = launch.grace;
        self.show_needs(launch, &mut snapshot);
        Ok(Order { program, args, env, folder, cores, limits, sandbox, snapshot, grace })
    }

    /// Returns the visible parts of a program's start folder, for programs that may see it.
    ///
    /// If the folder is not the bot's own, [`hidden_folder`] reports it.
    pub(crate) fn start_folder(&self, folder: Option<&Path>, files: &[PathBuf]) -> Vec<PathBuf> {
        let seen = paths::StartFolder::of(folder.unwrap_or(Path::new(".")), files);
        let Some(seen) = seen.filter(|_| self.level != Level::Off) else { return Vec::new() };
        if seen.is_hidden {
            note_hidden(&seen.folder, &seen.shown);
        }
        seen.shown
    }

    /// Shows the arena's own files for a bot, such as compiled code, in place of copies.
    ///
    /// They lie in the bot's copied folder and are newer than the copy.
    fn show_needs(&self, launch: &Launch, snapshot: &mut agon_sandbox::Snapshot) {
        let Needs { read, write, .. } = &launch.needs;
        for path in read.iter().chain(write).chain(&self.read).chain(&self.write) {
            let Ok(place) = path.canonicalize() else { continue };
            // The disk does not matter here: an earlier start has left a placeholder there.
            if snapshot.copy_of(&place).is_some() && !Snapshot::hold(&launch.snapshots, &place) {
                snapshot.live.push(place.into());
            }
        }
    }

    /// Returns whether a place of the arena with secrets lies in a folder, under any of its names.
    fn has_secrets(&self, folder: &Path) -> bool {
        let is_above = |folder: &Path| self.hidden.iter().any(|place| place.starts_with(folder));
        is_above(folder) || folder.canonicalize().is_ok_and(|folder| is_above(&folder))
    }

    fn limits(&self, launch: &Launch) -> Limits {
        let memory = launch.needs.memory.unwrap_or(u64::from(self.memory.unwrap_or(MEMORY)) << 20);
        let own = launch.limits;
        Limits {
            cpu: own.cpu,
            memory: own.memory.or(Some(memory)),
            processes: own.processes.or(Some(PROCESSES)),
            files: Some(FILES),
            file: own.file.or(Some(SCRATCH)),
        }
    }

    fn sandbox(&self, launch: &Launch, program: &Path, folder: &Path) -> Sandbox {
        let home = Snapshot::home_of(&launch.snapshots);
        let mut read = match (launch.sees, home) {
            (Sees::Itself, _) => Vec::new(),
            (Sees::Installation, _) => paths::installed_with(program),
            (Sees::Words, Some(home)) => paths::of_foreign_program(program, home),
            (Sees::Words, None) => {
                [paths::of_program(program), of_arguments(&launch.args, folder)].concat()
            }
        };
        if self.level != Level::Strict {
            read.extend(paths::of_runtimes(&self.env));
        }
        read.retain(|path| !self.has_secrets(path));
        read.extend(Snapshot::homes(&launch.snapshots).map(Path::to_owned));
        let whole = |paths: &[PathBuf]| -> Vec<PathBuf> {
            paths.iter().map(|path| absolute(path).unwrap_or_else(|_| path.clone())).collect()
        };
        read.extend(whole(&launch.needs.read));
        read.extend(whole(&self.read));
        let texts = |paths: Vec<PathBuf>| -> Vec<OsString> {
            let mut paths: Vec<_> = paths.into_iter().filter(|path| path.exists()).collect();
            paths.sort_unstable();
            paths.dedup();
            paths.into_iter().map(OsString::from).collect()
        };
        let mut write = whole(&launch.needs.write);
        // A person answers for the folders that they allow. The arena's own must not grow forever.
        let bounded = texts(write.clone()).into_iter().map(|path| (path, FOLDER)).collect();
        write.extend(whole(&self.write));
        Sandbox {
            strict: self.level == Level::Strict,
            // Servers and workers hide secrets, and play strangers' bots.
            own_user: self.level == Level::Strict || !self.hidden.is_empty(),
            read: texts(read),
            write: texts(write),
            lasting: launch.needs.lasting,
            loopback: launch.needs.loopback,
            bounded,
            scratch: SCRATCH,
            fallback: OsString::new(),
        }
    }
}

/// Returns what belongs to the bot that is this file: the home of the bot, or the file's folder.
pub(crate) fn folder_of(file: &Path, snapshots: &[Arc<Snapshot>]) -> Vec<PathBuf> {
    match Snapshot::home_of(snapshots) {
        Some(home) => vec![home.to_owned()],
        None => own_folder(file),
    }
}

/// Returns the whole path of a program, which may be found on `PATH`.
fn program(path: &Path) -> io::Result<PathBuf> {
    if path == Path::new("/proc/self/exe") {
        return own_program();
    }
    if path.components().count() > 1 || path.is_absolute() {
        return absolute(path);
    }
    let missing = || io::Error::new(io::ErrorKind::NotFound, "it is not on PATH");
    crate::on_path(&path.to_string_lossy()).ok_or_else(missing)
}

/// Returns the path of this program, even if it has been rebuilt since its start.
fn own_program() -> io::Result<PathBuf> {
    let path = fs::read_link("/proc/self/exe")?;
    match path.to_string_lossy().strip_suffix(" (deleted)") {
        Some(path) => Ok(path.into()),
        None => Ok(path),
    }
}

/// Makes a folder for [`open_folder`], as closed as possible.
pub(crate) fn workplace(place: &Path, prefix: &str) -> io::Result<Folder> {
    Folder::create(place, prefix, mode())
}

/// Makes such a folder that is removed after any end of this process.
pub(crate) fn removed_workplace(
    place: &Path,
    prefix: &str,
    launcher: &Launcher,
) -> io::Result<Folder> {
    let announce = |path: &Path| launcher.remove_at_end(path).map_err(io::Error::other);
    Folder::create_announced(place, prefix, mode(), announce)
}

fn mode() -> u32 {
    // Root's programs may run as other users, who have to pass through.
    if geteuid().is_root() { 0o711 } else { 0o700 }
}

/// Makes a folder that every user who gets there may write to.
///
/// A confined program may run as another user than the arena. Put the folder into a
/// [`workplace`].
pub(crate) fn open_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    open_to_all(path)
}

/// Opens a folder to every user who gets there.
pub(crate) fn open_to_all(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777))
}

static MISSING: Mutex<Vec<Missing>> = Mutex::new(Vec::new());

/// Notes the confinement of a program.
pub(crate) fn see(confinement: &Confinement) {
    // The list stays valid even if a thread panicked while it held the lock.
    let mut all = MISSING.lock().unwrap_or_else(PoisonError::into_inner);
    for missing in &confinement.missing {
        if !all.iter().any(|known| known.mechanism == missing.mechanism) {
            all.push(missing.clone());
        }
    }
}

/// Returns the mechanisms that were missing so far, for a single message to the person.
pub fn missing() -> Vec<Missing> {
    MISSING.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A folder that programs start in, but do not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenFolder {
    /// The folder.
    pub folder: PathBuf,
    /// The visible parts of it.
    pub shown: Vec<PathBuf>,
}

static HIDDEN: Mutex<Option<HiddenFolder>> = Mutex::new(None);

/// Notes that programs start in a folder of which they see only the `shown` parts.
fn note_hidden(folder: &Path, shown: &[PathBuf]) {
    let mut hidden = HIDDEN.lock().unwrap_or_else(PoisonError::into_inner);
    let known =
        hidden.get_or_insert_with(|| HiddenFolder { folder: folder.to_owned(), shown: Vec::new() });
    for place in shown {
        if !known.shown.contains(place) {
            known.shown.push(place.clone());
        }
    }
}

/// Returns the hidden folder that programs start in, if there is one, for the person.
pub fn hidden_folder() -> Option<HiddenFolder> {
    HIDDEN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(options: &SandboxOptions) -> Order {
        options.order(&Launch::new("sh", &["-c".into(), "true".into()]), vec![1]).unwrap()
    }

    #[test]
    fn without_a_sandbox_everything_is_as_in_the_arena() {
        let options = SandboxOptions { level: Level::Off, ..SandboxOptions::default() };
        let order = order(&options);
        assert_eq!((order.sandbox.as_ref(), order.limits), (None, Limits::default()));
        assert!(
            order.env.iter().any(|(name, _)| name == "PATH")
                && order.program.to_string_lossy().ends_with("/sh")
        );
        assert_eq!(PathBuf::from(order.folder), std::env::current_dir().unwrap());
    }

    #[test]
    fn nothing_beside_a_program_is_shown_that_has_secrets_or_is_no_bots() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().canonicalize().unwrap();
        let program = place.join("agon");
        fs::copy("/bin/true", &program).unwrap();
        let read = |sees, hidden: &[&str]| {
            let hidden = hidden.iter().map(|name| place.join(name)).collect();
            let options =
                SandboxOptions { level: Level::Strict, hidden, ..SandboxOptions::default() };
            let mut launch = Launch::new(&program, &[]);
            launch.sees = sees;
            options.order(&launch, vec![1]).unwrap().sandbox.unwrap().read
        };
        assert_eq!(read(Sees::Installation, &[]), [place.as_os_str()]);
        assert_eq!(read(Sees::Words, &[]), [place.as_os_str()]);
        assert_eq!(read(Sees::Itself, &[]), [] as [OsString; 0]);
        assert_eq!(read(Sees::Installation, &["data"]), [] as [OsString; 0]);
    }

    #[test]
    fn limits_are_the_usual_ones_unless_told() {
        let options =
            SandboxOptions { memory: Some(64), level: Level::Strict, ..SandboxOptions::default() };
        let order = order(&options);
        assert_eq!(order.limits.memory, Some(64 << 20));
        assert!(order.sandbox.unwrap().strict);
        let mut launch = Launch::new("sh", &[]);
        launch.limits = Limits { file: Some(7), ..Limits::default() };
        launch.needs.memory = Some(5 << 30);
        let limits = SandboxOptions::default().limits(&launch);
        assert_eq!(
            (limits.file, limits.memory, limits.processes),
            (Some(7), Some(5 << 30), Some(PROCESSES))
        );
    }
}
