//! Measures how long threads have waited for a core, so that a busy machine costs no bot its time.
//!
//! Linux counts two times for every thread: on a core, and ready to run without a core
//! (`/proc/PID/task/TID/schedstat`, the run delay). The second is the fault of the machine, not of
//! the bot. Linux adds a wait only when it ends. So we also have to ask which threads are waiting
//! at the moment.

use std::{collections::BTreeMap, fs, time::Duration};

use rustix::process::Pid;

/// The threads of some processes at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queues(BTreeMap<i32, Thread>);

/// The times of a thread so far, and its current state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Thread {
    /// Time on a core.
    pub(crate) ran: Duration,
    /// Time ready to run, but not on a core.
    pub(crate) waited: Duration,
    /// Whether it is on a core, or waits for one now.
    pub(crate) ready: bool,
    /// Whether it waits for a disk now, or for another event that no process can delay.
    ///
    /// A thread with children never does: it may wait for them.
    pub(crate) blocked: bool,
}

impl Queues {
    /// Reads all threads of these processes and of their children.
    ///
    /// A script waits for the programs that it runs. `None` if the system does not report threads,
    /// or no process is left.
    pub(crate) fn read(processes: impl IntoIterator<Item = Pid>) -> Option<Queues> {
        let mut threads = BTreeMap::new();
        let mut left: Vec<i32> =
            processes.into_iter().map(|pid| pid.as_raw_nonzero().get()).collect();
        while let Some(pid) = left.pop() {
            let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { continue };
            for task in tasks.flatten() {
                let Some(id) = task.file_name().to_str().and_then(|name| name.parse().ok()) else {
                    continue;
                };
                let read = |file| fs::read_to_string(task.path().join(file)).ok();
                let children = read("children").unwrap_or_default();
                left.extend(
                    children.split_ascii_whitespace().filter_map(|child| child.parse::<i32>().ok()),
                );
                // A thread that ends meanwhile is left out.
                let thread =
                    read("schedstat").zip(read("stat")).and_then(|(a, b)| Thread::parse(&a, &b));
                // In `vfork` a thread waits for its child, which looks like waiting for a disk.
                let waits_for_child = !children.trim_ascii().is_empty();
                let thread = thread
                    .map(|thread| Thread { blocked: thread.blocked && !waits_for_child, ..thread });
                threads.extend(thread.map(|thread| (id, thread)));
            }
        }
        (!threads.is_empty()).then_some(Queues(threads))
    }

    /// Returns whether a thread is ready to run: it uses a core, or would if it got one.
    pub(crate) fn ready(&self) -> bool {
        self.0.values().any(|thread| thread.ready)
    }

    /// Returns whether a thread waits for a disk.
    pub(crate) fn blocked(&self) -> bool {
        self.0.values().any(|thread| thread.blocked)
    }

    /// Returns how long other programs have kept the threads waiting since `before`.
    ///
    /// The delays of threads add up, because threads may work one after another. But while one of
    /// them ran, the others may have waited for it and not for the machine. So that time is taken
    /// off: otherwise a bot with many threads that block each other would have no limit. The result
    /// is at least the wait of the thread that waited longest.
    pub(crate) fn waited_since(&self, before: &Queues) -> Duration {
        let mut sum = Duration::ZERO;
        let mut longest = Duration::ZERO;
        let mut active = 0u32;
        for (ran, waited) in self.since(before) {
            active += u32::from(!(waited.is_zero() && ran.is_zero()));
            (sum, longest) = (sum + waited, longest.max(waited));
        }
        let by_siblings = self.ran_since(before).saturating_mul(active.saturating_sub(1));
        sum.saturating_sub(by_siblings).max(longest)
    }

    /// Returns how long all threads together have run since `before`.
    pub(crate) fn ran_since(&self, before: &Queues) -> Duration {
        self.since(before).map(|(ran, _)| ran).sum()
    }

    /// Returns for each thread how long it has run and waited since `before`.
    fn since<'a>(&'a self, before: &'a Queues) -> impl Iterator<Item = (Duration, Duration)> + 'a {
        self.0.iter().map(|(id, now)| {
            let then = before.0.get(id).copied().unwrap_or_default();
            (now.ran.saturating_sub(then.ran), now.waited.saturating_sub(then.waited))
        })
    }
}

impl Thread {
    /// Parses the files `schedstat` and `stat` of a thread.
    ///
    /// `schedstat` has nanoseconds on a core, nanoseconds of waiting, and a count. The state is the
    /// third field of `stat`, after the name in brackets.
    fn parse(schedstat: &str, stat: &str) -> Option<Thread> {
        let mut times =
            schedstat.split_ascii_whitespace().map(|word| word.parse().map(Duration::from_nanos));
        let ran = times.next()?.ok()?;
        let waited = times.next()?.ok()?;
        let (_, behind_name) = stat.rsplit_once(')')?;
        let state = behind_name.trim_start();
        Some(Thread { ran, waited, ready: state.starts_with('R'), blocked: state.starts_with('D') })
    }
}

#[cfg(test)]
impl<const N: usize> From<[Thread; N]> for Queues {
    fn from(threads: [Thread; N]) -> Queues {
        Queues((1..).zip(threads).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(ran: u64, waited: u64) -> Thread {
        Thread {
            ran: Duration::from_millis(ran),
            waited: Duration::from_millis(waited),
            ..Thread::default()
        }
    }

    #[track_caller]
    fn check<const N: usize>(threads: [(u64, u64); N], expected: u64) {
        let now: Queues = threads.map(|(ran, waited)| thread(1000 + ran, 500 + waited)).into();
        let before: Queues = threads.map(|_| thread(1000, 500)).into();
        assert_eq!(now.waited_since(&before), Duration::from_millis(expected));
    }

    #[test]
    fn the_wait_of_one_thread_is_what_the_system_says() {
        check([(20, 400)], 400);
        check([(20, 0)], 0);
    }

    #[test]
    fn threads_that_work_one_after_another_wait_one_after_another() {
        check([(10, 200), (10, 200)], 380);
        check([(10, 200), (0, 0), (0, 0)], 200);
    }

    #[test]
    fn threads_that_wait_for_each_other_do_not_wait_for_the_machine() {
        // Four threads share one core that nobody else uses: each runs a quarter of 40 ms.
        check([(10, 30); 4], 30);
    }

    #[test]
    fn a_new_thread_counts_from_its_beginning() {
        let before: Queues = [thread(5, 5)].into();
        let now: Queues = [thread(5, 5), thread(0, 70)].into();
        assert_eq!(now.waited_since(&before), Duration::from_millis(70));
    }

    #[test]
    fn the_files_are_read_whatever_the_program_is_called() {
        let read = Thread::parse("1000000 2000000 7\n", "12 (a) S (b)) R 1 1 1").unwrap();
        assert_eq!(read, Thread { ready: true, ..thread(1, 2) });
        assert!(!Thread::parse("1 2 3", "12 (R) S 1").unwrap().ready);
        assert!(Thread::parse("1 2 3", "12 (R) D 1").unwrap().blocked);
        assert_eq!(Thread::parse("", "12 (a) R 1"), None);
    }

    #[test]
    fn this_process_is_ready_and_its_children_are_seen() {
        let queues = Queues::read([rustix::process::getpid()]).unwrap();
        assert!(queues.ready());
        let child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let with_child = Queues::read([rustix::process::getpid()]).unwrap();
        let id = i32::try_from(child.id()).unwrap();
        assert!(with_child.0.contains_key(&id) && !queues.0.contains_key(&id));
        rustix::process::kill_process(Pid::from_raw(id).unwrap(), rustix::process::Signal::KILL)
            .unwrap();
        { child }.wait().unwrap();
        let gone = Pid::from_raw(i32::MAX).unwrap();
        assert!(Queues::read([gone]).is_none());
    }
}
