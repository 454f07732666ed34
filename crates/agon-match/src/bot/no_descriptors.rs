//! Descriptors on systems where Agon starts no programs: types without values, so a wait has none.

use std::{convert::Infallible, thread, time::Duration};

pub(crate) use std::time::Duration as Timespec;

/// A descriptor.
#[derive(Debug)]
pub(crate) enum OwnedFd {}

/// The events of a descriptor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PollFlags {}

impl PollFlags {
    pub(crate) fn is_empty(self) -> bool {
        match self {}
    }
}

/// A descriptor with the events to wait for.
pub(crate) enum PollFd {}

impl PollFd {
    pub(crate) fn new(fd: &OwnedFd, _: PollFlags) -> PollFd {
        match *fd {}
    }

    pub(crate) fn revents(&self) -> PollFlags {
        match *self {}
    }
}

/// Waits for the end of a time. Callers never wait for nothing at all.
pub(crate) fn poll(_: &mut [PollFd], time: Option<&Duration>) -> Result<usize, Infallible> {
    time.into_iter().copied().for_each(thread::sleep);
    Ok(0)
}
