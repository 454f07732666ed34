//! Decides whether a match is void because the machine stood still. `agon-arena` plays void matches
//! again.
//!
//! A bot that has used up its limit with its own CPU time is late, whatever the machine did.
//!
//! A bot can make the arena stand still itself, with as many busy processes as it may have. So only
//! the part of a stall counts that the bots' own work does not explain. If the cause stays unknown
//! in attempt after attempt, and the same bot alone is late each time, it is that bot's matter. So
//! no bot can make a match void that it is about to lose.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::{self, Thread};
use std::{io, sync::Arc, sync::atomic::Ordering::Relaxed, time::Duration};

use agon_core::{Fault, FaultKind, Player};

use crate::{TurnNote, bot::BatchLimits, replay::Void};

/// A bot that was late in each earlier attempt at a match, when nobody else was.
///
/// Each time the machine stood still, and nobody knows why. If that happens once more, it is the
/// bot's own fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The bot's player.
    pub player: Player,
    /// The number of attempts.
    pub attempts: usize,
}

impl Suspect {
    /// The number of attempts that are void before lateness is the bot's own fault.
    pub const ATTEMPTS: usize = 2;

    /// Says in a fault why the match counts, although the machine stood still for so long.
    pub(crate) fn explain(self, fault: &mut Fault, stall: Duration) {
        fault.detail.push_str(&format!(
            "; the arena stood still for {} ms, but the match counts, as this bot was late alone \
             in {} attempts before",
            millis(stall),
            self.attempts
        ));
    }
}

/// A stall of this length makes a match void in any case. A bot that plans with the wall clock has
/// lost, or thinks it has lost, much of its time for an answer.
pub const VOID_STALL: Duration = Duration::from_secs(1);

/// A stall of this length makes a match void if a bot was late in the same step. Then it is unknown
/// whether the bot or the machine was too slow.
pub const VOID_STALL_WITH_TIMEOUT: Duration = Duration::from_millis(100);

/// Watches for stalls in a match in which they can do harm.
pub(crate) struct Stalls {
    watch: StallWatch,
    verdict: StallVerdict,
}

impl Stalls {
    /// Starts to watch. `limits` are those of each player.
    ///
    /// `None` if no player has any: then the match is the same on every machine.
    pub(crate) fn watch(
        limits: Vec<Option<BatchLimits>>,
        suspect: Option<Suspect>,
    ) -> io::Result<Option<Stalls>> {
        if limits.iter().all(Option::is_none) {
            return Ok(None);
        }
        Ok(Some(Stalls {
            watch: StallWatch::start()?,
            verdict: StallVerdict::new(limits, suspect),
        }))
    }

    /// Notes the start of a step. Before it bots had nothing to do.
    pub(crate) fn begin_step(&mut self) {
        let stall = self.watch.take();
        let none = vec![Work::default(); self.verdict.limits.len()];
        self.verdict.hear(stall, &mut [], &none);
    }

    /// Notes the end of a step, with its faults and the costs of its answers.
    ///
    /// `used` returns for each player the CPU time that it has used since its question, and since
    /// its answer. It is called only after a stall.
    pub(crate) fn end_step(
        &mut self,
        faults: &mut [Fault],
        notes: &[TurnNote],
        used: &mut dyn FnMut() -> Vec<(Duration, Duration)>,
    ) {
        let stall = self.watch.take();
        let mut work = vec![Work::default(); self.verdict.limits.len()];
        if stall >= VOID_STALL_WITH_TIMEOUT {
            // A bot that is busy after its answer, or while another one is asked, delays the
            // arena, too.
            for (work, (_, since_answer)) in work.iter_mut().zip(used()) {
                work.cpu = since_answer;
            }
        }
        for TurnNote { player, decisions, turn } in notes {
            let cost = turn.cost.and_then(|cost| cost.cpu).unwrap_or_default();
            let limit = self.verdict.next_limit(*player, *decisions);
            let work = &mut work[player.index()];
            work.cpu += cost;
            work.is_over_limit = limit.is_some_and(|limit| cost >= limit);
        }
        self.verdict.hear(stall, faults, &work);
    }

    /// Returns the longest stall of any cause, the reason why the match is void, if it is, and who
    /// alone was late then.
    pub(crate) fn close(mut self) -> (Duration, Option<Void>, Option<Player>) {
        self.begin_step();
        (self.watch.longest(), self.verdict.void(), self.verdict.late_alone)
    }
}

/// What a bot did in a step.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Its CPU time.
    cpu: Duration,
    /// Whether its answer alone took all the CPU time that it may take.
    is_over_limit: bool,
}

/// The conclusion from the stalls so far.
#[derive(Debug, Default)]
struct StallVerdict {
    /// The limits, by player.
    limits: Vec<Option<BatchLimits>>,
    /// Who has been asked before, by player.
    asked: Vec<bool>,
    /// The longest stall that no bot explains.
    longest: Duration,
    /// Whose lateness is its own matter, whatever the machine does.
    suspect: Option<Suspect>,
    /// The first stall in which a bot was late, and that bot if it was the only one.
    late: Option<Void>,
    late_alone: Option<Player>,
}

impl StallVerdict {
    fn new(limits: Vec<Option<BatchLimits>>, suspect: Option<Suspect>) -> StallVerdict {
        let asked = vec![false; limits.len()];
        StallVerdict { limits, asked, suspect, ..StallVerdict::default() }
    }

    /// Returns the limit of a player's next answer, without the bank.
    fn next_limit(&mut self, player: Player, decisions: u64) -> Option<Duration> {
        let asked = std::mem::replace(&mut self.asked[player.index()], true);
        let BatchLimits { clock, each } = self.limits[player.index()]?;
        let limit = if asked { clock.then } else { clock.first };
        let decisions = u32::try_from(decisions).unwrap_or(u32::MAX);
        Some(limit.saturating_add(each.saturating_mul(decisions)))
    }

    /// Notes a stall in a step with these faults; `work` is what each player did in the step.
    fn hear(&mut self, stall: Duration, faults: &mut [Fault], work: &[Work]) {
        // A bot was ended because it used too much. How much it used in the end is unknown.
        let exceeded = |player: Option<Player>| {
            faults.iter().any(|fault| {
                fault.evidence.exceeded && player.is_none_or(|own| own == fault.player)
            })
        };
        let is_spoilt = |fault: &&Fault| {
            fault.kind == FaultKind::Timeout
                && self.limits[fault.player.index()].is_some()
                && !exceeded(Some(fault.player))
                && !work[fault.player.index()].is_over_limit
                && stall.saturating_sub(work[fault.player.index()].cpu) >= VOID_STALL_WITH_TIMEOUT
        };
        let mut late: Vec<(Player, u64)> =
            faults.iter().filter(is_spoilt).map(|fault| (fault.player, fault.step)).collect();
        late.dedup_by_key(|(player, _)| *player);
        let alone = match late[..] {
            // Nobody else's work may have made it late.
            [(player, _)] => Player::all(work.len())
                .filter(|other| *other != player)
                .all(|other| work[other.index()].cpu < stall / 2)
                .then_some(player),
            _ => None,
        };
        let is_explained = exceeded(None);
        if let Some(suspect) = self.suspect.filter(|suspect| Some(suspect.player) == alone) {
            let is_own = |fault: &&mut Fault| {
                fault.player == suspect.player && fault.kind == FaultKind::Timeout
            };
            faults.iter_mut().filter(is_own).for_each(|fault| suspect.explain(fault, stall));
            return;
        }
        if !is_explained {
            let most = work.iter().map(|work| work.cpu).max().unwrap_or_default();
            self.longest = self.longest.max(stall.saturating_sub(most));
        }
        if let (None, Some(&(_, step))) = (self.late, late.first()) {
            self.late = Some(Void::Timeout { stall_ms: millis(stall), step });
            self.late_alone = alone;
        }
    }

    fn void(&self) -> Option<Void> {
        let stall = || Void::Stall { stall_ms: millis(self.longest) };
        self.late.or_else(|| (self.longest >= VOID_STALL).then(stall))
    }
}

/// How long the thread sleeps at a time: it uses some microseconds 50 times a second.
const PERIOD: Duration = Duration::from_millis(20);

/// Watches for stalls until it is dropped.
#[derive(Debug)]
pub(crate) struct StallWatch {
    beats: Arc<Beats>,
    thread: Thread,
}

impl StallWatch {
    /// Starts to watch, on the cores that the calling thread may use.
    pub(crate) fn start() -> io::Result<StallWatch> {
        let beats = Arc::new(Beats::starting_at(now()));
        let shared = Arc::clone(&beats);
        let watch = move || {
            while !shared.over.load(Relaxed) {
                thread::park_timeout(PERIOD);
                shared.beat(now());
            }
        };
        let thread =
            thread::Builder::new().name("stalls".to_owned()).spawn(watch)?.thread().clone();
        Ok(StallWatch { beats, thread })
    }

    /// Returns the longest stall so far.
    pub(crate) fn longest(&self) -> Duration {
        self.beats.longest(now())
    }

    /// Returns the longest stall since the last call.
    pub(crate) fn take(&self) -> Duration {
        self.beats.take(now())
    }
}

impl Drop for StallWatch {
    fn drop(&mut self) {
        // Does not wait for the thread, which ends when it next gets a core.
        self.beats.over.store(true, Relaxed);
        self.thread.unpark();
    }
}

/// Returns a time in whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The last time that the thread woke, and how late it was. All times are in nanoseconds.
#[derive(Debug, Default)]
struct Beats {
    last: AtomicU64,
    longest: AtomicU64,
    untaken: AtomicU64,
    over: AtomicBool,
}

impl Beats {
    fn starting_at(now: u64) -> Beats {
        Beats { last: AtomicU64::new(now), ..Beats::default() }
    }

    /// Notes that the thread has woken.
    fn beat(&self, now: u64) {
        let late = self.late(now);
        self.longest.fetch_max(late, Relaxed);
        self.untaken.fetch_max(late, Relaxed);
        self.last.store(now, Relaxed);
    }

    /// Returns how late the thread would be now: after a stall the match may wake up before it.
    fn late(&self, now: u64) -> u64 {
        now.saturating_sub(self.last.load(Relaxed)).saturating_sub(PERIOD.as_nanos() as u64)
    }

    fn longest(&self, now: u64) -> Duration {
        Duration::from_nanos(self.longest.load(Relaxed).max(self.late(now)))
    }

    fn take(&self, now: u64) -> Duration {
        Duration::from_nanos(self.untaken.swap(0, Relaxed).max(self.late(now)))
    }
}

/// Returns the nanoseconds since the start of the computer, including suspended times.
#[cfg(target_os = "linux")]
fn now() -> u64 {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::Boottime);
    // Neither is negative.
    (time.tv_sec as u64).saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64)
}

/// Returns the nanoseconds since the first call. Suspended times may be missing.
#[cfg(not(target_os = "linux"))]
fn now() -> u64 {
    use std::{sync::OnceLock, time::Instant};

    static FIRST: OnceLock<Instant> = OnceLock::new();
    let time = FIRST.get_or_init(Instant::now).elapsed();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use agon_core::Evidence;

    use super::*;
    use crate::bot::Clock;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn limits() -> Option<BatchLimits> {
        let clock = Clock { first: ms(1_000), ..Clock::cpu(ms(60)) };
        Some(BatchLimits { clock, each: ms(10) })
    }

    fn work(cpu: u64) -> Work {
        Work { cpu: ms(cpu), is_over_limit: false }
    }

    fn fault(player: u16, kind: FaultKind, exceeded: bool) -> Fault {
        let evidence = Evidence { exceeded, ..Evidence::default() };
        Fault { player: Player(player), step: 7, kind, detail: String::new(), evidence, count: 1 }
    }

    /// What follows from one step in which the first of two bots has a clock. `work` is what each
    /// did in milliseconds.
    fn after(stall: u64, faults: &[Fault], work: [u64; 2]) -> Option<Void> {
        let mut verdict = StallVerdict::new(vec![limits(), None], None);
        verdict.hear(ms(stall), &mut faults.to_vec(), &work.map(self::work));
        verdict.void()
    }

    #[test]
    fn who_used_up_the_limit_is_late_whatever_the_machine_does() {
        let late = fault(0, FaultKind::Timeout, false);
        let mut verdict = StallVerdict::new(vec![limits(), None], None);
        let limits = [(); 2].map(|()| verdict.next_limit(Player(0), 3));
        assert_eq!(limits, [Some(ms(1_030)), Some(ms(90))]);
        assert_eq!(verdict.next_limit(Player(1), 3), None);
        for (is_over_limit, is_void) in [(true, false), (false, true)] {
            let own = Work { cpu: ms(90), is_over_limit };
            verdict.hear(ms(256), std::slice::from_mut(&mut late.clone()), &[own, work(0)]);
            assert_eq!(verdict.void().is_some(), is_void);
        }
    }

    #[test]
    fn who_alone_was_late_before_is_at_fault_the_next_time() {
        let suspect = Some(Suspect { player: Player(1), attempts: 2 });
        let hear = |late: &[u16], work: [u64; 3]| {
            let mut verdict = StallVerdict::new(vec![limits(); 3], suspect);
            let mut faults: Vec<Fault> =
                late.iter().map(|&player| fault(player, FaultKind::Timeout, false)).collect();
            verdict.hear(ms(1_800), &mut faults, &work.map(self::work));
            let alone = verdict.late_alone.map(|player| player.0);
            (verdict.void().is_some(), alone, faults[0].detail.clone())
        };
        let (is_void, _, detail) = hear(&[1], [0; 3]);
        assert!(!is_void && detail.contains("stood still for 1800 ms"), "{detail}");
        assert!(detail.contains("late alone in 2 attempts before"), "{detail}");
        assert_eq!(hear(&[0], [0; 3]), (true, Some(0), String::new()), "that is another one");
        assert_eq!(hear(&[0, 1], [0; 3]), (true, None, String::new()), "it is not alone");
        assert_eq!(hear(&[1, 2], [0; 3]), (true, None, String::new()));
        assert_eq!(hear(&[1], [900, 0, 0]), (true, None, String::new()), "another one was busy");
    }

    #[test]
    fn a_second_makes_a_match_void() {
        assert_eq!(after(999, &[], [0, 0]), None);
        assert_eq!(after(1_000, &[], [0, 0]), Some(Void::Stall { stall_ms: 1000 }));
    }

    #[test]
    fn a_late_bot_makes_a_match_void_only_with_a_stall() {
        let late = [fault(0, FaultKind::Garbage, false), fault(0, FaultKind::Timeout, false)];
        assert_eq!(after(250, &late, [0, 0]), Some(Void::Timeout { stall_ms: 250, step: 7 }));
        assert_eq!(after(99, &late, [0, 0]), None);
        assert_eq!(after(250, &late[..1], [0, 0]), None);
        let fuel = fault(1, FaultKind::Timeout, false);
        assert_eq!(after(250, &[fuel], [0, 0]), None, "fuel does not stall");
    }

    #[test]
    fn what_a_bot_does_itself_makes_no_match_void() {
        let late = [fault(0, FaultKind::Timeout, false)];
        assert_eq!(after(600, &late, [900, 0]), None, "it was busy all the time");
        assert_eq!(after(600, &late, [0, 900]), Some(Void::Timeout { stall_ms: 600, step: 7 }));
        assert_eq!(after(600, &late, [100, 0]), Some(Void::Timeout { stall_ms: 600, step: 7 }));
        assert_eq!(after(3_000, &[], [0, 2_100]), None);
        let exceeded = [fault(0, FaultKind::Timeout, true)];
        assert_eq!(after(3_000, &exceeded, [0, 0]), None, "it was ended for what it had started");
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn the_longest_stall_is_kept_and_each_step_has_its_own() {
        let beats = Beats::starting_at(0);
        beats.beat(20 * MS);
        assert_eq!(beats.longest(20 * MS), ms(0));
        beats.beat(540 * MS);
        assert_eq!((beats.longest(540 * MS), beats.take(540 * MS)), (ms(500), ms(500)));
        beats.beat(570 * MS);
        assert_eq!((beats.longest(570 * MS), beats.take(570 * MS)), (ms(500), ms(10)));
    }

    #[test]
    fn a_stall_is_seen_before_the_thread_has_woken() {
        let beats = Beats::starting_at(0);
        assert_eq!((beats.longest(3020 * MS), beats.take(3020 * MS)), (ms(3000), ms(3000)));
        assert_eq!(Beats::starting_at(0).take(15 * MS), ms(0));
    }

    #[test]
    fn the_thread_beats() {
        let watch = StallWatch::start().unwrap();
        let first = watch.beats.last.load(Relaxed);
        while watch.beats.last.load(Relaxed) == first {
            thread::yield_now();
        }
    }
}
