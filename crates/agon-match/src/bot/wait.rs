//! Lets the referee wait for several bots at once.
//!
//! A bot that has been asked reports its [`Progress`]. The referee waits for all bots together
//! ([`for_any`]) and calls each one as soon as its output has come. So a bot's time ends with its
//! own answer, not with the answers of others.

#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};

#[cfg(not(unix))]
use crate::bot::no_descriptors::{OwnedFd, PollFd, PollFlags, Timespec, poll};

/// The progress of an answer.
#[derive(Debug)]
#[must_use = "an answer that has not come has to be waited for"]
pub enum Progress {
    /// It has come, or will not come.
    Done,
    /// An event has to happen first.
    Waits(Wait),
    /// It has come, or will not come, but slow work is left, such as ending a program.
    ///
    /// The referee calls again for that when it waits for no other answer.
    Last,
}

/// The events that an answer waits for. One of them is enough, as is the end of a time.
#[derive(Clone, Debug, Default)]
pub struct Wait {
    /// A bot has an input, an output, and an end.
    fds: [Option<(Arc<OwnedFd>, PollFlags)>; 3],
    /// The end of the time, if there is one.
    until: Option<Instant>,
    /// Set once another bot has taken the awaited reply: nothing comes after that.
    taken: Option<Arc<AtomicBool>>,
}

impl Wait {
    /// Makes a wait that ends after this time, if there is a limit.
    pub fn at_most(time: Option<Duration>) -> Wait {
        // A moment beyond the range of the type is as good as none.
        let until = time.and_then(|time| Instant::now().checked_add(time));
        Wait { until, ..Wait::default() }
    }

    /// Makes a wait for a moment, without any other event.
    pub fn until(moment: Instant) -> Wait {
        Wait { until: Some(moment), ..Wait::default() }
    }

    /// Adds these events of a descriptor.
    #[cfg(unix)]
    pub fn or(mut self, fd: &Arc<OwnedFd>, flags: PollFlags) -> Wait {
        if let Some(free) = self.fds.iter_mut().find(|fd| fd.is_none()) {
            *free = Some((Arc::clone(fd), flags));
        }
        self
    }

    /// Adds the event that `taken` has been set.
    pub fn or_taken(mut self, taken: &Arc<AtomicBool>) -> Wait {
        self.taken = Some(Arc::clone(taken));
        self
    }

    fn is_taken(&self) -> bool {
        self.taken.as_ref().is_some_and(|taken| taken.load(Ordering::Relaxed))
    }

    /// Waits for this alone.
    pub fn wait(&self) {
        for_any(&[Some(self)], |_| {});
    }
}

/// Waits until at least one of these has an event.
///
/// Calls `happened` with the index of each that has one. `None` has no events. Returns at once if
/// no event is possible.
pub fn for_any(waits: &[Option<&Wait>], mut happened: impl FnMut(usize)) {
    let mut fds = Vec::with_capacity(3 * waits.len());
    // All these bots belong to this thread, so nobody sets it meanwhile.
    let is_taken = waits.iter().flatten().any(|wait| wait.is_taken());
    let mut until = is_taken.then(Instant::now);
    for wait in waits.iter().flatten() {
        fds.extend(wait.fds.iter().flatten().map(|(fd, flags)| PollFd::new(fd, *flags)));
        until = until.into_iter().chain(wait.until).min();
    }
    if fds.is_empty() && until.is_none() {
        return;
    }
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    // A wait too long for the kernel's format is as good as forever. An interruption only makes
    // it shorter.
    let ready =
        poll(&mut fds, left.and_then(|left| Timespec::try_from(left).ok()).as_ref()).unwrap_or(0);
    let now = until.is_some().then(Instant::now);
    let mut fds = fds.iter();
    for (at, wait) in waits.iter().enumerate() {
        let Some(wait) = wait else { continue };
        let own = fds.by_ref().take(wait.fds.iter().flatten().count());
        // Counts all events of this wait, so that the next wait starts at its own.
        let events = own.filter(|fd| !fd.revents().is_empty()).count();
        let is_over = wait.until.zip(now).is_some_and(|(until, now)| until <= now);
        if is_over || wait.is_taken() || ready > 0 && events > 0 {
            happened(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Write, pipe};

    use super::*;

    fn happened(waits: &[Option<&Wait>]) -> Vec<usize> {
        let mut all = Vec::new();
        for_any(waits, |at| all.push(at));
        all
    }

    #[test]
    fn each_hears_of_its_own() {
        let pipes: Vec<_> = (0..3).map(|_| pipe().unwrap()).collect();
        let (readers, mut writers): (Vec<_>, Vec<_>) = pipes.into_iter().unzip();
        let readers: Vec<_> =
            readers.into_iter().map(|reader| Arc::new(OwnedFd::from(reader))).collect();
        let wait = |at: usize| Wait::at_most(None).or(&readers[at], PollFlags::IN);
        let first = wait(0).or(&readers[1], PollFlags::IN);
        let last = wait(2);
        writers[2].write_all(b"x").unwrap();
        assert_eq!(happened(&[Some(&first), None, Some(&last)]), [2]);
        writers[1].write_all(b"x").unwrap();
        assert_eq!(happened(&[Some(&first), None, Some(&last)]), [0, 2]);
        drop(writers.remove(0));
        assert_eq!(happened(&[Some(&wait(0))]), [0], "an end is something");
    }

    #[test]
    fn who_waits_for_what_another_has_taken_is_told() {
        let (reader, _writer) = pipe().unwrap();
        let reader = Arc::new(OwnedFd::from(reader));
        let taken = Arc::new(AtomicBool::new(false));
        let own = Wait::at_most(None).or(&reader, PollFlags::IN).or_taken(&taken);
        let soon = Wait::at_most(Some(Duration::from_millis(1)));
        assert_eq!(happened(&[Some(&own), Some(&soon)]), [1]);
        taken.store(true, Ordering::Relaxed);
        let never = Wait::at_most(Some(Duration::from_secs(3600)));
        assert_eq!(happened(&[Some(&never), Some(&own)]), [1]);
    }

    #[test]
    fn the_first_moment_ends_the_wait() {
        let late = Wait::at_most(Some(Duration::MAX));
        let soon = Wait::at_most(Some(Duration::from_millis(1)));
        assert!(late.until.is_none());
        let never = Wait::at_most(Some(Duration::from_secs(3600)));
        assert_eq!(happened(&[Some(&never), Some(&soon), Some(&late)]), [1]);
        assert_eq!(happened(&[Some(&Wait::at_most(Some(Duration::ZERO)))]), [0]);
        assert_eq!(happened(&[Some(&never), Some(&Wait::until(Instant::now()))]), [1]);
        assert_eq!(happened(&[]).len(), 0);
    }
}
