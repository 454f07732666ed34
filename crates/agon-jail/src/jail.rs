//! The arena's side of starting programs.

use std::{
    ffi::OsString,
    io::{self, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::{ffi::OsStrExt, process::CommandExt},
    },
    path::{Path, PathBuf},
    process::{self, Command},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::{
    fs::{MemfdFlags, memfd_create},
    net::{AddressFamily, SocketFlags, SocketType, socketpair, sockopt::set_socket_passcred},
};
use thiserror::Error;

use crate::{Child, Order, dialogue::DIALOGUE, message::send_descriptors};

/// The program that starts programs: one that calls [`zygote_main`](crate::zygote_main).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jail {
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

/// Why a program does not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The program that starts programs cannot be started itself.
    #[error("`{}`, which starts programs, cannot be started: {source}", path.display())]
    Jail {
        /// The executable.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The supervisor has ended without a report: something else has ended it.
    #[error("it cannot be started: its supervisor ended without a report")]
    Lost,
    /// Something went wrong on the way.
    #[error("{what}: {source}")]
    Failed {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

impl StartError {
    pub(crate) fn new(what: impl Into<String>, source: impl Into<io::Error>) -> StartError {
        StartError::Failed { what: what.into(), source: source.into() }
    }
}

/// A zygote that runs.
#[derive(Debug)]
struct Zygote {
    jail: Jail,
    /// Kept, so that its number is not given to another process.
    process: process::Child,
    requests: OwnedFd,
}

/// One zygote for each [`Jail`]; usually there is one.
static ZYGOTES: Mutex<Vec<Zygote>> = Mutex::new(Vec::new());

impl Jail {
    /// Starts a program, which also gets `inherits` as the descriptors from
    /// [`INHERITED`](crate::INHERITED) on, at most [`MAX_INHERITED`](crate::MAX_INHERITED).
    /// Returns when it runs.
    ///
    /// # Errors
    /// If it cannot be started, or not be confined as it must.
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

    /// Has the zygote remove a folder when this process has ended, however it ends. No other
    /// process may change the folder's contents.
    ///
    /// # Errors
    /// If the zygote cannot be asked for that.
    pub fn remove_at_end(&self, folder: &Path) -> Result<(), StartError> {
        let failed = |source| StartError::new("a folder cannot be passed on", source);
        let path = written(folder.as_os_str().as_bytes()).map_err(failed)?;
        self.request(&[path.as_fd()])
    }

    /// Sends a request to the zygote, which is started if there is none (any more).
    fn request(&self, descriptors: &[BorrowedFd<'_>]) -> Result<(), StartError> {
        let mut zygotes = zygotes();
        if let Some(at) = zygotes.iter().position(|zygote| zygote.jail == *self) {
            if send_descriptors(&zygotes[at].requests, &DIALOGUE, descriptors).is_ok() {
                return Ok(());
            }
            let mut dead = zygotes.swap_remove(at);
            let _ = dead.process.kill();
            let _ = dead.process.wait();
        }
        let failed = |source| StartError::Jail { path: self.path.clone(), source };
        let zygote = self.zygote().map_err(failed)?;
        let sent = send_descriptors(&zygote.requests, &DIALOGUE, descriptors);
        zygotes.push(zygote);
        sent.map_err(failed)
    }

    fn zygote(&self) -> io::Result<Zygote> {
        let (requests, theirs) = seqpacket_pair()?;
        let mut command = Command::new(&self.path);
        // A group of its own, so that Ctrl-C reaches only the arena, which knows in which order to
        // end things.
        command.args(&self.args).stdin(theirs).stdout(process::Stdio::null()).process_group(0);
        Ok(Zygote { jail: self.clone(), process: command.spawn()?, requests })
    }
}

fn zygotes() -> MutexGuard<'static, Vec<Zygote>> {
    // A list of processes is valid whatever happened to a thread that held the lock.
    ZYGOTES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn seqpacket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Bytes in memory of their own: they may be longer than a message.
fn written(bytes: &[u8]) -> io::Result<OwnedFd> {
    let memory = memfd_create("agon-order", MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(memory);
    file.write_all(bytes)?;
    Ok(file.into())
}
