//! Tests of bots that are late: what observers learn of a wait, and `strikes`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::{Duration, Instant};
use std::{
    collections::VecDeque, num::NonZero, sync::Arc, sync::atomic::AtomicU32,
    sync::atomic::Ordering::Relaxed,
};

use agon_bots::{BatchPart, Bot, Progress, Wait};
use agon_core::{BotInfo, Evidence, Fault, FaultKind, Game, Player, Seed};
use agon_games::any::{AnswersMut, AnyGame};
use agon_match::replay::{End, Replay};
use agon_match::{
    AwaitedBot, Control, Match, MatchEvent, MatchOptions, MatchResult, Observer, ObserverError,
    Waiting,
};
use agon_testkit::toy::{Toy, ToyRules};

use crate::support::{adding, any, toys};

/// What a bot does in a step.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    Answers,
    /// Reports a timeout.
    Late,
    /// Is late in a game that does not wait, so that there is no further fault.
    StillLate,
    Crashes,
    /// Answers after this time.
    Thinks(Duration),
}

/// A bot that does one act per step, and repeats the last one.
struct Scripted {
    acts: VecDeque<Act>,
    now: Act,
    ready: Instant,
    left: Option<Duration>,
    stops: Arc<AtomicU32>,
    asked: Arc<AtomicU32>,
}

impl Bot for Scripted {
    fn ask(&mut self, _: BatchPart<'_>, _: &mut Vec<Fault>) {
        self.now = match self.acts.len() {
            1 => self.acts[0],
            _ => self.acts.pop_front().unwrap(),
        };
        self.asked.fetch_add(1, Relaxed);
        let time = if let Act::Thinks(time) = self.now { time } else { Duration::ZERO };
        self.ready = Instant::now() + time;
    }

    fn collect(
        &mut self,
        _: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        let mut fault = |kind, detail: &str| {
            let detail = detail.to_owned();
            let (evidence, count) = (Evidence::default(), answers.len() as u64);
            faults.push(Fault { player: Player(0), step: 0, kind, detail, evidence, count });
        };
        match self.now {
            Act::Late => fault(FaultKind::Timeout, "slept"),
            Act::Crashes => fault(FaultKind::Crash, "fell"),
            Act::StillLate => {}
            Act::Thinks(_) if Instant::now() < self.ready => {
                return Progress::Waits(Wait::until(self.ready));
            }
            Act::Answers | Act::Thinks(_) => {
                answers.copy_from(&adding(vec![1; answers.len()]));
            }
        }
        Progress::Done
    }

    fn stop(&mut self) {
        self.stops.fetch_add(1, Relaxed);
    }

    fn is_late(&self) -> bool {
        self.now == Act::StillLate
    }

    fn time_left(&self) -> Option<Duration> {
        self.left
    }
}

const RULES: ToyRules = ToyRules { turns: 8, counters: 2, full: 1_000 };

fn toy(rules: &ToyRules) -> AnyGame {
    any(Toy::new(rules, 2, Seed(5)).unwrap())
}

/// What became of a scripted bot.
struct Story {
    result: MatchResult,
    asked: u32,
    stops: u32,
}

/// Plays a scripted bot against one that always answers.
fn play(acts: &[Act], most: u32) -> Story {
    play_with(acts, strikes(most))
}

/// Options with this many strikes, or none for 0.
fn strikes(most: u32) -> MatchOptions {
    MatchOptions { strikes: NonZero::new(most), ..MatchOptions::default() }
}

fn play_with(acts: &[Act], options: MatchOptions) -> Story {
    let stops = Arc::<AtomicU32>::default();
    let asked = Arc::<AtomicU32>::default();
    let bot = Scripted { stops: Arc::clone(&stops), asked: Arc::clone(&asked), ..bot(acts) };
    let seats: Vec<(BotInfo, Box<dyn Bot>)> = vec![
        (BotInfo::new("slow", "builtin"), Box::new(bot)),
        (BotInfo::new("quick", "builtin"), Box::new(self::bot(&[Act::Answers]))),
    ];
    let game = toy(&RULES);
    let the_match = Match::new(game, seats, options).unwrap();
    let (played, file) = the_match.record(Vec::new(), &mut ()).unwrap();
    let verdict = Replay::open(file).unwrap().verify(toys());
    assert!(verdict.is_proven(), "{verdict}");
    Story { result: played.result, asked: asked.load(Relaxed), stops: stops.load(Relaxed) }
}

fn bot(acts: &[Act]) -> Scripted {
    Scripted {
        acts: acts.iter().copied().collect(),
        now: Act::Answers,
        ready: Instant::now(),
        left: None,
        stops: Arc::default(),
        asked: Arc::default(),
    }
}

/// The kinds of a match's faults with their steps.
fn faults(story: &Story) -> Vec<(FaultKind, u64)> {
    story.result.faults.iter().map(|fault| (fault.kind, fault.step)).collect()
}

#[test]
fn a_bot_is_stopped_after_so_many_timeouts_in_a_row() {
    use FaultKind::Timeout;
    let story = play(&[Act::Answers, Act::Late], 3);
    assert_eq!(faults(&story), [(Timeout, 1), (Timeout, 2), (Timeout, 3)]);
    assert_eq!((story.asked, story.stops), (4, 1));
    assert_eq!((story.result.end, story.result.steps), (End::Over, 8), "the match goes on");
    let details: Vec<&str> =
        story.result.faults.iter().map(|fault| fault.detail.as_str()).collect();
    let why = "slept; the limit is 3 timeouts in a row: the bot stays out from now on";
    assert_eq!(details, ["slept", "slept", why]);
    let stopped = story.result.players.iter().map(|player| player.stopped_for_timeouts);
    assert_eq!(stopped.collect::<Vec<_>>(), [true, false]);
    assert_eq!(story.result.headline(), "quick wins: most counted");
}

#[test]
fn an_answer_or_another_fault_starts_the_count_again() {
    use FaultKind::{Crash, Timeout};
    let story = play(&[Act::Late, Act::Answers, Act::Late, Act::Crashes, Act::Late], 2);
    assert_eq!(
        faults(&story),
        [(Timeout, 0), (Timeout, 2), (Crash, 3), (Timeout, 4), (Timeout, 5)]
    );
    assert_eq!(story.asked, 6);
    assert!(story.result.players[0].stopped_for_timeouts);
    assert!(!play(&[Act::Late, Act::Answers], 2).result.players[0].stopped_for_timeouts);
}

#[test]
fn one_strike_is_the_first_timeout() {
    let story = play(&[Act::Late], 1);
    assert_eq!((story.asked, story.stops, faults(&story).len()), (1, 1, 1));
    assert!(story.result.faults[0].detail.contains("the limit is 1 timeout in a row"));
}

#[test]
fn the_last_timeout_is_kept_in_detail_however_few_are() {
    let story = play_with(&[Act::Late], MatchOptions { faults_kept: 1, ..strikes(4) });
    let kept: Vec<u64> = story.result.faults.iter().map(|fault| fault.step).collect();
    assert_eq!(kept, [0, 3]);
    assert!(story.result.faults[1].detail.contains("in a row: the bot stays out from now on"));
    // Two decisions in each of four steps.
    assert_eq!(story.result.players[0].faults[&FaultKind::Timeout], 8);
}

#[test]
fn turns_that_a_game_does_not_wait_for_count() {
    let story = play(&[Act::Late, Act::StillLate], 4);
    assert_eq!(faults(&story), [(FaultKind::Timeout, 0), (FaultKind::Timeout, 3)]);
    let last = &story.result.faults[1];
    assert!(last.detail.starts_with("silent in this turn; the limit is 4"), "{}", last.detail);
    assert_eq!((last.player, story.asked), (Player(0), 4));
}

#[test]
fn without_strikes_a_bot_may_be_late_for_ever() {
    let story = play(&[Act::Late], 0);
    assert_eq!((story.asked, story.stops, faults(&story).len()), (8, 1, 8));
    assert!(story.result.faults.iter().all(|fault| fault.detail == "slept"));
    let story = play(&[Act::Late], 100);
    assert_eq!((story.asked, story.stops), (8, 1));
}

/// Notes what it is told: waits, and where states come between them.
#[derive(Default)]
struct Listener(Vec<Option<Waiting>>);

impl Observer for Listener {
    fn step(&mut self, _: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.0.push(None);
        Ok(Control::Continue)
    }

    fn waiting(&mut self, waiting: &Waiting) {
        self.0.push(Some(waiting.clone()));
    }
}

#[test]
fn observers_learn_who_a_step_waits_for() {
    let left = Some(Duration::from_secs(7));
    let slow = [Act::Answers, Act::Thinks(Duration::from_millis(1700)), Act::Answers];
    let seats: Vec<(BotInfo, Box<dyn Bot>)> = vec![
        (BotInfo::new("quick", "builtin"), Box::new(bot(&[Act::Answers]))),
        (BotInfo::new("slow", "builtin"), Box::new(Scripted { left, ..bot(&slow) })),
    ];
    let rules = ToyRules { turns: 3, ..RULES };
    let game = toy(&rules);
    let mut listener = Listener::default();
    let the_match = Match::new(game, seats, MatchOptions::default()).unwrap();
    let played = the_match.run(&mut listener).unwrap();
    assert_eq!(played.result.faults, []);
    let Listener(events) = listener;
    let of_step: Vec<usize> = events.split(Option::is_none).map(<[_]>::len).collect();
    // Before the start, and after each of four states.
    assert_eq!((of_step[0], of_step[1], &of_step[3..]), (0, 0, &[0, 0][..]), "{of_step:?}");
    let waits: Vec<&Waiting> = events.iter().flatten().collect();
    assert!((1..=4).contains(&waits.len()), "{waits:?}");
    let bots = [AwaitedBot { name: "slow".to_owned(), left }];
    assert!(waits.iter().all(|waiting| waiting.bots == bots), "{waits:?}");
    assert!(waits.iter().all(|waiting| waiting.waited >= Duration::from_secs(1)), "{waits:?}");
    assert!(waits.windows(2).all(|pair| pair[0].waited < pair[1].waited), "{waits:?}");
}

/// Waits for no bot that takes more than a moment.
struct Impatient;

impl Observer for Impatient {
    fn step(&mut self, _: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        Ok(Control::Continue)
    }

    fn keeps_waiting(&self) -> bool {
        false
    }
}

#[test]
fn a_match_ends_while_it_waits_if_nobody_waits_for_it() {
    let slow = [Act::Thinks(Duration::from_secs(60))];
    let seats: Vec<(BotInfo, Box<dyn Bot>)> = vec![
        (BotInfo::new("quick", "builtin"), Box::new(bot(&[Act::Answers]))),
        (BotInfo::new("slow", "builtin"), Box::new(bot(&slow))),
    ];
    let game = toy(&RULES);
    let began = Instant::now();
    let the_match = Match::new(game, seats, MatchOptions::default()).unwrap();
    let played = the_match.run(&mut Impatient).unwrap();
    assert_eq!((played.result.end, played.result.steps), (End::Interrupted, 0));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}
