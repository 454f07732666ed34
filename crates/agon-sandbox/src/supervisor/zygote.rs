//! The zygote: the process that all supervisors are copies of. It takes the arena's requests and
//! forks a supervisor for each program.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::{
    ffi::OsString, io, os::unix::ffi::OsStringExt, path::PathBuf, process::ExitCode, sync::Once,
};

use rustix::fs::{Mode, OFlags, open};
use rustix::stdio::{dup2_stdin, stdin};
use rustix::{io::Errno, net::RecvFlags};

use super::{Request, keep::keep, pool::Pool, read_memory};
use crate::confine::{offer, survey};
use crate::fork::{Forked, fork, leave, take_signal};
use crate::message::{DIALOGUE, receive_packet};
use crate::remove_folder;

/// Runs the zygote: the main function of its process, which must have a single thread.
///
/// Requests come through its standard input, a socket. It ends when that is closed.
pub fn zygote_main() -> ExitCode {
    // Sockets tell supervisors apart, and nobody needs their exit statuses.
    take_signal(libc::SIGCHLD, true);
    let mut pool = Pool::default();
    let mut folders = Vec::new();
    let code = loop {
        match next_request(stdin()) {
            Ok(None) => break ExitCode::SUCCESS,
            Ok(Some((dialogue, descriptors))) if dialogue != DIALOGUE => refuse(&descriptors),
            Ok(Some((_, descriptors))) if descriptors.len() == 1 => {
                folders.extend(folder(descriptors))
            }
            Ok(Some((_, descriptors))) => start(descriptors, &mut pool),
            // A person who calls this program by hand has no socket there.
            Err(_) => break ExitCode::from(2),
        }
    };
    for folder in folders {
        // Usually the arena has done it, and there is nobody to report to.
        let _ = remove_folder(&folder);
    }
    code
}

/// Refuses a request of an arena of another build.
///
/// Neither side knows the meaning of the other's descriptors.
fn refuse(descriptors: &[OwnedFd]) {
    if let Some(control) = descriptors.get(super::CONTROL) {
        let error = Errno::PROTO.into();
        super::failed(
            control,
            "`agon-sandbox` is of another build than this program; build both again",
            &error,
        );
    }
}

/// Returns the folder that a request asks to remove at the end.
fn folder(descriptors: Vec<OwnedFd>) -> Option<PathBuf> {
    let text = descriptors.into_iter().next().and_then(|memory| read_memory(memory).ok())?;
    Some(OsString::from_vec(text).into())
}

/// Forks a supervisor for a request.
fn start(descriptors: Vec<OwnedFd>, pool: &mut Pool) {
    let Ok(request) = Request::read(descriptors) else { return };
    // Otherwise each supervisor would find out by itself.
    if request.order.sandbox.is_some() || request.order.limits.processes.is_some() {
        learn();
    }
    let access = pool.access(&request.order);
    match fork() {
        Ok(Forked::Parent(_)) => {}
        Ok(Forked::Child) => {
            take_signal(libc::SIGCHLD, false);
            // The zygote's requests are not for its supervisors.
            if let Ok(null) = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()) {
                let _ = dup2_stdin(&null);
            }
            keep(request, access);
            leave(0);
        }
        Err(error) => super::failed(&request.control, "there may be no more processes", &error),
    }
}

/// Finds out the machine's offer, once for all supervisors.
fn learn() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // It uses children and waits for their ends.
        take_signal(libc::SIGCHLD, false);
        offer();
        take_signal(libc::SIGCHLD, true);
        survey();
    });
}

/// Returns the dialogue of the next request, and its descriptors.
fn next_request(from: BorrowedFd<'_>) -> io::Result<Option<([u8; 8], Vec<OwnedFd>)>> {
    let mut word = [0; 8];
    let packet = receive_packet(from, &mut word, RecvFlags::empty())?;
    Ok((packet.length > 0).then_some((word, packet.descriptors)))
}
