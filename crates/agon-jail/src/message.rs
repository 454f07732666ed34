//! The messages from the processes that start and supervise a program to the arena.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "messages are foreign bytes, whose numbers must not change unnoticed"
)]

use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    os::fd::{AsFd, OwnedFd},
    time::Duration,
};

use rustix::{
    io::Errno,
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recvmsg, send},
    process::Pid,
};
use serde::{Deserialize, Serialize};

use crate::Confinement;

/// The longest message; reasons are sentences.
const MAX_LENGTH: usize = 16 << 10;

/// The messages, in this order. The kernel tells the sender's number as the receiver sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// The first process of the program's family runs; it never becomes the program. A descriptor
    /// of its `/proc` comes along if it has one of its own.
    Init,
    /// The process that becomes the program.
    Program,
    /// The program runs: how it is confined, and the CPU time that init has used until now, which
    /// is not the program's.
    Running(Confinement, Duration),
    /// The program cannot be started: why, and the kernel's error.
    Failed(String, i32),
    /// All is over.
    Ended(Ending),
}

/// How a program has ended, with all that it had started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Its exit status, if it ended by itself.
    pub status: Option<i32>,
    /// The signal that ended it, if one did; `None` as well if it was killed because nobody wanted
    /// it any more.
    pub signal: Option<i32>,
    /// CPU time of all processes together, without the time that confining them took.
    pub cpu: Duration,
    /// The peak of resident memory in one process, or in all together as far as that was measured,
    /// in bytes.
    pub peak_memory: Option<u64>,
    /// How many processes that it had started were still running after it had ended (and after
    /// their grace period).
    pub left_behind: u64,
    /// The limit that it exceeded, if it was ended for that.
    pub exceeded: Option<Exceeded>,
    /// The parts of its scratch folder that could not be removed: path and reason.
    pub unremoved_folders: Vec<String>,
}

/// A limit of all processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exceeded {
    /// Bytes of memory used, and how many it may use.
    Memory {
        /// What was used.
        used: u64,
        /// What may be used.
        limit: u64,
    },
    /// Processes and threads, and how many there may be.
    Processes {
        /// How many there were.
        used: u64,
        /// How many there may be.
        limit: u64,
    },
    /// Bytes in its scratch folder, or another one, and how many there may be.
    Files {
        /// What was used.
        used: u64,
        /// What may be used.
        limit: u64,
    },
    /// Folders in one of these within each other, and how many there may be.
    Depth {
        /// How many there may be.
        limit: u64,
    },
    /// Something in one of these cannot be looked at.
    Unseen {
        /// The kernel's error.
        error: i32,
    },
}

/// A message with what the kernel added.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) message: Message,
    pub(crate) sender: Option<Pid>,
    pub(crate) descriptor: Option<OwnedFd>,
}

impl Message {
    /// Sends the message; the arena may be gone.
    pub(crate) fn send(&self, to: impl AsFd) -> io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(io::Error::other)?;
        send(to, &bytes, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// Sends the message with a descriptor.
    pub(crate) fn send_with(&self, to: impl AsFd, descriptor: impl AsFd) -> io::Result<()> {
        let bytes = postcard::to_stdvec(self).map_err(io::Error::other)?;
        send_descriptors(to, &bytes, &[descriptor.as_fd()])
    }

    /// Receives the next message; `None` when there are no more.
    pub(crate) fn receive(from: impl AsFd) -> io::Result<Option<Received>> {
        let mut bytes = vec![0; MAX_LENGTH];
        let mut space =
            [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1), ScmCredentials(1))];
        let mut extra = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::CMSG_CLOEXEC;
        let received = loop {
            match recvmsg(from.as_fd(), &mut [IoSliceMut::new(&mut bytes)], &mut extra, flags) {
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET) => return Ok(None),
                result => break result?,
            }
        };
        if received.bytes == 0 {
            return Ok(None);
        }
        let message = postcard::from_bytes(&bytes[..received.bytes]).map_err(io::Error::other)?;
        let mut result = Received { message, sender: None, descriptor: None };
        for extra in extra.drain() {
            match extra {
                RecvAncillaryMessage::ScmCredentials(sender) => result.sender = Some(sender.pid),
                RecvAncillaryMessage::ScmRights(mut descriptors) => {
                    result.descriptor = descriptors.next()
                }
                _ => {}
            }
        }
        Ok(Some(result))
    }
}

/// Sends bytes with descriptors.
pub(crate) fn send_descriptors(
    to: impl AsFd,
    bytes: &[u8],
    descriptors: &[std::os::fd::BorrowedFd<'_>],
) -> io::Result<()> {
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, sendmsg};

    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
    let mut extra = SendAncillaryBuffer::new(&mut space);
    if !extra.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many descriptors"));
    }
    sendmsg(to, &[IoSlice::new(bytes)], &mut extra, SendFlags::NOSIGNAL)?;
    Ok(())
}
