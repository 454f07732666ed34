//! The process that all supervisors are copies of.

use std::{
    ffi::OsString,
    io::{self, IoSliceMut},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::PathBuf,
    process::ExitCode,
    sync::Once,
};

use rustix::{
    fs::{Mode, OFlags, open},
    io::Errno,
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
    stdio::{dup2_stdin, stdin},
};

use super::{
    Request,
    fork::{Forked, fork, leave, take_signal},
    keep::keep,
    pool::Pool,
    read_memory,
};
use crate::{
    confine::{offer, survey},
    dialogue::DIALOGUE,
    remove_folder,
};

/// The main function of the zygote. Requests come through its standard input, a socket; when that
/// is closed it ends.
///
/// The process must have a single thread.
pub fn zygote_main() -> ExitCode {
    // Supervisors are told apart by their sockets; nobody asks how they ended.
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
        // Usually the arena has done it, and nobody is there to be told.
        let _ = remove_folder(&folder);
    }
    code
}

/// Tells an arena of another build that nothing is started: neither knows what the other's
/// descriptors are.
fn refuse(descriptors: &[OwnedFd]) {
    if let Some(control) = descriptors.get(super::CONTROL) {
        let error = Errno::PROTO.into();
        super::failed(
            control,
            "`agon-jail` is of another build than this program; build both anew",
            &error,
        );
    }
}

/// The folder that a request asks to be removed at the end.
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
            // The requests are the zygote's.
            if let Ok(null) = open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()) {
                let _ = dup2_stdin(&null);
            }
            keep(request, access);
            leave(0);
        }
        Err(error) => super::failed(&request.control, "there may be no more processes", &error),
    }
}

/// Finds out what the machine offers, once for all supervisors.
fn learn() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // It takes children, whose ends are asked for.
        take_signal(libc::SIGCHLD, false);
        offer();
        take_signal(libc::SIGCHLD, true);
        survey();
    });
}

/// Which dialogue the next request is of, and its descriptors.
fn next_request(from: BorrowedFd<'_>) -> io::Result<Option<([u8; 8], Vec<OwnedFd>)>> {
    let mut word = [0; 8];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
    let mut extra = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let flags = RecvFlags::CMSG_CLOEXEC;
        match recvmsg(from.as_fd(), &mut [IoSliceMut::new(&mut word)], &mut extra, flags) {
            Err(Errno::INTR) => {}
            Err(Errno::CONNRESET) => return Ok(None),
            result => break result?,
        }
    };
    let mut descriptors = Vec::new();
    for extra in extra.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = extra {
            descriptors.extend(rights);
        }
    }
    Ok((received.bytes > 0).then_some((word, descriptors)))
}
