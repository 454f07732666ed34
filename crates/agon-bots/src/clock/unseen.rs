//! Estimates the CPU time of helpers that ended without a trace.
//!
//! Linux adds the time of a process that has ended to that of the parent that waits for it. But a
//! parent may refuse to wait (`SIGCHLD` ignored, or `SA_NOCLDWAIT`), and then the time is lost. So
//! the helpers are looked at again and again, at moments that no bot foresees. Who was busy at one
//! look and is gone at the next stands for what was busy in between: that wall time is charged, as
//! far as the measured CPU time does not account for it.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};

use agon_sandbox::{Member, Tree};

/// The shortest time between two looks, and the most that is added at random.
const SHORTEST: Duration = Duration::from_millis(4);
const RANDOM_MS: u64 = 16;

/// Returns the time until the next look. It is random, so that no bot can hide from all looks.
pub(super) fn until_next_look() -> Duration {
    SHORTEST + Duration::from_millis(RandomState::new().hash_one(0) % RANDOM_MS)
}

/// The estimate for the helpers of a bot.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// The estimate so far.
    pub(super) cpu: Duration,
    last: Option<Look>,
}

/// The helpers at a moment.
#[derive(Debug)]
struct Look {
    at: Instant,
    /// Their measured CPU time.
    cpu: Duration,
    /// Those that were busy, with their shares of a core.
    busy: BTreeMap<Identity, f64>,
}

/// A process: its number, and its start, because numbers are used again.
type Identity = (i32, u64);

impl Unseen {
    /// Looks at the helpers, and returns those that exist and their measured CPU time.
    pub(super) fn look(&mut self, tree: &Tree) -> (Vec<Member>, Duration) {
        let (members, cpu) = tree.helpers();
        let share = |member: &Member| match member.threads {
            0 | 1 => tree.share_of_core(member.pid),
            // The state is that of the first thread alone.
            _ => 1.0,
        };
        let busy = members.iter().filter(|member| member.ready || member.threads > 1);
        let busy = busy.map(|member| (identity(member), share(member))).collect();
        let present = members.iter().map(identity).collect();
        self.note(Look { at: Instant::now(), cpu, busy }, &present);
        (members, cpu)
    }

    /// Forgets who was busy at the last look, because nobody looked for a while.
    ///
    /// The measured time of that look stays: if some of it gets lost meanwhile, later helpers must
    /// not have it for nothing.
    pub(super) fn pause(&mut self) {
        self.last.iter_mut().for_each(|last| last.busy.clear());
    }

    fn note(&mut self, now: Look, present: &BTreeSet<Identity>) {
        if let Some(last) = &self.last {
            let gone = last.busy.iter().filter(|(identity, _)| !present.contains(identity));
            let share: f64 = gone.map(|(_, share)| share).sum();
            let passed = now.at.saturating_duration_since(last.at).mul_f64(share);
            // Measured time never shrinks, unless it is lost.
            let lost = last.cpu.saturating_sub(now.cpu);
            self.cpu += lost + passed.saturating_sub(now.cpu.saturating_sub(last.cpu));
        }
        self.last = Some(now);
    }
}

fn identity(member: &Member) -> Identity {
    (member.pid, member.started)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks 10 ms apart, each with the measured CPU time and the busy helpers in milliseconds;
    /// returns the estimate after each.
    fn estimates(looks: &[(u64, &[i32])]) -> Vec<u128> {
        let mut unseen = Unseen::default();
        let mut at = Instant::now();
        let mut note = |&(cpu, busy): &(u64, &[i32])| {
            at += Duration::from_millis(10);
            let present: BTreeSet<Identity> = busy.iter().map(|&pid| (pid, 0)).collect();
            let busy = present.iter().map(|&identity| (identity, 1.0)).collect();
            unseen.note(Look { at, cpu: Duration::from_millis(cpu), busy }, &present);
            unseen.cpu.as_millis()
        };
        looks.iter().map(&mut note).collect()
    }

    #[test]
    fn what_is_measured_is_not_estimated() {
        assert_eq!(estimates(&[(0, &[2]), (10, &[2]), (20, &[2])]), [0, 0, 0]);
        // A shell that waits for each of its commands.
        assert_eq!(estimates(&[(0, &[2]), (10, &[3]), (20, &[4])]), [0, 0, 0]);
        assert_eq!(estimates(&[(0, &[]), (0, &[2]), (50, &[])]), [0, 0, 0]);
    }

    #[test]
    fn who_leaves_without_a_trace_costs_wall_time() {
        // Each runs for less than the kernel's tick.
        assert_eq!(estimates(&[(0, &[2]), (0, &[3]), (0, &[4]), (0, &[])]), [0, 10, 20, 30]);
        assert_eq!(estimates(&[(0, &[2, 3]), (0, &[])]), [0, 20]);
        // Time that was measured once is gone.
        assert_eq!(estimates(&[(0, &[2]), (10, &[2]), (20, &[2]), (0, &[3])]), [0, 0, 0, 30]);
    }

    #[test]
    fn who_waited_for_a_core_costs_less() {
        let mut unseen = Unseen::default();
        let at = Instant::now();
        let look = |at, busy: &[(Identity, f64)]| Look {
            at,
            cpu: Duration::ZERO,
            busy: busy.iter().copied().collect(),
        };
        unseen.note(look(at, &[((2, 0), 0.25)]), &BTreeSet::from([(2, 0)]));
        unseen.note(look(at + Duration::from_millis(20), &[]), &BTreeSet::new());
        assert_eq!(unseen.cpu, Duration::from_millis(5));
    }

    #[test]
    fn the_looks_have_no_rhythm() {
        let times: BTreeSet<Duration> = (0..100).map(|_| until_next_look()).collect();
        assert!(times.len() > 3 && times.iter().all(|time| *time < Duration::from_millis(20)));
    }
}
