//! The messages from the processes that start and supervise a program to the arena.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "messages are foreign bytes, whose numbers must not change unnoticed"
)]

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::{mem::MaybeUninit, time::Duration};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, send, sendmsg, socketpair,
};
use rustix::{io::Errno, process::Pid};
use serde::{Deserialize, Serialize};

/// The longest message in bytes; reasons are sentences.
const MAX_LENGTH: usize = 16 << 10;

/// The messages, in this order. The kernel adds the sender's number from the receiver's view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// The first process of the program's family runs; it never becomes the program.
    ///
    /// If it has its own `/proc`, a descriptor of that comes with the message.
    Init,
    /// The process that becomes the program.
    Program,
    /// The program runs: its confinement, and the CPU time of init so far.
    ///
    /// That time is not the program's. A socket in its network comes with the message, if it has
    /// a loopback address.
    Running(Confinement, Duration),
    /// The program cannot be started: the reason, and the kernel's error.
    Failed(String, i32),
    /// Everything has ended.
    Ended(Ending),
}

/// The end of a program and of everything that it had started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Its exit status, if it ended by itself.
    pub status: Option<i32>,
    /// The signal that ended it, if one did; `None` for a kill because nobody wanted it any more.
    pub signal: Option<i32>,
    /// CPU time of all processes, without the time for confining them.
    pub cpu: Duration,
    /// The peak of resident memory in bytes, in one process or in all.
    ///
    /// The sum of all counts as far as it was measured.
    pub peak_memory: Option<u64>,
    /// The number of its children that still ran after its end and their grace period.
    pub left_behind: u64,
    /// The limit that it exceeded, if it was ended for that.
    pub exceeded: Option<Exceeded>,
    /// The parts of its scratch folder that could not be removed: path and reason.
    pub unremoved_folders: Vec<String>,
}

/// A limit of all processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exceeded {
    /// Its processes used too many bytes of memory.
    Memory {
        /// The bytes used.
        used: u64,
        /// The limit.
        limit: u64,
    },
    /// It had too many processes and threads.
    Processes {
        /// Their number.
        used: u64,
        /// The limit.
        limit: u64,
    },
    /// Its processes had too many files open.
    OpenFiles {
        /// Their number. A file that several processes have open counts for each.
        used: u64,
        /// The limit.
        limit: u64,
    },
    /// Its processes watched too many files with `epoll`.
    Watches {
        /// Their number, at least.
        used: u64,
        /// The limit.
        limit: u64,
    },
    /// It had unusually much when there was not enough for others.
    Hoard {
        /// Its processes and threads.
        processes: u64,
        /// Their open files.
        files: u64,
    },
    /// It wrote too many bytes to its scratch folder, or to another one.
    Files {
        /// The bytes used.
        used: u64,
        /// The limit.
        limit: u64,
    },
    /// It nested too many folders in one of these.
    Depth {
        /// The limit.
        limit: u64,
    },
    /// It left something in one of these that cannot be examined.
    Unseen {
        /// The kernel's error.
        error: i32,
    },
}

/// A message with the kernel's additions.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) message: Message,
    pub(crate) sender: Option<Pid>,
    pub(crate) descriptor: Option<OwnedFd>,
}

impl Message {
    /// Sends the message. The arena may be gone.
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

    /// Receives the next message; `None` after the last one.
    pub(crate) fn receive(from: impl AsFd) -> io::Result<Option<Received>> {
        let mut bytes = vec![0; MAX_LENGTH];
        let packet = receive_packet(from, &mut bytes, RecvFlags::empty())?;
        if packet.length == 0 {
            return Ok(None);
        }
        let message = postcard::from_bytes(&bytes[..packet.length]).map_err(io::Error::other)?;
        let descriptor = packet.descriptors.into_iter().next();
        Ok(Some(Received { message, sender: packet.sender, descriptor }))
    }
}

/// Makes a pair of sockets that keep packets apart.
pub(crate) fn seqpacket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// A packet with the kernel's additions.
pub(crate) struct Packet {
    /// Its bytes; 0 if the other side is gone.
    pub(crate) length: usize,
    pub(crate) sender: Option<Pid>,
    pub(crate) descriptors: Vec<OwnedFd>,
}

/// Receives a packet into `bytes`.
pub(crate) fn receive_packet(
    from: impl AsFd,
    bytes: &mut [u8],
    flags: RecvFlags,
) -> rustix::io::Result<Packet> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8), ScmCredentials(1))];
    let mut extra = RecvAncillaryBuffer::new(&mut space);
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    let length = loop {
        match recvmsg(from.as_fd(), &mut [IoSliceMut::new(bytes)], &mut extra, flags) {
            Err(Errno::INTR) => {}
            Err(Errno::CONNRESET) => break 0,
            result => break result?.bytes,
        }
    };
    let mut packet = Packet { length, sender: None, descriptors: Vec::new() };
    for extra in extra.drain() {
        match extra {
            RecvAncillaryMessage::ScmCredentials(sender) => packet.sender = Some(sender.pid),
            RecvAncillaryMessage::ScmRights(rights) => packet.descriptors.extend(rights),
            _ => {}
        }
    }
    Ok(packet)
}

/// Sends bytes with descriptors.
pub(crate) fn send_descriptors(
    to: impl AsFd,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
    let mut extra = SendAncillaryBuffer::new(&mut space);
    if !extra.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many descriptors"));
    }
    sendmsg(to, &[IoSlice::new(bytes)], &mut extra, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The mechanisms of the kernel that confine a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mechanism {
    /// A namespace of mounts: it sees only what it needs, and a scratch folder of limited size.
    Mounts,
    /// A namespace of processes: it sees only its own, and they all end with it.
    Processes,
    /// A namespace of networks: it has no network.
    Network,
    /// Landlock: a second check that it reads and writes only allowed files.
    Landlock,
    /// Filtered system calls.
    Seccomp,
    /// It runs as a user of its own, or without the privileges of the user who started it.
    Identity,
    /// The kernel limits its memory, open files, file sizes.
    Limits,
    /// The kernel limits the number of its processes.
    ///
    /// Otherwise they are only counted, every few milliseconds.
    ProcessLimit,
}

/// A mechanism that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The reason in one sentence, with the remedy if there is one.
    pub why: String,
}

/// The confinement of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Mechanisms that hold, each with a note: `Landlock` with "ABI 7".
    pub active: Vec<(Mechanism, String)>,
    /// Mechanisms that are missing.
    pub missing: Vec<Missing>,
}

/// A hash of the sources that define the dialogue.
///
/// So programs of different builds never mistake one descriptor for another.
pub(crate) const DIALOGUE: [u8; 8] = agon_files::parts::dialogue(&[
    include_str!("launcher.rs"),
    include_str!("lib.rs"),
    include_str!("message.rs"),
    include_str!("order.rs"),
    include_str!("snapshot.rs"),
    include_str!("supervisor/init.rs"),
    include_str!("supervisor/mod.rs"),
])
.to_le_bytes();
