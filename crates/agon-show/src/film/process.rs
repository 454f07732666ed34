//! Runs a program that encodes a film. None is left running, and none is waited for without limit.
//!
//! `video` writes pictures to it. If `agon` has to exit early, it ends all of them.

use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fs, os::unix::process::ExitStatusExt};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// The most bytes of an encoder's output that are reported.
const MAX_OUTPUT: usize = 600;

/// The time that the arena waits for an idle encoder.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The check interval for signs of work.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A program that takes pictures. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Process {
    running: Arc<Running>,
    stdin: Option<BufWriter<ChildStdin>>,
    stderr: Option<JoinHandle<String>>,
    /// Dropping this ends the thread that checks for signs of work.
    _watch: Sender<()>,
}

/// The facts about a program that other threads need.
#[derive(Debug)]
struct Running {
    pid: Pid,
    child: Mutex<(Child, Option<ExitStatus>)>,
    /// Its output file.
    file: PathBuf,
    /// Whether the arena is waiting for it.
    awaited: AtomicBool,
    /// The bytes that it has taken.
    taken: AtomicU64,
    /// Whether it was ended because it did nothing.
    hung: AtomicBool,
}

/// Returns all running programs.
fn all() -> MutexGuard<'static, Vec<Weak<Running>>> {
    static ALL: Mutex<Vec<Weak<Running>>> = Mutex::new(Vec::new());
    // The list stays valid even if a thread panicked while it held the lock.
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all programs that encode films, with their children. Their films fail.
pub fn kill_encoders() {
    let all: Vec<Arc<Running>> = all().iter().filter_map(Weak::upgrade).collect();
    all.iter().for_each(|running| running.kill());
    all.iter().for_each(|running| drop(running.wait()));
}

impl Process {
    /// Starts a program as leader of its own process group; it writes this file.
    ///
    /// Ends it if it does nothing for `patience`, which is checked from time to time.
    pub(crate) fn start(
        mut command: Command,
        program: &Path,
        file: &Path,
        (check_interval, patience): (Duration, Duration),
    ) -> Result<Process> {
        let context = || format!("cannot start `{}`", program.display());
        let mut child = command.spawn().with_context(context)?;
        let stdin = child.stdin.take().map(BufWriter::new);
        let stderr = child.stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut said = Vec::new();
                // Unreadable output is not reported.
                let _ = stderr.read_to_end(&mut said);
                String::from_utf8_lossy(&said).into_owned()
            })
        });
        let running = Arc::new(Running {
            pid: Pid::from_child(&child),
            child: Mutex::new((child, None)),
            file: file.to_owned(),
            awaited: AtomicBool::new(false),
            taken: AtomicU64::new(0),
            hung: AtomicBool::new(false),
        });
        let mut all = all();
        all.retain(|running| running.strong_count() > 0);
        all.push(Arc::downgrade(&running));
        let (watch, ended) = mpsc::channel();
        let watched = Arc::clone(&running);
        thread::spawn(move || watched.watch(&ended, check_interval, patience));
        Ok(Process { running, stdin, stderr, _watch: watch })
    }

    /// Writes bytes to the program.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else { return Ok(()) };
        self.running.awaited.store(true, Ordering::Relaxed);
        // In parts, so that a program counts as busy while it slowly takes a large picture.
        let written = bytes.chunks(1 << 16).try_for_each(|part| {
            stdin.write_all(part)?;
            self.running.taken.fetch_add(part.len() as u64, Ordering::Relaxed);
            Ok(())
        });
        self.running.awaited.store(false, Ordering::Relaxed);
        written
    }

    /// Lets it finish, and returns whether it has succeeded.
    pub(crate) fn end(&mut self) -> bool {
        self.running.awaited.store(true, Ordering::Relaxed);
        let flushed = self.stdin.take().is_none_or(|mut stdin| stdin.flush().is_ok());
        let ended = self.running.wait().is_ok_and(|status| status.success());
        flushed && ended
    }

    /// Explains its failure: its stderr output, or its exit status.
    /// Fails if the kernel ended it because its file became too large.
    pub(crate) fn failure_message(&mut self) -> io::Result<String> {
        // Errors of writing and a full disk are no news: its own output explains them.
        self.stdin.take().into_iter().for_each(|stdin| drop(stdin.into_parts()));
        self.running.awaited.store(true, Ordering::Relaxed);
        let status = self.running.wait();
        if self.running.hung.load(Ordering::Relaxed) {
            let seconds = PATIENCE.as_secs();
            return Ok(format!("it was ended because it did nothing for {seconds} s"));
        }
        if status.as_ref().is_ok_and(|status| status.signal() == Some(Signal::XFSZ.as_raw())) {
            return Err(rustix::io::Errno::FBIG.into());
        }
        let said = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let said = said.trim();
        Ok(match (said.is_empty(), status) {
            (false, _) => said.chars().take(MAX_OUTPUT).collect(),
            (true, Ok(status)) => format!("it ended with {status}"),
            (true, Err(error)) => error.to_string(),
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.running.kill();
        let _ = self.running.wait();
    }
}

impl Running {
    fn child(&self) -> MutexGuard<'_, (Child, Option<ExitStatus>)> {
        // The process stays valid even if a thread panicked while it held the lock.
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it with everything that it has started.
    fn kill(&self) {
        let (_, ended) = &*self.child();
        if ended.is_none() {
            // As long as nobody has reaped it, its number belongs to it.
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }

    /// Waits for its end, and ends its leftover children.
    fn wait(&self) -> io::Result<ExitStatus> {
        if let Some(status) = self.child().1 {
            return Ok(status);
        }
        // Without the lock, because another thread may want to kill it. Its number stays its own.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(self.pid), options), Err(rustix::io::Errno::INTR)) {}
        let (child, ended) = &mut *self.child();
        if let Some(status) = ended {
            return Ok(*status);
        }
        let _ = kill_process_group(self.pid, Signal::KILL);
        Ok(*ended.insert(child.wait()?))
    }

    /// Ends it if it does nothing while the arena waits for it.
    fn watch(&self, ended: &Receiver<()>, check_interval: Duration, patience: Duration) {
        let mut last = self.work();
        let mut since = Instant::now();
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(check_interval) {
            let work = self.work();
            if work != last || !self.awaited.load(Ordering::Relaxed) {
                (last, since) = (work, Instant::now());
            } else if since.elapsed() >= patience {
                self.hung.store(true, Ordering::Relaxed);
                return self.kill();
            }
        }
    }

    /// Returns its work so far: bytes taken and written, and CPU time.
    fn work(&self) -> (u64, u64, String) {
        let written = fs::metadata(&self.file).map_or(0, |facts| facts.len());
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid.as_raw_nonzero()));
        // After the name, which may hold anything: 11 fields further are the CPU times of it and of
        // its reaped children.
        let stat = stat.unwrap_or_default();
        let times = stat.rsplit(')').next().unwrap_or("").split_whitespace().skip(11).take(4);
        (self.taken.load(Ordering::Relaxed), written, times.collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use std::{os::unix::process::CommandExt, process::Stdio};

    use super::*;

    fn shell(script: &str, patience: Duration) -> Process {
        let mut command = Command::new("sh");
        command.args(["-c", script]).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let check_interval = Duration::from_millis(10);
        Process::start(command, Path::new("sh"), Path::new("none"), (check_interval, patience))
            .unwrap()
    }

    #[test]
    fn a_program_that_does_nothing_is_ended_with_what_it_has_started() {
        let mut process = shell("sleep 1000 & echo $! >&2; wait", Duration::from_millis(300));
        // More than the pipe holds.
        while process.write(&[0; 1 << 16]).is_ok() {}
        assert_eq!(
            process.failure_message().unwrap(),
            "it was ended because it did nothing for 60 s"
        );
        let child = process.stderr.take().unwrap().join().unwrap();
        // A killed process needs the processor once more to end.
        let begun = Instant::now();
        let stat =
            || fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        while !stat().is_empty() && !stat().contains(") Z") {
            assert!(begun.elapsed() < Duration::from_secs(60), "{}", stat());
            thread::yield_now();
        }
    }

    #[test]
    fn a_program_that_works_or_is_not_awaited_is_left_alone() {
        // Long enough for the busy one to get a core, under any load.
        let patience = Duration::from_secs(1);
        let mut process = shell("while :; do :; done", patience);
        let mut idle = shell("sleep 1000", patience);
        process.running.awaited.store(true, Ordering::Relaxed);
        thread::sleep(2 * patience + patience / 2);
        for process in [&process, &idle] {
            assert!(!process.running.hung.load(Ordering::Relaxed));
        }
        process.running.kill();
        idle.running.kill();
        for process in [&mut process, &mut idle] {
            assert!(process.failure_message().unwrap().contains("SIGKILL"));
        }
    }
}
