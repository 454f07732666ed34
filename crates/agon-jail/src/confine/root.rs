//! The folders that a program sees: a root of its own, with what it needs.

use std::{
    fs,
    io::{self, Read},
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use rustix::{
    fs::Mode,
    mount::{MountFlags, MountPropagationFlags, UnmountFlags},
    process::{chdir, pivot_root, umask},
};

use super::{
    ConfineError, Room, failed,
    mounts::{self, bind, point},
    plan::{Plan, home},
    system,
};
use crate::{Mechanism, Order, Sandbox};

/// Where the root of the machine is while the new one is furnished.
const HOST: &str = "/.agon-host";

/// Bytes of scratch folder for each file that it may hold.
const BYTES_PER_FILE: u64 = 4096;

/// Makes a new root, and moves there.
pub(super) fn furnish(
    order: &Order,
    sandbox: &Sandbox,
    plan: &Plan,
    room: &mut Room,
) -> Result<(), ConfineError> {
    let mask = umask(Mode::from_raw_mode(0o022));
    move_in().map_err(failed("cannot make a new root folder"))?;
    scratch(sandbox).map_err(failed("cannot make the scratch folder"))?;
    devices().map_err(failed("cannot offer device files"))?;
    let mut writable = vec![PathBuf::from("/tmp")];
    for (place, may_write) in &plan.shown {
        let name = || format!("cannot show {}", place.display());
        match show(place) {
            Ok(()) => {}
            // Something of the system has been taken away since the survey.
            Err(error) if is_gone(&error) && Plan::of_system().shown.contains_key(place) => continue,
            Err(error) => return Err(failed(name())(error)),
        }
        if *may_write {
            // As the kernel calls it.
            writable.push(fs::canonicalize(place).map_err(failed(name()))?);
        }
    }
    for (link, target) in &plan.links {
        make_link(link, target).map_err(failed(format!("cannot make the link {}", link.display())))?;
    }
    settings(order, room).map_err(failed("cannot write settings"))?;
    for folder in &plan.folders {
        // What is shown, read-only, may lack it; the program starts elsewhere then or fails by itself.
        if !folder.is_dir() && fs::create_dir_all(folder).is_ok() {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o555))
                .map_err(failed(format!("cannot close {}", folder.display())))?;
        }
    }
    processes(room).map_err(failed("cannot make a folder for /proc"))?;
    close(&writable)?;
    umask(mask);
    Ok(())
}

/// Whether a new root can be had, tried in a namespace of mounts that is left afterwards.
pub(super) fn attempt() -> io::Result<()> {
    move_in()?;
    bind(&host(Path::new("/usr")), Path::new(HOST))?;
    Ok(())
}

/// Moves to an empty root, in which the one of the machine is at [`HOST`].
fn move_in() -> io::Result<()> {
    rustix::mount::mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    // Any folder would do: nothing is covered any more once this is the root.
    let start = Path::new("/tmp");
    mounts::memory(start, "mode=755,size=16m,nr_inodes=4096", MountFlags::NOSUID)?;
    chdir(start)?;
    let host = &HOST[1..];
    fs::create_dir(host)?;
    pivot_root(".", host)?;
    Ok(chdir("/")?)
}

/// Where a path of the machine is for now.
fn host(path: &Path) -> PathBuf {
    Path::new(HOST).join(path.strip_prefix("/").unwrap_or(path))
}

/// The folder for temporary files, the only one that everybody may write to.
fn scratch(sandbox: &Sandbox) -> io::Result<()> {
    fs::create_dir("/tmp")?;
    // The kernel takes 0 for no limit.
    let size = sandbox.scratch.max(BYTES_PER_FILE);
    let files = size / BYTES_PER_FILE + 256;
    let options = format!("mode=1777,size={size},nr_inodes={files}");
    mounts::memory(Path::new("/tmp"), &options, MountFlags::NOSUID | MountFlags::NODEV)
}

fn devices() -> io::Result<()> {
    fs::create_dir("/dev")?;
    for name in system::DEVICES {
        let device = Path::new("/dev").join(name);
        let source = host(&device);
        if source.exists() {
            point(&source, &device)?;
            bind(&source, &device)?;
        }
    }
    let links =
        [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2"), ("shm", "/tmp")];
    for (name, target) in links {
        symlink(target, Path::new("/dev").join(name))?;
    }
    Ok(())
}

/// Shows a folder or file of the machine in its place.
fn show(place: &Path) -> io::Result<()> {
    let source = host(place);
    point(&source, place)?;
    bind(&source, place)
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn make_link(link: &Path, target: &Path) -> io::Result<()> {
    if link.symlink_metadata().is_ok() {
        return Ok(());
    }
    if let Some(folder) = link.parent() {
        fs::create_dir_all(folder)?;
    }
    symlink(target, link)
}

/// Files below `/etc` that say who and where the program is.
fn settings(order: &Order, room: &Room) -> io::Result<()> {
    fs::create_dir_all("/etc")?;
    let (uid, gid) = room.identity.ids();
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

/// The folder of processes. Some containers refuse it; programs can do without.
fn processes(room: &mut Room) -> io::Result<()> {
    fs::create_dir_all("/proc")?;
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    let options = if room.has(Mechanism::Processes) { c"" } else { c"hidepid=2" };
    if let Err(error) = rustix::mount::mount("proc", "/proc", "proc", flags, options) {
        for (mechanism, words) in &mut room.confinement.active {
            if *mechanism == Mechanism::Mounts {
                words.push_str(&format!(", without /proc ({error})"));
            }
        }
    }
    Ok(())
}

/// Lets go of the root of the machine, and makes everything read-only that is not to be written to.
fn close(writable: &[PathBuf]) -> Result<(), ConfineError> {
    let mut mounts = fs::File::open(host(Path::new("/proc/self/mountinfo")))
        .map_err(failed("cannot read the table of mounts"))?;
    rustix::mount::unmount(HOST, UnmountFlags::DETACH)
        .map_err(failed("cannot let go of the old root folder"))?;
    // The table is written when it is read: those of the machine, which may be many, are not in it any more.
    let mut table = Vec::new();
    mounts.read_to_end(&mut table).map_err(failed("cannot read the table of mounts"))?;
    fs::remove_dir(HOST).map_err(failed("cannot remove the folder of the old root"))?;
    mounts::restrict(&table, writable, Path::new("/dev"))
        .map_err(|(place, error)| failed(format!("cannot make {} read-only", place.display()))(error))
}
