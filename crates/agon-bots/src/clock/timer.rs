//! Measuring the time for one answer, and the bank that it may draw on.

use std::{
    cell::{Cell, OnceCell},
    time::{Duration, Instant},
};

use super::{Clock, CpuMeter, Probe, Queues};

/// The check interval for a bot that is over its wall limit but ready to run: it waits for a core
/// just now, or is about to use up its CPU time. The same if it waits for a disk.
const READY_INTERVAL: Duration = Duration::from_millis(20);

/// The check interval for a bot that is over its wall limit only if its waits for a core count.
const WAITING_INTERVAL: Duration = Duration::from_millis(100);

/// The time left for one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// There is no limit.
    Forever,
    /// Nothing has to be checked before this much wall time has passed.
    Wait(Duration),
    /// The time is over.
    Over,
}

/// A bot's bank of time in a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bank {
    whole: Duration,
    left: Duration,
}

impl Bank {
    /// Returns the full bank of a clock.
    pub(crate) fn of(clock: Option<Clock>) -> Bank {
        let whole = clock.map_or(Duration::ZERO, |clock| clock.bank);
        Bank { whole, left: whole }
    }

    /// Takes off the time that an answer took beyond its limit. Call it when the answer has come,
    /// or nobody waits for it any more.
    pub(crate) fn charge(&mut self, timer: &Timer, meter: &CpuMeter) {
        let beyond = match timer.stamp.get() {
            Some(stamp) => stamp.beyond,
            None => timer.beyond_at(timer.started.elapsed(), meter),
        };
        self.left -= beyond.min(self.left);
    }
}

/// Measures the time for one answer.
#[derive(Clone, Debug)]
pub(crate) struct Timer {
    started: Instant,
    /// `None` if the process was gone already.
    cpu_at_start: Option<Duration>,
    limit: Option<Limit>,
    /// The first check of the bot, after the limit had passed in wall time. Quick answers are never
    /// checked, because a check costs some microseconds.
    first_look: OnceCell<FirstLook>,
    /// How long it had waited for a core between the first check and the last one.
    waited: Cell<Duration>,
    /// The time of the answer, once it is there or will not come.
    stamp: Cell<Option<Stamp>>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    time: Duration,
    /// The limit in wall time; the same as `time` if that is wall time itself.
    longest: Duration,
    /// The limit in wall time for a bot that waits for a disk, and for all bots if the system does
    /// not report which threads wait for a core.
    most_patient: Duration,
    bank: Bank,
}

impl Limit {
    fn by_wall(&self) -> bool {
        self.longest == self.time
    }
}

#[derive(Clone, Debug)]
struct FirstLook {
    /// Wall time since the question.
    wall: Duration,
    queues: Option<Queues>,
}

/// The time of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// CPU time; `None` if it cannot be known.
    pub(crate) cpu: Option<Duration>,
    /// Time on the wall.
    pub(crate) wall: Duration,
    /// The time beyond the limit, if there is a bank to pay for it.
    beyond: Duration,
}

impl Timer {
    /// Starts to measure with the first or a later answer's limit.
    pub(crate) fn start(clock: Option<Clock>, first: bool, meter: &CpuMeter) -> Timer {
        Timer::start_with(clock, first, Duration::ZERO, meter)
    }

    /// Starts to measure with `extra` on top of the clock's limit.
    pub(crate) fn start_with(
        clock: Option<Clock>,
        first: bool,
        extra: Duration,
        meter: &CpuMeter,
    ) -> Timer {
        let limit = clock.map(|clock| {
            let base = if first { clock.first } else { clock.then };
            let time = base.saturating_add(extra);
            let longest = clock.longest(time);
            let most_patient = clock.most_patient(time);
            Limit { time, longest, most_patient, bank: Bank::default() }
        });
        Timer {
            started: Instant::now(),
            cpu_at_start: meter.question_begins(),
            limit,
            first_look: OnceCell::new(),
            waited: Cell::default(),
            stamp: Cell::default(),
        }
    }

    /// Adds the rest of a bank to the limit.
    pub(crate) fn banked(mut self, bank: Bank) -> Timer {
        if let Some(limit) = &mut self.limit {
            limit.bank = bank;
        }
        self
    }

    /// Returns the moment of the question, which identifies it.
    pub(crate) fn question(&self) -> Instant {
        self.started
    }

    /// Stops the time: the answer is there, or will not come. Returns its time; only the first call
    /// counts.
    pub(crate) fn stop(&self, probe: &impl Probe) -> Stamp {
        if let Some(stamp) = self.stamp.get() {
            return stamp;
        }
        let wall = self.started.elapsed();
        // A bot that has not been checked before is not checked now either, if it was in time.
        let beyond = self.beyond_at(wall, probe);
        let cpu = self.cpu_at_start.map(|before| probe.known().saturating_sub(before));
        let stamp = Stamp { cpu, wall, beyond };
        self.stamp.set(Some(stamp));
        stamp
    }

    /// Continues the time, because the output was no answer.
    pub(crate) fn go_on(&self) {
        self.stamp.set(None);
    }

    /// Returns the wall time since the question, up to the answer if it is there.
    pub(crate) fn wall(&self) -> Duration {
        self.stamp.get().map_or_else(|| self.started.elapsed(), |stamp| stamp.wall)
    }

    /// Returns the CPU time that the process had used before the question; `None` if it was gone
    /// already.
    pub(crate) fn cpu_at_start(&self) -> Option<Duration> {
        self.cpu_at_start
    }

    /// Returns the time left, by wall and CPU time.
    pub(crate) fn left(&self, meter: &CpuMeter) -> Left {
        self.left_at(self.started.elapsed(), meter)
    }

    fn left_at(&self, wall: Duration, probe: &impl Probe) -> Left {
        let Some(limit) = self.limit else { return Left::Forever };
        if wall < limit.time {
            return Left::Wait(limit.time - wall);
        }
        let longest = limit.longest.saturating_add(limit.bank.left);
        if limit.by_wall() {
            self.first_look.get_or_init(|| FirstLook { wall, queues: None });
            return if wall < longest { Left::Wait(longest - wall) } else { Left::Over };
        }
        let first = self.first_look.get_or_init(|| FirstLook { wall, queues: probe.queues() });
        let most = limit.time.saturating_add(limit.bank.left);
        let cpu = most.saturating_sub(self.cpu(probe));
        if cpu.is_zero() {
            return Left::Over;
        }
        // Not less than a millisecond, so that nobody spins while a bot nears its limit.
        let wait =
            |wall_left: Duration| Left::Wait(cpu.min(wall_left).max(Duration::from_millis(1)));
        // The arena came late for the first check. It does not know how long the bot had waited for
        // a core until then, so that time does not count.
        let wall = wall - first.wall.saturating_sub(limit.time);
        if wall < longest {
            return wait(longest - wall);
        }
        let most_patient = limit.most_patient.saturating_add(limit.bank.left);
        let Some(queues) = probe.queues() else {
            return if wall < most_patient { wait(most_patient - wall) } else { Left::Over };
        };
        // Helpers are included here, too: a bot must not escape its limit by keeping them busy.
        if self.ran(&queues) >= most {
            return Left::Over;
        }
        let charged = wall.saturating_sub(self.waited(&queues));
        match longest.checked_sub(charged) {
            Some(left) if !left.is_zero() => wait(left.min(WAITING_INTERVAL)),
            _ if queues.ready() => wait(READY_INTERVAL),
            _ if queues.blocked() && charged < most_patient => wait(READY_INTERVAL),
            _ => Left::Over,
        }
    }

    /// Returns the CPU time used since the question.
    fn cpu(&self, probe: &impl Probe) -> Duration {
        probe.look_and_measure().saturating_sub(self.cpu_at_start.unwrap_or_default())
    }

    /// Returns how long the bot has waited for a core since the first check.
    fn waited(&self, now: &Queues) -> Duration {
        let before = self.first_look.get().and_then(|first| first.queues.as_ref());
        self.waited.set(before.map_or(Duration::ZERO, |before| now.waited_since(before)));
        self.waited.get()
    }

    /// The same for a bot that may be gone: then the result of the last check.
    fn waited_by_now(&self, probe: &impl Probe) -> Duration {
        probe.queues().map_or_else(|| self.waited.get(), |queues| self.waited(&queues))
    }

    /// Returns how long the threads of the bot and its helpers have run since the first check.
    fn ran(&self, now: &Queues) -> Duration {
        let before = self.first_look.get().and_then(|first| first.queues.as_ref());
        before.map_or(Duration::ZERO, |before| now.ran_since(before))
    }

    /// Returns the time of the answer beyond its limit. If the answer is there at the first check,
    /// only CPU time counts: the wall time may be the arena's fault.
    fn beyond_at(&self, wall: Duration, probe: &impl Probe) -> Duration {
        let Some(limit) = self.limit else { return Duration::ZERO };
        if limit.bank.left.is_zero() || wall < limit.time {
            return Duration::ZERO;
        }
        let first_look = self.first_look.get().map_or(wall, |first| first.wall);
        let wall = wall - first_look.saturating_sub(limit.time);
        if limit.by_wall() {
            return wall.saturating_sub(limit.time);
        }
        let mut beyond_wall = wall.saturating_sub(limit.longest);
        if !beyond_wall.is_zero() {
            beyond_wall = beyond_wall.saturating_sub(self.waited_by_now(probe));
        }
        self.cpu(probe).saturating_sub(limit.time).max(beyond_wall)
    }

    /// Describes the limit, for the fault of a bot that exceeded it.
    pub(crate) fn words(&self, meter: &CpuMeter) -> String {
        self.words_at(self.wall(), meter, meter.measures())
    }

    fn words_at(&self, wall: Duration, probe: &impl Probe, measured: bool) -> String {
        let Some(limit) = self.limit else { return "no limit".to_owned() };
        let cpu = self.cpu(probe);
        let mut words = match measured {
            true => format!("{} ms of CPU time in {} ms", cpu.as_millis(), wall.as_millis()),
            false => format!("{} ms have passed", wall.as_millis()),
        };
        let waited = || self.waited_by_now(probe).as_millis();
        if wall >= limit.longest
            && !limit.by_wall()
            && let waited @ 1.. = waited()
        {
            words.push_str(&format!(", {waited} ms of them waiting for a core"));
        }
        words.push_str(&format!("; the limit is {} ms", limit.time.as_millis()));
        if measured && !limit.by_wall() && cpu < limit.time {
            words.push_str(&format!(
                " of CPU time, and {} ms for a bot that waits for something (does it flush its \
                 output?)",
                limit.longest.as_millis()
            ));
        }
        let Bank { whole, left } = limit.bank;
        if !whole.is_zero() {
            let beyond =
                self.stamp.get().map_or_else(|| self.beyond_at(wall, probe), |stamp| stamp.beyond);
            let now = beyond.min(left);
            let used = whole - left + now;
            words.push_str(&format!(
                ", and {} of {} ms of the bank are used, {} ms of them now",
                used.as_millis(),
                whole.as_millis(),
                now.as_millis()
            ));
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::{super::queues::Thread, *};

    const SECOND: Duration = Duration::from_secs(1);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// A process that has used so much CPU time and waited for so long, and is ready to run or not.
    #[derive(Default)]
    struct Fake {
        cpu: Duration,
        /// CPU time of processes that it has started.
        others: Duration,
        waited: Duration,
        ready: bool,
        /// Whether it waits for a disk.
        blocked: bool,
        /// Whether the system tells of run queues.
        tells: bool,
        looks: Cell<u32>,
    }

    impl Fake {
        fn cpu(cpu: Duration) -> Fake {
            Fake { cpu, tells: true, ..Fake::default() }
        }
    }

    impl Probe for Fake {
        fn look_and_measure(&self) -> Duration {
            self.cpu
        }

        fn known(&self) -> Duration {
            self.cpu
        }

        fn queues(&self) -> Option<Queues> {
            self.looks.set(self.looks.get() + 1);
            let Fake { waited, ready, blocked, .. } = *self;
            let thread = Thread { ran: self.cpu + self.others, waited, ready, blocked };
            self.tells.then(|| [thread].into())
        }
    }

    fn timer(clock: Clock) -> Timer {
        Timer::start(Some(clock), false, &CpuMeter::NONE).banked(Bank::of(Some(clock)))
    }

    /// What is left for a bot that has been looked at when its limit was over.
    fn left(clock: Clock, wall: Duration, cpu: Duration) -> Left {
        let timer = timer(clock);
        timer.left_at(clock.then, &Fake::cpu(Duration::ZERO));
        timer.left_at(wall, &Fake::cpu(cpu))
    }

    #[test]
    fn nothing_is_looked_at_before_the_limit_has_passed_on_the_wall() {
        let fake = Fake { looks: Cell::default(), ..Fake::cpu(5 * SECOND) };
        let timer = timer(Clock::cpu(SECOND).with_bank(SECOND));
        assert_eq!(timer.left_at(ms(400), &fake), Left::Wait(ms(600)));
        assert_eq!(timer.beyond_at(ms(400), &fake), Duration::ZERO);
        assert_eq!(fake.looks.get(), 0);
    }

    #[test]
    fn a_bot_that_was_not_served_gets_the_rest_of_its_cpu_time() {
        assert_eq!(left(Clock::cpu(SECOND), 2 * SECOND, ms(400)), Left::Wait(ms(600)));
        assert_eq!(left(Clock::cpu(SECOND), 2 * SECOND, SECOND), Left::Over);
        assert_eq!(left(Clock::cpu(SECOND), ms(2_700), ms(400)), Left::Wait(ms(300)));
        assert_eq!(left(Clock::cpu(SECOND), 3 * SECOND, ms(0)), Left::Over);
        assert_eq!(left(Clock::cpu(ms(10)), ms(30), ms(2)), Left::Over);
    }

    #[test]
    fn a_wall_clock_looks_at_the_wall_only() {
        assert_eq!(left(Clock::wall(ms(60)), ms(59), SECOND), Left::Wait(ms(1)));
        assert_eq!(left(Clock::wall(ms(60)), ms(60), ms(0)), Left::Over);
        let fake = Fake { waited: ms(50), ready: true, ..Fake::cpu(ms(1)) };
        assert_eq!(timer(Clock::wall(ms(60))).left_at(ms(60), &fake), Left::Over);
        assert_eq!(fake.looks.get(), 0);
    }

    #[test]
    fn without_a_clock_there_is_always_time() {
        let timer = Timer::start(None, true, &CpuMeter::NONE).banked(Bank::default());
        assert_eq!(timer.left_at(1000 * SECOND, &Fake::cpu(1000 * SECOND)), Left::Forever);
    }

    #[test]
    fn waiting_for_a_core_is_not_charged_to_the_wall_limit() {
        let timer = timer(Clock::cpu(SECOND));
        // What it waited before the first look, here 700 ms, is not known.
        let mut fake = Fake { waited: ms(700), ..Fake::cpu(ms(100)) };
        assert_eq!(timer.left_at(SECOND, &fake), Left::Wait(ms(900)));
        fake.waited = ms(10_700);
        assert_eq!(timer.left_at(ms(6_500), &fake), Left::Wait(WAITING_INTERVAL));
        assert_eq!(timer.left_at(ms(12_950), &fake), Left::Wait(ms(50)));
        assert_eq!(timer.left_at(ms(13_000), &fake), Left::Over);
        let words = timer.words_at(ms(13_000), &fake, true);
        let expected = "100 ms of CPU time in 13000 ms, 10000 ms of them waiting for a core; the \
                        limit is 1000 ms of CPU time, and 3000 ms for a bot that waits for \
                        something (does it flush its output?)";
        assert_eq!(words, expected);
    }

    #[test]
    fn a_late_first_look_is_not_charged_to_the_wall_limit() {
        let timer = timer(Clock::cpu(ms(10)));
        let fake = Fake::cpu(ms(1));
        assert_eq!(timer.left_at(ms(200), &fake), Left::Wait(ms(9)));
        assert_eq!(timer.left_at(ms(219), &fake), Left::Wait(ms(1)));
        assert_eq!(timer.left_at(ms(220), &fake), Left::Over);
    }

    #[test]
    fn whoever_is_ready_to_run_is_looked_at_again() {
        let ready = Fake { ready: true, ..Fake::cpu(ms(100)) };
        let timer = timer(Clock::cpu(SECOND));
        assert_eq!(timer.left_at(SECOND, &ready), Left::Wait(ms(900)));
        assert_eq!(timer.left_at(3 * SECOND, &ready), Left::Wait(READY_INTERVAL));
        assert_eq!(timer.left_at(3 * SECOND, &Fake { ready: false, ..ready }), Left::Over);
    }

    #[test]
    fn whoever_waits_for_a_disk_is_waited_for_longer() {
        let blocked = Fake { blocked: true, ..Fake::cpu(ms(100)) };
        let timer = timer(Clock::cpu(SECOND));
        assert_eq!(timer.left_at(SECOND, &blocked), Left::Wait(ms(900)));
        assert_eq!(timer.left_at(3 * SECOND, &blocked), Left::Wait(READY_INTERVAL));
        assert_eq!(timer.left_at(ms(8_999), &blocked), Left::Wait(READY_INTERVAL));
        assert_eq!(timer.left_at(9 * SECOND, &blocked), Left::Over);
    }

    #[test]
    fn busy_helpers_do_not_keep_a_bot_alive() {
        let timer = timer(Clock::cpu(SECOND));
        let mut fake = Fake { ready: true, ..Fake::cpu(Duration::ZERO) };
        assert_eq!(timer.left_at(SECOND, &fake), Left::Wait(SECOND));
        fake.others = ms(900);
        assert_eq!(timer.left_at(3 * SECOND, &fake), Left::Wait(READY_INTERVAL));
        fake.others = SECOND;
        assert_eq!(timer.left_at(3 * SECOND, &fake), Left::Over);
    }

    #[test]
    fn where_the_system_does_not_tell_a_longer_wall_limit_holds() {
        let silent = Fake { cpu: ms(100), ready: true, ..Fake::default() };
        let patient = timer(Clock::cpu(SECOND));
        assert_eq!(patient.left_at(SECOND, &silent), Left::Wait(ms(900)));
        assert_eq!(patient.left_at(ms(8_999), &silent), Left::Wait(ms(1)));
        assert_eq!(patient.left_at(9 * SECOND, &silent), Left::Over);
        let short = timer(Clock::cpu(ms(10)));
        let silent = Fake { cpu: ms(2), ..silent };
        assert_eq!(short.left_at(ms(10), &silent), Left::Wait(ms(8)));
        assert_eq!(short.left_at(ms(999), &silent), Left::Wait(ms(1)));
        assert_eq!(short.left_at(SECOND, &silent), Left::Over);
    }

    #[test]
    fn a_bank_is_behind_both_limits() {
        let clock = Clock::cpu(SECOND).with_bank(2 * SECOND);
        assert_eq!(left(clock, 3 * SECOND, ms(2_900)), Left::Wait(ms(100)));
        assert_eq!(left(clock, 3 * SECOND, 3 * SECOND), Left::Over);
        assert_eq!(left(clock, ms(4_500), ms(100)), Left::Wait(ms(500)));
        assert_eq!(left(clock, 5 * SECOND, ms(100)), Left::Over);
        let wall = Clock::wall(SECOND).with_bank(2 * SECOND);
        assert_eq!(left(wall, ms(2_900), Duration::ZERO), Left::Wait(ms(100)));
        assert_eq!(left(wall, 3 * SECOND, Duration::ZERO), Left::Over);
    }

    /// What an answer takes off a bank: it is waited for from 1 s on, and comes at `wall`.
    fn charge(bank: &mut Bank, clock: Clock, wall: Duration, fake: &Fake) {
        let timer = Timer::start(Some(clock), false, &CpuMeter::NONE).banked(*bank);
        timer.left_at(wall.min(SECOND), &Fake { tells: fake.tells, ..Fake::default() });
        bank.left -= timer.beyond_at(wall, fake).min(bank.left);
    }

    #[test]
    fn a_bank_pays_what_is_beyond_the_limit_until_it_is_empty() {
        let clock = Clock::cpu(SECOND).with_bank(ms(2_000));
        let mut bank = Bank::of(Some(clock));
        let mut used = |wall, cpu| {
            charge(&mut bank, clock, wall, &Fake::cpu(cpu));
            bank.left.as_millis()
        };
        assert_eq!(used(ms(900), ms(900)), 2_000, "in time");
        assert_eq!(used(ms(2_900), ms(800)), 2_000, "on a busy machine");
        assert_eq!(used(ms(1_700), ms(1_600)), 1_400);
        assert_eq!(used(ms(3_400), ms(300)), 1_000, "it slept");
        assert_eq!(used(ms(2_300), ms(2_300)), 0);
        let late = Timer::start(Some(clock), false, &CpuMeter::NONE).banked(bank);
        assert_eq!(late.left_at(ms(1_500), &Fake::cpu(ms(1_000))), Left::Over);
        let words = late.words_at(ms(1_500), &Fake::cpu(ms(1_000)), true);
        let expected = "1000 ms of CPU time in 1500 ms; the limit is 1000 ms, and 2000 of 2000 ms \
                        of the bank are used, 0 ms of them now";
        assert_eq!(words, expected);
    }

    #[test]
    fn a_bank_does_not_pay_for_waiting_for_a_core() {
        let clock = Clock::cpu(SECOND).with_bank(SECOND);
        let mut bank = Bank::of(Some(clock));
        charge(&mut bank, clock, ms(3_600), &Fake { waited: ms(400), ..Fake::cpu(ms(20)) });
        assert_eq!(bank.left, ms(800));
        charge(&mut bank, clock, ms(3_600), &Fake { waited: 9 * SECOND, ..Fake::cpu(ms(20)) });
        assert_eq!(bank.left, ms(800));
    }

    #[test]
    fn a_bank_of_wall_time_pays_wall_time() {
        let clock = Clock::wall(SECOND).with_bank(SECOND);
        let mut bank = Bank::of(Some(clock));
        charge(&mut bank, clock, ms(1_300), &Fake::cpu(ms(2)));
        assert_eq!(bank.left, ms(700));
    }

    #[test]
    fn an_answer_that_is_there_when_it_is_first_looked_for_costs_its_cpu_time_alone() {
        let clock = Clock::cpu(SECOND).with_bank(SECOND);
        assert_eq!(timer(clock).beyond_at(50 * SECOND, &Fake::cpu(ms(900))), Duration::ZERO);
        assert_eq!(timer(clock).beyond_at(5 * SECOND, &Fake::cpu(ms(1_300))), ms(300));
        let wall = Clock::wall(SECOND).with_bank(SECOND);
        assert_eq!(timer(wall).beyond_at(5 * SECOND, &Fake::cpu(ms(0))), Duration::ZERO);
    }

    #[test]
    fn what_is_used_after_the_answer_is_not_charged() {
        let limit = Duration::from_nanos(1);
        let clock = Clock::cpu(limit).with_bank(SECOND);
        let mut timer = timer(clock);
        timer.cpu_at_start = Some(Duration::ZERO);
        let stamp = timer.stop(&Fake::cpu(ms(300)));
        assert_eq!((stamp.cpu, stamp.beyond), (Some(ms(300)), ms(300) - limit));
        assert_eq!(timer.stop(&Fake::cpu(ms(900))), stamp);
        let mut bank = Bank::of(Some(clock));
        bank.charge(&timer, &CpuMeter::NONE);
        assert_eq!((bank.left, timer.wall()), (ms(700) + limit, stamp.wall));
        timer.go_on();
        assert_eq!(timer.stop(&Fake::cpu(ms(900))).cpu, Some(ms(900)));
    }
}
