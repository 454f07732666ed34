//! Reads a bot's stderr all the time and keeps its end, so that a bot that prints much never
//! blocks.

use std::io::{self, ErrorKind, PipeReader, PipeWriter};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::{collections::VecDeque, thread::JoinHandle, time::Duration};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio, ioctl_fionread};

use crate::{TurnLog, sandbox::JVM_WORDS};

/// A reader of the tail waits at most this multiple of its patience while output remains.
const ROUNDS: u32 = 10;

/// Drains a pipe into a turn log on a thread of its own.
///
/// So a bot that floods its stderr never waits for the arena. Dropping it ends the thread, even if
/// a process still holds the other end of the pipe.
#[derive(Debug)]
pub(super) struct StderrReader {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Closing it wakes the thread, which then ends.
    stop: Option<PipeWriter>,
    /// The thread's pipe, to check for unread bytes.
    pipe: PipeReader,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    ended: Condvar,
    turn_log: TurnLog,
}

#[derive(Debug, Default)]
struct State {
    tail: VecDeque<u8>,
    keep: usize,
    total: u64,
    ended: bool,
}

impl StderrReader {
    /// Starts to drain, keeping the last `keep` bytes.
    pub(super) fn drain(
        pipe: PipeReader,
        keep: usize,
        turn_log: TurnLog,
    ) -> io::Result<StderrReader> {
        let (stopped, stop) = io::pipe()?;
        // Two threads may read, and the later one must not wait.
        ioctl_fionbio(&pipe, true)?;
        let state = Mutex::new(State { keep, ..State::default() });
        let own = pipe.try_clone()?;
        let shared = Arc::new(Shared { state, ended: Condvar::new(), turn_log });
        let theirs = Arc::clone(&shared);
        let thread =
            std::thread::Builder::new().name("agon-stderr".to_owned()).spawn(move || {
                drain(pipe, &stopped, &theirs);
                theirs.lock().ended = true;
                theirs.ended.notify_all();
            })?;
        Ok(StderrReader { shared, thread: Some(thread), stop: Some(stop), pipe: own })
    }

    /// Returns the number of bytes so far.
    pub(super) fn total(&self) -> u64 {
        self.shared.lock().total
    }

    /// Reads the pipe at the end of a turn, because the thread may not have run.
    ///
    /// Later output belongs to the next turn.
    pub(super) fn catch_up(&self) {
        let mut state = self.shared.lock();
        let mut waiting = ioctl_fionread(&self.pipe).unwrap_or(0) as usize;
        while waiting > 0 && !state.ended {
            let Read::Some(length) = self.shared.read(&mut &self.pipe, &mut state) else { return };
            waiting = waiting.saturating_sub(length);
        }
    }

    /// Returns the last bytes, after the other end was closed or `patience` is over.
    ///
    /// It waits longer while there is something to read: on a busy machine the thread may not
    /// have run.
    pub(super) fn tail(&self, patience: Duration) -> Vec<u8> {
        let mut state = self.shared.lock();
        for _ in 0..ROUNDS {
            (state, _) = self
                .shared
                .ended
                .wait_timeout_while(state, patience, |state| !state.ended)
                .unwrap_or_else(PoisonError::into_inner);
            // The thread reads under the lock: bytes that are not in the pipe are in the tail.
            if state.ended || ioctl_fionread(&self.pipe).unwrap_or(0) == 0 {
                break;
            }
        }
        state.tail.iter().copied().collect()
    }
}

/// The result of reading.
enum Read {
    Some(usize),
    /// There is nothing at the moment.
    Nothing,
    End,
}

impl Shared {
    /// Reads once. Under the lock, bytes that have left the pipe are in the turn log.
    fn read(&self, pipe: &mut impl io::Read, state: &mut State) -> Read {
        let mut buffer = [0; 16 << 10];
        let length = match pipe.read(&mut buffer) {
            Ok(length @ 1..) => length,
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                return Read::Nothing;
            }
            Ok(0) | Err(_) => return Read::End,
        };
        let length = without_jvm_words(&mut buffer[..length]);
        state.total += length as u64;
        let new = &buffer[length.saturating_sub(state.keep)..length];
        let surplus = (state.tail.len() + new.len()).saturating_sub(state.keep);
        state.tail.drain(..surplus);
        state.tail.extend(new);
        self.turn_log.hear(&buffer[..length]);
        Read::Some(length)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The bytes stay valid even if a thread panicked while it held the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes what a JVM prints about a variable of the arena's; returns how many bytes are left.
///
/// A JVM writes the line at once, so that no other comes between.
fn without_jvm_words(bytes: &mut [u8]) -> usize {
    let mut length = bytes.len();
    while let Some(at) = find(&bytes[..length], JVM_WORDS) {
        let Some(line) = find(&bytes[at..length], b"\n") else { break };
        bytes.copy_within(at + line + 1..length, at);
        length -= line + 1;
    }
    length
}

fn find(bytes: &[u8], words: &[u8]) -> Option<usize> {
    bytes.windows(words.len()).position(|window| window == words)
}

fn drain(mut pipe: PipeReader, stopped: &PipeReader, shared: &Shared) {
    while wait_for_either(&pipe, stopped) {
        let mut state = shared.lock();
        if let Read::End = shared.read(&mut pipe, &mut state) {
            return;
        }
    }
}

/// Waits until the pipe can be read; false when it is time to stop.
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

impl Drop for StderrReader {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread loses some stderr and nothing else.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_line_of_a_jvm_about_the_arena_is_left_out() {
        let line = "Picked up JAVA_TOOL_OPTIONS: -XX:MaxRAM=1073741824 -XX:MaxRAMPercentage=80\n";
        for (said, left) in [
            (line.to_owned(), ""),
            (format!("a\n{line}b\n{line}"), "a\nb\n"),
            (
                "Picked up JAVA_TOOL_OPTIONS: -Xmx5m\n".to_owned(),
                "Picked up JAVA_TOOL_OPTIONS: -Xmx5m\n",
            ),
            (line.trim_end().to_owned(), line.trim_end()),
        ] {
            let mut bytes = said.into_bytes();
            let length = without_jvm_words(&mut bytes);
            assert_eq!(&bytes[..length], left.as_bytes());
        }
    }

    #[test]
    fn nothing_is_missed_when_the_thread_is_late() {
        let (pipe, mut other) = io::pipe().unwrap();
        let (stopped, _stop) = io::pipe().unwrap();
        let state = Mutex::new(State { keep: 10, ..State::default() });
        let shared = Arc::new(Shared { state, ..Shared::default() });
        let own = pipe.try_clone().unwrap();
        let reader =
            StderrReader { shared: Arc::clone(&shared), thread: None, stop: None, pipe: own };
        other.write_all(b"some last words").unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(600));
                drain(pipe, &stopped, &shared);
            });
            assert_eq!(reader.tail(Duration::from_millis(400)), b"last words");
            drop(other);
        });
        assert_eq!(reader.total(), 15);
    }

    #[test]
    fn a_turn_that_is_over_has_what_was_written_by_then() {
        let (pipe, mut other) = io::pipe().unwrap();
        let turn_log = TurnLog::default();
        let turns = 2_000;
        let reader = StderrReader::drain(pipe, 10, turn_log.clone()).unwrap();
        for turn in 0..turns {
            let words = format!("turn {turn}");
            other.write_all(words.as_bytes()).unwrap();
            reader.catch_up();
            assert_eq!(turn_log.turn().stderr.text(), words);
        }
        reader.catch_up();
        assert_eq!(turn_log.turn().stderr.total(), 0);
    }
}
