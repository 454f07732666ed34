//! Sets up the root folder of a program, with everything that the program needs and nothing else.

use std::io::{self, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{ffi::OsString, fs};

use rustix::mount::{MountFlags, MountPropagationFlags, UnmountFlags};
use rustix::process::{chdir, pivot_root, umask};
use rustix::{fs::Mode, thread::UnshareFlags};

use super::mounts::{self, bind, point};
use super::plan::{DEVICES, Plan, home};
use super::{ConfineError, PooledSandbox, SandboxState, failed, namespaces, sandbox_state::Fresh};
use crate::{Mechanism, Order, Sandbox};

/// The place of the machine's root while the new one is set up.
const HOST: &str = "/.agon-host";

/// The folder that a program may write to.
const SCRATCH: &str = "/tmp";

/// The folder in which programs share memory.
const SHARED_MEMORY: &str = "/dev/shm";

/// The folder of processes.
const PROCESSES: &str = "/proc";

/// Bytes of the scratch folder per file that it may hold.
const BYTES_PER_FILE: u64 = 4096;

/// Makes a new root and moves there. With `keep` it also keeps the root, if possible.
///
/// A later program can then enter a copy of it.
pub(super) fn set_up_root(
    order: &Order,
    sandbox: &Sandbox,
    plan: &Plan,
    state: &mut SandboxState,
    keep: bool,
) -> Result<Option<PooledSandbox>, ConfineError> {
    let mask = umask(Mode::from_raw_mode(0o022));
    move_in().map_err(failed("cannot make a new root folder"))?;
    for folder in [SCRATCH, PROCESSES] {
        fs::create_dir(folder).map_err(failed(format!("cannot make a folder for {folder}")))?;
    }
    devices().map_err(failed("cannot offer device files"))?;
    let mut writable = Vec::new();
    for (place, may_write) in &plan.shown {
        let name = || format!("cannot show {}", place.display());
        // A mount point must not be made in a person's folder.
        if plan.is_within(place) && !place.exists() {
            return Err(failed(name())(io::Error::from(io::ErrorKind::NotFound)));
        }
        match show(&host(plan.source(place)), place) {
            Ok(()) => {}
            // Something of the system has been removed since the survey.
            Err(error) if is_gone(&error) && Plan::of_system().shown.contains_key(place) => {
                continue;
            }
            Err(error) => return Err(failed(name())(error)),
        }
        if *may_write {
            // The kernel's name for it.
            writable.push(fs::canonicalize(place).map_err(failed(name()))?);
        }
    }
    for (link, target) in &plan.links {
        make_link(link, target)?;
    }
    settings(order, state).map_err(failed("cannot write settings"))?;
    plan.folders.iter().try_for_each(|folder| make_folder(folder))?;
    // It stays in the kept root, but covered: in a namespace of users, only a process that sees a
    // `/proc` may mount one.
    processes(state);
    let fresh = Fresh::of(plan);
    // The machine's `/proc` is still visible here. The kept root is the lower one, which this
    // process leaves.
    let proc = host(Path::new(PROCESSES));
    let pooled =
        if keep { PooledSandbox::of_own(order, state, &proc, fresh.clone()) } else { None };
    close(&writable)?;
    if pooled.is_some() {
        namespaces::unshare(UnshareFlags::NEWNS).map_err(failed("cannot copy the root folder"))?;
    }
    fresh.place(sandbox)?;
    umask(mask);
    Ok(pooled)
}

impl Fresh {
    fn of(plan: &Plan) -> Fresh {
        let is_below = |place: &&PathBuf| in_scratch(place).is_some();
        let mut shown: Vec<OsString> = Vec::new();
        for place in plan.shown.keys().filter(is_below) {
            // The contents of a folder come with it.
            if !shown.iter().any(|folder| place.starts_with(folder)) {
                shown.push(place.into());
            }
        }
        let links = plan.links.iter().filter(|(link, _)| is_below(link));
        let links = links.map(|(link, target)| (link.into(), target.into())).collect();
        let folders = plan.folders.iter().filter(is_below).map(OsString::from).collect();
        Fresh { shown, links, folders }
    }

    /// Sets up the root folder of the calling process, a copy of a kept one.
    pub(super) fn set_up(
        &self,
        sandbox: &Sandbox,
        state: &mut SandboxState,
    ) -> Result<(), ConfineError> {
        let mask = umask(Mode::from_raw_mode(0o022));
        self.place(sandbox)?;
        processes(state);
        umask(mask);
        Ok(())
    }

    /// Places an empty scratch folder, and shows the visible files in it again.
    fn place(&self, sandbox: &Sandbox) -> Result<(), ConfineError> {
        // The files that it will cover must still be visible, so it comes to its place last. Until
        // then any folder would do.
        let stage = Path::new("/dev");
        let within = |path: &OsString, folder: &Path| {
            let path = Path::new(path);
            folder.join(in_scratch(path).unwrap_or(path))
        };
        scratch(stage, sandbox).map_err(failed("cannot make the scratch folder"))?;
        for place in &self.shown {
            let shown = show(&within(place, Path::new(SCRATCH)), &within(place, stage));
            shown.map_err(failed(format!("cannot show {}", place.display())))?;
        }
        for (link, target) in &self.links {
            make_link(&within(link, stage), Path::new(target))?;
        }
        self.folders.iter().try_for_each(|folder| make_folder(&within(folder, stage)))?;
        rustix::mount::mount_move(stage, SCRATCH).map_err(failed("cannot place the scratch folder"))
    }
}

/// Returns the path below the scratch folder, which has two names.
fn in_scratch(path: &Path) -> Option<&Path> {
    [SCRATCH, SHARED_MEMORY].into_iter().find_map(|folder| path.strip_prefix(folder).ok())
}

/// Checks that a new root can be made, in a namespace of mounts that is left afterwards.
pub(super) fn attempt() -> io::Result<()> {
    move_in()?;
    bind(&host(Path::new("/usr")), Path::new(HOST))?;
    Ok(())
}

/// Moves to an empty root that has the machine's root at [`HOST`].
fn move_in() -> io::Result<()> {
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    // Any folder would do: it covers nothing once this is the root.
    let start = Path::new("/tmp");
    mounts::memory(start, "mode=755,size=16m,nr_inodes=4096", MountFlags::NOSUID)?;
    chdir(start)?;
    let host = &HOST[1..];
    fs::create_dir(host)?;
    pivot_root(".", host)?;
    Ok(chdir("/")?)
}

/// Returns the temporary path of a file of the machine.
fn host(path: &Path) -> PathBuf {
    Path::new(HOST).join(path.strip_prefix("/").unwrap_or(path))
}

/// Mounts the folder for temporary files, the only one that everybody may write to.
fn scratch(place: &Path, sandbox: &Sandbox) -> io::Result<()> {
    // To the kernel 0 means no limit.
    let size = sandbox.scratch.max(BYTES_PER_FILE);
    let files = size / BYTES_PER_FILE + 256;
    let options = format!("mode=1777,size={size},nr_inodes={files}");
    mounts::memory(place, &options, MountFlags::NOSUID | MountFlags::NODEV)
}

fn devices() -> io::Result<()> {
    fs::create_dir("/dev")?;
    for (name, source) in DEVICES {
        let device = Path::new("/dev").join(name);
        let source = host(&Path::new("/dev").join(source));
        if source.exists() {
            point(&source, &device)?;
            bind(&source, &device)?;
        }
    }
    let links =
        [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")];
    for (name, target) in links {
        symlink(target, Path::new("/dev").join(name))?;
    }
    symlink(SCRATCH, SHARED_MEMORY)
}

/// Shows a folder or file somewhere else.
fn show(source: &Path, place: &Path) -> io::Result<()> {
    point(source, place)?;
    bind(source, place)
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn make_link(link: &Path, target: &Path) -> Result<(), ConfineError> {
    if link.symlink_metadata().is_ok() {
        return Ok(());
    }
    let folder = link.parent().map_or(Ok(()), fs::create_dir_all);
    let made = folder.and_then(|()| symlink(target, link));
    made.map_err(failed(format!("cannot make the link {}", link.display())))
}

/// Makes a folder that nobody may write to, if it is missing.
fn make_folder(folder: &Path) -> Result<(), ConfineError> {
    // A read-only place may lack it. The program then starts elsewhere or fails by itself.
    if !folder.is_dir() && fs::create_dir_all(folder).is_ok() {
        let closed = fs::set_permissions(folder, fs::Permissions::from_mode(0o555));
        closed.map_err(failed(format!("cannot close {}", folder.display())))?;
    }
    Ok(())
}

/// Writes the files below `/etc` with the names of users and hosts.
fn settings(order: &Order, state: &SandboxState) -> io::Result<()> {
    fs::create_dir_all("/etc")?;
    let (uid, gid) = state.identity.ids();
    let home = home(order).unwrap_or(Path::new("/tmp")).display();
    let root = "root:x:0:0:root:/:/bin/false\n";
    let bot = format!("bot:x:{uid}:{gid}:bot:{home}:/bin/sh\n");
    let files = [
        ("passwd", format!("{root}{bot}")),
        ("group", format!("root:x:0:\nbot:x:{gid}:\n")),
        ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n".into()),
        ("hosts", "127.0.0.1 localhost agon\n::1 localhost agon\n".into()),
    ];
    for (name, text) in files {
        let path = Path::new("/etc").join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
    }
    Ok(())
}

/// Mounts the folder of processes. Some containers refuse that; programs can live without it.
fn processes(state: &mut SandboxState) {
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let options = if state.has(Mechanism::Processes) { c"" } else { c"hidepid=2" };
    if let Err(error) = rustix::mount::mount("proc", PROCESSES, "proc", flags, options) {
        for (mechanism, words) in &mut state.confinement.active {
            if *mechanism == Mechanism::Mounts {
                words.push_str(&format!(", without /proc ({error})"));
            }
        }
    }
}

/// Drops the machine's root, and makes everything read-only except the writable places.
fn close(writable: &[PathBuf]) -> Result<(), ConfineError> {
    let mut mounts = fs::File::open(host(Path::new("/proc/self/mountinfo")))
        .map_err(failed("cannot read the table of mounts"))?;
    rustix::mount::unmount(HOST, UnmountFlags::DETACH)
        .map_err(failed("cannot let go of the old root folder"))?;
    // The table is generated when it is read, so the machine's mounts, which may be many, are no
    // longer in it.
    let mut table = Vec::new();
    mounts.read_to_end(&mut table).map_err(failed("cannot read the table of mounts"))?;
    fs::remove_dir(HOST).map_err(failed("cannot remove the folder of the old root"))?;
    mounts::restrict(&table, writable, Path::new("/dev")).map_err(|(place, error)| {
        failed(format!("cannot make {} read-only", place.display()))(error)
    })
}
