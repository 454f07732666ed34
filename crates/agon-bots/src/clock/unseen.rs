//! Estimates the CPU time of helpers that ended without a trace.
//!
//! Linux adds the time of a process that has ended to that of the parent that waits for it. But a
//! parent may refuse to wait (`SIGCHLD` ignored, or `SA_NOCLDWAIT`), and then the time is lost. So
//! the helpers are looked at again and again, at moments that no bot foresees. Who was busy at one
//! look and is gone at the next stands for what was busy in between: that wall time is charged, as
//! far as the measured CPU time does not account for it. So is what each had run before, below the
//! hundredth of a second that the kernel counts in.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use agon_sandbox::{Member, Tree};

/// The shortest time between two looks, and the most that is added at random.
const SHORTEST: Duration = Duration::from_millis(4);
const RANDOM_MS: u64 = 16;

/// Returns the time until the next look. It is random, so that no bot can hide from all looks.
pub(super) fn until_next_look() -> Duration {
    SHORTEST + Duration::from_millis(RandomState::new().hash_one(0) % RANDOM_MS)
}

/// What the kernel counts in. Only after so much does it show what was estimated before.
const TICK: Duration = Duration::from_millis(10);

/// The estimate for the helpers of a bot.
#[derive(Debug, Default)]
pub(super) struct Unseen {
    /// The estimate so far.
    pub(super) cpu: Duration,
    /// The part of it that may still be measured, because somebody waited for a helper after all.
    early: Duration,
    last: Option<Look>,
}

/// The helpers at a moment.
#[derive(Debug)]
struct Look {
    at: Instant,
    /// Their measured CPU time.
    cpu: Duration,
    /// Each of them.
    helpers: BTreeMap<Identity, Helper>,
}

/// A helper at a moment.
#[derive(Clone, Copy, Debug)]
struct Helper {
    /// Its share of a core; 0 if it was idle.
    share: f64,
    /// CPU time that the measured one does not show yet.
    below_tick: Duration,
}

/// A process: its number, and its start, because numbers are used again.
type Identity = (i32, u64);

impl Unseen {
    /// Looks at the helpers, and returns those that exist and their measured CPU time.
    pub(super) fn look(&mut self, tree: &Tree) -> (Vec<Member>, Duration) {
        let (members, cpu) = tree.helpers();
        let helper = |member: &Member| {
            // The state and the times are those of the first thread alone.
            if member.threads > 1 {
                return Helper { share: 1.0, below_tick: Duration::ZERO };
            }
            let (ran, share) = tree.time_on_core(member.pid);
            let share = if member.ready { share } else { 0.0 };
            Helper { share, below_tick: ran.saturating_sub(member.cpu).min(TICK) }
        };
        let helpers = members.iter().map(|member| (identity(member), helper(member))).collect();
        self.note(Look { at: Instant::now(), cpu, helpers });
        (members, cpu)
    }

    /// Forgets the helpers of the last look, because nobody looked for a while.
    ///
    /// The measured time of that look stays: if some of it gets lost meanwhile, later helpers must
    /// not have it for nothing.
    pub(super) fn pause(&mut self) {
        self.last.iter_mut().for_each(|last| last.helpers.clear());
    }

    fn note(&mut self, now: Look) {
        if let Some(last) = &self.last {
            let gone = last.helpers.iter().filter(|(id, _)| !now.helpers.contains_key(id));
            let gone: Vec<&Helper> = gone.map(|(_, helper)| helper).collect();
            let share: f64 = gone.iter().map(|helper| helper.share).sum();
            let passed = now.at.saturating_duration_since(last.at).mul_f64(share);
            let before: Duration = gone.iter().map(|helper| helper.below_tick).sum();
            // Measured time never shrinks, unless it is lost.
            let lost = last.cpu.saturating_sub(now.cpu);
            let measured = now.cpu.saturating_sub(last.cpu);
            let estimate = before + passed;
            // What was estimated in an earlier look may be measured only now.
            let again = measured.saturating_sub(estimate).min(self.early);
            let more = estimate.saturating_sub(measured);
            self.early = (self.early - again + before.min(more)).min(TICK);
            self.cpu = self.cpu + lost + more - again;
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
            let helper = Helper { share: 1.0, below_tick: Duration::ZERO };
            let helpers = busy.iter().map(|&pid| ((pid, 0), helper)).collect();
            unseen.note(Look { at, cpu: Duration::from_millis(cpu), helpers });
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
        let helper = Helper { share: 0.25, below_tick: Duration::ZERO };
        let look = |at, helpers| Look { at, cpu: Duration::ZERO, helpers };
        unseen.note(look(at, BTreeMap::from([((2, 0), helper)])));
        unseen.note(look(at + Duration::from_millis(20), BTreeMap::new()));
        assert_eq!(unseen.cpu, Duration::from_millis(5));
    }

    /// Looks 10 ms apart at 20 helpers, each of which has run for 3 ms: at each look there are
    /// others. `measured` is what the kernel shows for each look, in milliseconds.
    fn short_ones(measured: u64) -> Duration {
        let mut unseen = Unseen::default();
        let at = Instant::now();
        for number in 0..10 {
            let helper = Helper { share: 0.0, below_tick: Duration::from_millis(3) };
            let helpers = (0..20).map(|pid| ((number * 20 + pid, 0), helper)).collect();
            let at = at + Duration::from_millis(10) * number as u32;
            let cpu = Duration::from_millis(measured * number as u64);
            unseen.note(Look { at, cpu, helpers });
        }
        unseen.cpu
    }

    #[test]
    fn what_many_short_ones_had_run_counts_once() {
        assert_eq!(short_ones(0), Duration::from_millis(9 * 60), "nobody waited for them");
        assert_eq!(short_ones(60), Duration::ZERO, "somebody waited for all");
        assert!(short_ones(61) < TICK);
    }

    #[test]
    fn what_is_measured_late_was_estimated_once() {
        let mut unseen = Unseen::default();
        let at = Instant::now();
        // Each look finds the one before gone, which ran for 3 ms; the kernel shows the sum in
        // ticks.
        for (number, ticks) in [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3].into_iter().enumerate() {
            let helper = Helper { share: 0.0, below_tick: Duration::from_millis(3) };
            let helpers = BTreeMap::from([((number as i32, 0), helper)]);
            unseen.note(Look { at, cpu: TICK * ticks, helpers });
        }
        assert!(unseen.cpu <= TICK, "{:?}", unseen.cpu);
    }

    #[test]
    fn what_is_lost_while_nobody_looks_is_nobodys_credit() {
        let mut unseen = Unseen::default();
        let look = |cpu| Look {
            at: Instant::now(),
            cpu: Duration::from_millis(cpu),
            helpers: BTreeMap::new(),
        };
        unseen.note(look(400));
        unseen.pause();
        unseen.note(look(0));
        assert_eq!(unseen.cpu, Duration::from_millis(400), "the sum never shrinks");
    }

    #[test]
    fn the_looks_have_no_rhythm() {
        let times: std::collections::BTreeSet<Duration> =
            (0..100).map(|_| until_next_look()).collect();
        assert!(times.len() > 3 && times.iter().all(|time| *time < Duration::from_millis(20)));
    }
}
