//! A process group that dies with its owner.

use std::{
    fs,
    process::Child,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::process::{Pid, Signal, getpgid, kill_process, kill_process_group};

/// How many rounds of looking for strays there are, so that a bot that forks all the time does not hold up the arena.
const ROUNDS: u32 = 8;

/// Kills all bots and whatever they have started, for an arena that is about to end without dropping them.
///
/// Bots that are started later only die with the arena.
pub fn kill_all() {
    running().iter().copied().for_each(kill);
}

/// Kills a group, its leader even if that is in another group by now, and the leader's strays. The leader must not
/// have been reaped, so that its number names nobody else.
fn kill(leader: Pid) {
    for _ in 0..ROUNDS {
        let strays = strays(leader);
        if strays.is_empty() {
            break;
        }
        for stray in strays {
            // Fails only if it is dead already.
            let _ = kill_process(stray, Signal::KILL);
        }
    }
    // Both fail only if all are dead already.
    let _ = kill_process_group(leader, Signal::KILL);
    let _ = kill_process(leader, Signal::KILL);
}

/// What a leader has started, directly or not, that is not in its group (any more). Those whose parents have ended
/// are not found: they are somebody else's children now.
fn strays(leader: Pid) -> Vec<Pid> {
    let mut family = vec![leader];
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        next += 1;
        for child in children(parent) {
            if !family.contains(&child) {
                family.push(child);
            }
        }
    }
    family.retain(|&pid| pid != leader && getpgid(Some(pid)).is_ok_and(|group| group != leader));
    family
}

/// The children of a process. None where the kernel does not list them.
fn children(parent: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{}/task", parent.as_raw_nonzero()));
    let lists = threads.into_iter().flatten().flatten();
    let lists = lists.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let pids = |list: String| -> Vec<Pid> {
        list.split_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)).collect()
    };
    lists.flat_map(pids).collect()
}

/// The groups whose leaders have not been reaped, so that their numbers name nobody else.
fn running() -> MutexGuard<'static, Vec<Pid>> {
    static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
    // A list of numbers is valid whatever happened to a thread that held the lock.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process group, killed and reaped when dropped.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) leader: Child,
    pub(super) dead: bool,
}

impl Group {
    pub(super) fn of(leader: Child) -> Group {
        let group = Group { leader, dead: false };
        running().push(group.id());
        group
    }

    pub(super) fn id(&self) -> Pid {
        Pid::from_child(&self.leader)
    }

    /// Kills the group. The leader is reaped only afterwards: until then its number cannot name another group.
    pub(super) fn kill(&mut self) {
        if self.dead {
            return;
        }
        self.dead = true;
        running().retain(|&group| group != self.id());
        kill(self.id());
        let _ = self.leader.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
