//! Tests of the timer, with faked measurements in place of real processes.

use std::cell::Cell;

use super::{super::queues::Thread, *};

const SECOND: Duration = Duration::from_secs(1);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A process with these times, which may be ready to run.
#[derive(Default)]
struct Fake {
    cpu: Duration,
    /// CPU time of processes that it has started.
    others: Duration,
    waited: Duration,
    ready: bool,
    /// Whether it waits for a disk.
    blocked: bool,
    /// Whether the system reports run queues.
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

/// Returns the time left for a bot that was first checked at its limit.
fn left(clock: Clock, wall: Duration, cpu: Duration) -> TimeLeft {
    let timer = timer(clock);
    timer.left_at(clock.then, &Fake::cpu(Duration::ZERO));
    timer.left_at(wall, &Fake::cpu(cpu))
}

#[test]
fn nothing_is_looked_at_before_the_limit_has_passed_on_the_wall() {
    let fake = Fake { looks: Cell::default(), ..Fake::cpu(5 * SECOND) };
    let timer = timer(Clock::cpu(SECOND).with_bank(SECOND));
    assert_eq!(timer.left_at(ms(400), &fake), TimeLeft::Wait(ms(600)));
    assert_eq!(timer.beyond_at(ms(400), &fake), Duration::ZERO);
    assert_eq!(fake.looks.get(), 0);
}

#[test]
fn a_bot_that_was_not_served_gets_the_rest_of_its_cpu_time() {
    assert_eq!(left(Clock::cpu(SECOND), 2 * SECOND, ms(400)), TimeLeft::Wait(ms(600)));
    assert_eq!(left(Clock::cpu(SECOND), 2 * SECOND, SECOND), TimeLeft::Over);
    assert_eq!(left(Clock::cpu(SECOND), ms(2_700), ms(400)), TimeLeft::Wait(ms(300)));
    assert_eq!(left(Clock::cpu(SECOND), 3 * SECOND, ms(0)), TimeLeft::Over);
    assert_eq!(left(Clock::cpu(ms(10)), ms(30), ms(2)), TimeLeft::Over);
}

#[test]
fn a_wall_clock_looks_at_the_wall_only() {
    assert_eq!(left(Clock::wall(ms(60)), ms(59), SECOND), TimeLeft::Wait(ms(1)));
    assert_eq!(left(Clock::wall(ms(60)), ms(60), ms(0)), TimeLeft::Over);
    let sleeps = Fake { waited: ms(50), ..Fake::cpu(ms(1)) };
    assert_eq!(timer(Clock::wall(ms(60))).left_at(ms(60), &sleeps), TimeLeft::Over);
}

#[test]
fn a_turn_of_fixed_length_waits_for_a_bot_that_had_no_core() {
    let timer = timer(Clock::wall(ms(60)));
    let starved = Fake { ready: true, ..Fake::cpu(ms(10)) };
    assert_eq!(timer.left_at(ms(60), &starved), TimeLeft::Wait(READY_INTERVAL));
    assert_eq!(timer.left_at(ms(179), &starved), TimeLeft::Wait(READY_INTERVAL));
    assert!(!timer.had_no_core());
    assert_eq!(timer.left_at(ms(180), &starved), TimeLeft::Over);
    assert!(timer.had_no_core(), "that is not its fault");
    let delayed = Fake { ready: true, ..Fake::cpu(ms(50)) };
    assert_eq!(timer.left_at(ms(60), &delayed), TimeLeft::Wait(ms(10)), "others took a sixth");
    let served = Fake { ready: true, ..Fake::cpu(ms(57)) };
    assert_eq!(timer.left_at(ms(60), &served), TimeLeft::Over, "it had most of the turn");
    assert_eq!(timer.left_at(ms(100), &Fake { cpu: ms(60), ..served }), TimeLeft::Over);
    assert!(!timer.had_no_core());
    timer.stop(&starved);
    assert_eq!(timer.left_at(ms(60), &starved), TimeLeft::Over, "it has answered");
}

#[test]
fn without_a_clock_there_is_always_time() {
    let timer = Timer::start(None, true, &CpuMeter::NONE).banked(Bank::default());
    assert_eq!(timer.left_at(1000 * SECOND, &Fake::cpu(1000 * SECOND)), TimeLeft::Forever);
}

#[test]
fn waiting_for_a_core_is_not_charged_to_the_wall_limit() {
    let timer = timer(Clock::cpu(SECOND));
    // The wait before the first check, here 700 ms, is unknown.
    let mut fake = Fake { waited: ms(700), ..Fake::cpu(ms(100)) };
    assert_eq!(timer.left_at(SECOND, &fake), TimeLeft::Wait(ms(900)));
    fake.waited = ms(10_700);
    assert_eq!(timer.left_at(ms(6_500), &fake), TimeLeft::Wait(WAITING_INTERVAL));
    assert_eq!(timer.left_at(ms(12_950), &fake), TimeLeft::Wait(ms(50)));
    assert_eq!(timer.left_at(ms(13_000), &fake), TimeLeft::Over);
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
    assert_eq!(timer.left_at(ms(200), &fake), TimeLeft::Wait(ms(9)));
    assert_eq!(timer.left_at(ms(219), &fake), TimeLeft::Wait(ms(1)));
    assert_eq!(timer.left_at(ms(220), &fake), TimeLeft::Over);
}

#[test]
fn whoever_is_ready_to_run_is_looked_at_again() {
    let ready = Fake { ready: true, ..Fake::cpu(ms(100)) };
    let timer = timer(Clock::cpu(SECOND));
    assert_eq!(timer.left_at(SECOND, &ready), TimeLeft::Wait(ms(900)));
    assert_eq!(timer.left_at(3 * SECOND, &ready), TimeLeft::Wait(READY_INTERVAL));
    let most = ms(9_999);
    assert_eq!(timer.left_at(most, &ready), TimeLeft::Wait(READY_INTERVAL));
    assert_eq!(timer.left_at(10 * SECOND, &ready), TimeLeft::Over, "it is ready for ever");
    assert_eq!(timer.left_at(3 * SECOND, &Fake { ready: false, ..ready }), TimeLeft::Over);
}

#[test]
fn whoever_waits_for_a_disk_is_waited_for_longer() {
    let blocked = Fake { blocked: true, ..Fake::cpu(ms(100)) };
    let timer = timer(Clock::cpu(SECOND));
    assert_eq!(timer.left_at(SECOND, &blocked), TimeLeft::Wait(ms(900)));
    assert_eq!(timer.left_at(3 * SECOND, &blocked), TimeLeft::Wait(READY_INTERVAL));
    assert_eq!(timer.left_at(ms(9_999), &blocked), TimeLeft::Wait(READY_INTERVAL));
    assert_eq!(timer.left_at(10 * SECOND, &blocked), TimeLeft::Over);
}

#[test]
fn busy_helpers_do_not_keep_a_bot_alive() {
    let timer = timer(Clock::cpu(SECOND));
    let mut fake = Fake { ready: true, ..Fake::cpu(Duration::ZERO) };
    assert_eq!(timer.left_at(SECOND, &fake), TimeLeft::Wait(SECOND));
    fake.others = ms(900);
    assert_eq!(timer.left_at(3 * SECOND, &fake), TimeLeft::Wait(READY_INTERVAL));
    fake.others = SECOND;
    assert_eq!(timer.left_at(3 * SECOND, &fake), TimeLeft::Over);
}

#[test]
fn where_the_system_does_not_tell_a_longer_wall_limit_holds() {
    let silent = Fake { cpu: ms(100), ready: true, ..Fake::default() };
    let patient = timer(Clock::cpu(SECOND));
    assert_eq!(patient.left_at(SECOND, &silent), TimeLeft::Wait(ms(900)));
    assert_eq!(patient.left_at(ms(8_999), &silent), TimeLeft::Wait(ms(1)));
    assert_eq!(patient.left_at(9 * SECOND, &silent), TimeLeft::Over);
    let short = timer(Clock::cpu(ms(10)));
    let silent = Fake { cpu: ms(2), ..silent };
    assert_eq!(short.left_at(ms(10), &silent), TimeLeft::Wait(ms(8)));
    assert_eq!(short.left_at(ms(999), &silent), TimeLeft::Wait(ms(1)));
    assert_eq!(short.left_at(SECOND, &silent), TimeLeft::Over);
}

#[test]
fn a_bank_is_behind_both_limits() {
    let clock = Clock::cpu(SECOND).with_bank(2 * SECOND);
    assert_eq!(left(clock, 3 * SECOND, ms(2_900)), TimeLeft::Wait(ms(100)));
    assert_eq!(left(clock, 3 * SECOND, 3 * SECOND), TimeLeft::Over);
    assert_eq!(left(clock, ms(4_500), ms(100)), TimeLeft::Wait(ms(500)));
    assert_eq!(left(clock, 5 * SECOND, ms(100)), TimeLeft::Over);
    let wall = Clock::wall(SECOND).with_bank(2 * SECOND);
    assert_eq!(left(wall, ms(2_900), Duration::ZERO), TimeLeft::Wait(ms(100)));
    assert_eq!(left(wall, 3 * SECOND, Duration::ZERO), TimeLeft::Over);
}

/// Charges an answer to a bank. The arena waits for it from 1 s on; it comes at `wall`.
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
    assert_eq!(late.left_at(ms(1_500), &Fake::cpu(ms(1_000))), TimeLeft::Over);
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
    bank.charge(timer.beyond(&CpuMeter::NONE));
    assert_eq!((bank.left, timer.wall()), (ms(700) + limit, stamp.wall));
    timer.go_on();
    assert_eq!(timer.stop(&Fake::cpu(ms(900))).cpu, Some(ms(900)));
}

#[test]
fn the_estimate_follows_the_use_of_the_processor() {
    let ten = timer(Clock::cpu(10 * SECOND));
    let estimate = |wall, cpu| ten.estimate_at(wall, &Fake::cpu(cpu)).unwrap();
    assert_eq!(estimate(2 * SECOND, 2 * SECOND), 8 * SECOND, "an endless loop");
    assert_eq!(estimate(2 * SECOND, Duration::ZERO), 28 * SECOND, "a sleeper");
    assert_eq!(estimate(2 * SECOND, SECOND), 18 * SECOND, "half of a core");
    assert_eq!(estimate(2 * SECOND, 4 * SECOND), 3 * SECOND, "two threads");
    assert_eq!(estimate(29 * SECOND, SECOND), SECOND);
    assert_eq!(estimate(40 * SECOND, 20 * SECOND), Duration::ZERO);
    let wall = Timer::start(Some(Clock::wall(SECOND)), false, &CpuMeter::NONE);
    assert_eq!(wall.estimate_at(ms(300), &Fake::cpu(ms(299))), Some(ms(700)));
    let banked = timer(Clock::cpu(SECOND).with_bank(5 * SECOND));
    assert_eq!(banked.estimate_at(2 * SECOND, &Fake::cpu(2 * SECOND)), Some(4 * SECOND));
    let forever = Timer::start(None, false, &CpuMeter::NONE);
    assert_eq!(forever.estimate_at(SECOND, &Fake::cpu(SECOND)), None);
    let huge = timer(Clock::cpu(Duration::MAX));
    assert!(huge.estimate_at(SECOND, &Fake::cpu(ms(1))).is_some());
}
