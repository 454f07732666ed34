//! A process group that dies with its owner.

use std::{
    process::Child,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::process::{Pid, Signal, kill_process_group};

/// Kills all bots and whatever they have started, for an arena that is about to end without dropping them.
///
/// Bots that are started later only die with the arena.
pub fn kill_all() {
    for &group in running().iter() {
        // Fails only if all are dead already.
        let _ = kill_process_group(group, Signal::KILL);
    }
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
        // Fails only if all are dead already.
        let _ = kill_process_group(self.id(), Signal::KILL);
        let _ = self.leader.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
