//! Keeps pooled sandboxes in the zygote and leases them to later programs, which then start faster.

use std::{io, os::fd::OwnedFd};

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, send};

use crate::Order;
use crate::confine::{Facts, Key, PooledSandbox};
use crate::message::{Packet, receive_packet, send_descriptors, seqpacket_pair};

/// The most pooled sandboxes. Each uses five descriptors, and the memory of a network namespace.
const MAX_POOLED: usize = 64;

/// The longest description of a pooled sandbox.
const MAX_DESCRIPTION: usize = 16 << 10;

/// The message that a pooled sandbox is free.
const TIDY: &[u8] = b"tidy";

/// All pooled sandboxes, the last used one at the end.
#[derive(Debug, Default)]
pub(super) struct Pool(Vec<Entry>);

/// A pooled sandbox that exists or is being set up.
#[derive(Debug)]
struct Entry {
    key: Key,
    /// It comes once it has been set up.
    pooled: Option<PooledSandbox>,
    /// The reports of its program's supervisor; `None` if it is free.
    lease: Option<OwnedFd>,
}

/// A supervisor's access to the pooled sandboxes.
#[derive(Debug, Default)]
pub(super) struct PoolAccess<'a> {
    /// A free one.
    pub(super) pooled: Option<&'a PooledSandbox>,
    /// The channel for reports; `None` if the sandbox is not kept.
    pub(super) lease: Option<Lease>,
}

/// The right to use a pooled sandbox.
///
/// Once the supervisor has given it back, the zygote can lease the sandbox again. If the supervisor
/// ends without that, the sandbox is gone.
#[derive(Debug)]
pub(super) struct Lease(OwnedFd);

impl Lease {
    /// Hands over a complete sandbox.
    pub(super) fn offer(&self, pooled: &PooledSandbox) -> io::Result<()> {
        let (facts, spaces) = pooled.parts();
        let facts = postcard::to_stdvec(facts).map_err(io::Error::other)?;
        send_descriptors(&self.0, &facts, &spaces)
    }

    /// Reports that the sandbox is free, because the last process in it is dead.
    pub(super) fn give_back(self) {
        // A zygote that has ended needs no sandboxes.
        let _ = send(&self.0, TIDY, SendFlags::NOSIGNAL);
    }
}

impl Pool {
    /// Leases a sandbox for an order, a free one if there is one for it.
    pub(super) fn access(&mut self, order: &Order) -> PoolAccess<'_> {
        self.0.retain_mut(Entry::is_there);
        let Some((key, (own, lease))) =
            Key::of(order).and_then(|key| Some((key, seqpacket_pair().ok()?)))
        else {
            return PoolAccess::default();
        };
        let is_free = |entry: &Entry| entry.lease.is_none();
        let mut entry = match self.0.iter().position(|entry| is_free(entry) && entry.key == key) {
            Some(at) => self.0.remove(at),
            None => Entry { key, pooled: None, lease: None },
        };
        if self.0.len() >= MAX_POOLED {
            match self.0.iter().position(is_free) {
                Some(oldest) => drop(self.0.remove(oldest)),
                None => return PoolAccess::default(),
            }
        }
        entry.lease = Some(own);
        self.0.push(entry);
        let pooled = self.0.last().and_then(|entry| entry.pooled.as_ref());
        PoolAccess { pooled, lease: Some(Lease(lease)) }
    }
}

impl Entry {
    /// Reads the reports of its supervisor, and returns whether the sandbox is still useful.
    fn is_there(&mut self) -> bool {
        while let Some(lease) = &self.lease {
            match report(lease) {
                Ok(Report::SetUp(pooled)) => self.pooled = Some(pooled),
                Ok(Report::Tidy) => self.lease = None,
                Err(Errno::AGAIN) => return true,
                Err(_) => return false,
            }
        }
        self.pooled.is_some()
    }
}

/// A report of a supervisor.
enum Report {
    SetUp(PooledSandbox),
    Tidy,
}

/// Returns the next report, without waiting.
fn report(lease: &OwnedFd) -> rustix::io::Result<Report> {
    let mut bytes = [0; MAX_DESCRIPTION];
    let Packet { length, descriptors: spaces, .. } =
        receive_packet(lease, &mut bytes, RecvFlags::DONTWAIT)?;
    if spaces.is_empty() && bytes[..length] == *TIDY {
        return Ok(Report::Tidy);
    }
    let facts: Facts = postcard::from_bytes(&bytes[..length]).map_err(|_| Errno::PIPE)?;
    PooledSandbox::new(facts, spaces).map(Report::SetUp).ok_or(Errno::PIPE)
}
