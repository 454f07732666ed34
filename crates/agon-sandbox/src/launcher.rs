//! The arena's side: starts the zygote, and sends it orders to start programs.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, ffi::OsString, os::unix::ffi::OsStrExt, os::unix::process::CommandExt};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::sockopt::set_socket_passcred;
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities,
};

use crate::message::{DIALOGUE, send_descriptors, seqpacket_pair};
use crate::{Child, Order, StartError};

/// A program of Agon's own, such as the one that starts programs and calls
/// [`zygote_main`](crate::zygote_main).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// The standard streams of a program.
#[derive(Debug)]
pub struct Stdio {
    /// Its standard input.
    pub stdin: OwnedFd,
    /// Its standard output.
    pub stdout: OwnedFd,
    /// Its standard error output.
    pub stderr: OwnedFd,
}

/// A running zygote.
#[derive(Debug)]
struct Zygote {
    launcher: Launcher,
    /// Kept, so that no other process gets its number.
    process: process::Child,
    requests: OwnedFd,
}

/// The variables that the zygote itself uses.
const KEPT: [&str; 1] = ["TMPDIR"];

/// Whether a zygote has privileges that no later one could have.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// One zygote for each [`Launcher`]; usually there is one.
static ZYGOTES: Mutex<Vec<Zygote>> = Mutex::new(Vec::new());

impl Launcher {
    /// Starts the zygote, and gives up this process's privileges for good; the zygote keeps them.
    ///
    /// A service has them for the users of bots alone. The process must have one thread, because
    /// each thread has privileges of its own.
    pub fn start_with_privileges(&self) -> io::Result<()> {
        let zygote = self.zygote()?;
        zygotes().push(zygote);
        clear_ambient_capability_set()?;
        let none = CapabilitySet::empty();
        set_capabilities(
            None,
            CapabilitySets { effective: none, permitted: none, inheritable: none },
        )?;
        GIVEN_UP.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Starts a program, and returns when it runs.
    ///
    /// The program also gets `inherits` as the descriptors from [`INHERITED`](crate::INHERITED) on,
    /// at most [`MAX_INHERITED`](crate::MAX_INHERITED).
    pub fn start(
        &self,
        order: &Order,
        stdio: &Stdio,
        inherits: &[BorrowedFd<'_>],
    ) -> Result<Child, StartError> {
        let failed =
            |source: io::Error| StartError::new("what to start cannot be passed on", source);
        let order = postcard::to_stdvec(order).map_err(io::Error::other);
        let order = order.and_then(|bytes| written(&bytes)).map_err(failed)?;
        let (own, theirs) = seqpacket_pair().map_err(failed)?;
        set_socket_passcred(&own, true).map_err(|error| failed(error.into()))?;
        let mut descriptors = vec![
            order.as_fd(),
            theirs.as_fd(),
            stdio.stdin.as_fd(),
            stdio.stdout.as_fd(),
            stdio.stderr.as_fd(),
        ];
        if inherits.len() > crate::MAX_INHERITED {
            return Err(failed(io::Error::other("it inherits too many descriptors")));
        }
        descriptors.extend(inherits);
        self.request(&descriptors)?;
        // Otherwise its end would never be noticed.
        drop(theirs);
        Child::await_start(own)
    }

    /// Has the zygote remove a folder after any end of this process. It need not exist yet.
    ///
    /// No other process may change the folder's contents.
    pub fn remove_at_end(&self, folder: &Path) -> Result<(), StartError> {
        let failed = |source| StartError::new("a folder cannot be passed on", source);
        let path = written(folder.as_os_str().as_bytes()).map_err(failed)?;
        self.request(&[path.as_fd()])
    }

    /// Sends a request to the zygote; starts a zygote if there is none.
    fn request(&self, descriptors: &[BorrowedFd<'_>]) -> Result<(), StartError> {
        let mut zygotes = zygotes();
        if let Some(at) = zygotes.iter().position(|zygote| zygote.launcher == *self) {
            if send_descriptors(&zygotes[at].requests, &DIALOGUE, descriptors).is_ok() {
                return Ok(());
            }
            let mut dead = zygotes.swap_remove(at);
            let _ = dead.process.kill();
            let _ = dead.process.wait();
        }
        let failed = |source| StartError::Launcher { path: self.path.clone(), source };
        if GIVEN_UP.load(Ordering::Relaxed) {
            let why = "it has ended, and had privileges that this process has given up; start this \
                program again";
            return Err(failed(io::Error::other(why)));
        }
        let zygote = self.zygote().map_err(failed)?;
        let sent = send_descriptors(&zygote.requests, &DIALOGUE, descriptors);
        zygotes.push(zygote);
        sent.map_err(failed)
    }

    fn zygote(&self) -> io::Result<Zygote> {
        let (requests, theirs) = seqpacket_pair()?;
        let mut command = Command::new(&self.path);
        // A group of its own, so that Ctrl-C reaches only the arena. The arena knows in which order
        // to end things.
        command.args(&self.args).stdin(theirs).stdout(process::Stdio::null()).process_group(0);
        // An order has the whole environment of its program. What is not here, nothing can show.
        command.env_clear().envs(KEPT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        Ok(Zygote { launcher: self.clone(), process: command.spawn()?, requests })
    }
}

fn zygotes() -> MutexGuard<'static, Vec<Zygote>> {
    // The list stays valid even if a thread panicked while it held the lock.
    ZYGOTES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes bytes to a memory file, because they may be longer than a message.
fn written(bytes: &[u8]) -> io::Result<OwnedFd> {
    let memory = memfd_create("agon-order", MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(memory);
    file.write_all(bytes)?;
    Ok(file.into())
}
