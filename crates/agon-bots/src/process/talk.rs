//! What a bot tells people: its stderr, drained all the time and kept to a bounded tail.

use std::{
    collections::VecDeque,
    io::{self, PipeReader, PipeWriter, Read},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::{Errno, ioctl_fionread},
};

/// How many times its patience whoever wants the tail waits at most while something lies in the pipe.
const ROUNDS: u32 = 10;

/// Drains a pipe on a thread of its own, so that a bot that floods its stderr never waits for the arena.
///
/// Dropping it ends the thread, even if somebody still holds the other end of the pipe.
#[derive(Debug)]
pub(super) struct Talk {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Closing it wakes the thread up to end.
    stop: Option<PipeWriter>,
    /// The thread's pipe, to see what lies there.
    pipe: PipeReader,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    tail: VecDeque<u8>,
    total: u64,
    ended: bool,
}

impl Talk {
    /// Starts to drain, keeping the last `keep` bytes.
    pub(super) fn drain(pipe: PipeReader, keep: usize) -> io::Result<Talk> {
        let (stopped, stop) = io::pipe()?;
        let (own, shared) = (pipe.try_clone()?, Arc::new(Shared::default()));
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("agon-stderr".to_owned()).spawn(move || {
            drain(pipe, &stopped, &theirs, keep);
            theirs.lock().ended = true;
            theirs.ended.notify_all();
        })?;
        Ok(Talk { shared, thread: Some(thread), stop: Some(stop), pipe: own })
    }

    /// How many bytes have come so far.
    pub(super) fn total(&self) -> u64 {
        self.shared.lock().total
    }

    /// The last bytes; waits up to `patience` for the other end to be closed, so that nothing is missed. It waits
    /// longer while there is something to read: on a busy machine the thread may not have had its turn.
    pub(super) fn tail(&self, patience: Duration) -> Vec<u8> {
        let mut state = self.shared.lock();
        for _ in 0..ROUNDS {
            (state, _) = self
                .shared
                .ended
                .wait_timeout_while(state, patience, |state| !state.ended)
                .unwrap_or_else(PoisonError::into_inner);
            // The thread reads with the lock: what is not in the pipe is in the tail.
            if state.ended || ioctl_fionread(&self.pipe).unwrap_or(0) == 0 {
                break;
            }
        }
        state.tail.iter().copied().collect()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Bytes are valid whatever happened to a thread that held the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn drain(mut pipe: PipeReader, stopped: &PipeReader, shared: &Shared, keep: usize) {
    let mut buffer = [0; 16 << 10];
    while wait_for_either(&pipe, stopped) {
        let mut state = shared.lock();
        // Does not wait: there is something, or the end.
        let Ok(length @ 1..) = pipe.read(&mut buffer) else { return };
        state.total += length as u64;
        let new = &buffer[length.saturating_sub(keep)..length];
        let surplus = (state.tail.len() + new.len()).saturating_sub(keep);
        state.tail.drain(..surplus);
        state.tail.extend(new);
    }
}

/// Waits until the pipe can be read; false if it is time to stop.
fn wait_for_either(pipe: &PipeReader, stopped: &PipeReader) -> bool {
    loop {
        let mut fds = [PollFd::new(stopped, PollFlags::empty()), PollFd::new(pipe, PollFlags::IN)];
        match poll(&mut fds, None) {
            Err(Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) if !fds[0].revents().is_empty() => return false,
            Ok(_) => return true,
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread costs some stderr, no more.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn nothing_is_missed_when_the_thread_is_late() {
        let (pipe, mut other) = io::pipe().unwrap();
        let (stopped, _stop) = io::pipe().unwrap();
        let (own, shared) = (pipe.try_clone().unwrap(), Arc::new(Shared::default()));
        let talk = Talk { shared: Arc::clone(&shared), thread: None, stop: None, pipe: own };
        other.write_all(b"some last words").unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(600));
                drain(pipe, &stopped, &shared, 10);
            });
            assert_eq!(talk.tail(Duration::from_millis(400)), b"last words");
            drop(other);
        });
        assert_eq!(talk.total(), 15);
    }
}
