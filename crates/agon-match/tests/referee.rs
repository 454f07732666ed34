//! Tests of the referee with good, bad and broken bots.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agon_bots::{BatchPart, Bot, Progress, Seat};
use agon_core::{BotInfo, Evidence, Fault, FaultKind, Game, Outcome, Player, Purpose, Seed};
use agon_games::any::{AnswersMut, AnyGame};
use agon_match::replay::{End, Replay};
use agon_match::{Control, Match, MatchError, MatchEvent, MatchOptions, MatchResult, Played};
use agon_testkit::bare::Bare;
use agon_testkit::toy::{Toy, ToyAnswer, ToyRules};

use crate::support::{adding, any, toys};

/// What bots were told to do, in order: "ask 0", "collect 0", "stop 1".
type Log = Arc<Mutex<Vec<String>>>;

/// What a bot does.
#[derive(Clone, Copy, PartialEq)]
enum Manner {
    /// Draws answers from its stream.
    Random,
    /// Always adds this much.
    Adds(u8),
    /// The same, and wants a long time to end by itself.
    Lingers(u8),
    /// Reports a timeout every time, and answers nothing.
    Slow,
    /// Panics at these calls.
    PanicsAtStart,
    PanicsWhenAsked(u64),
    PanicsWhenCollected(u64),
    PanicsAtStop,
}

struct Puppet {
    manner: Manner,
    log: Log,
}

impl Bot for Puppet {
    fn start(&mut self, seat: Seat<'_>, _: &mut Vec<Fault>) {
        let player = seat.player;
        self.log.lock().unwrap().push(format!("start {player}"));
        assert!(self.manner != Manner::PanicsAtStart, "no start today");
    }

    fn ask(&mut self, turn: BatchPart<'_>, _: &mut Vec<Fault>) {
        self.log.lock().unwrap().push(format!("ask {}", turn.player));
        assert!(
            self.manner != Manner::PanicsWhenAsked(turn.step),
            "step {} was too much",
            turn.step
        );
    }

    fn collect(
        &mut self,
        turn: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        self.log.lock().unwrap().push(format!("collect {}", turn.player));
        let answers = answers.of_game::<Bare<Toy>>();
        assert_eq!(answers.len(), turn.decisions.len());
        assert!(answers.iter().all(|answer| *answer == ToyAnswer::default()));
        match self.manner {
            Manner::Adds(added) | Manner::Lingers(added) => answers.fill(ToyAnswer(added)),
            Manner::Slow => {
                let player = Player(7);
                let step = 99;
                let kind = FaultKind::Timeout;
                let detail = "slept".to_owned();
                let evidence = Evidence::default();
                faults.push(Fault {
                    player,
                    step,
                    kind,
                    detail,
                    evidence,
                    count: answers.len() as u64,
                });
            }
            Manner::PanicsWhenCollected(step) => {
                answers[0] = ToyAnswer(3);
                assert!(step != turn.step, "cannot decide");
                answers.fill(ToyAnswer(1));
            }
            _ => {
                let mut rng = turn.game.seed().stream(Purpose::Bot(turn.player.0), turn.step);
                answers.fill_with(|| ToyAnswer(rng.below(4) as u8));
            }
        }
        Progress::Done
    }

    fn goodbye(&mut self, _: &AnyGame, outcome: Option<&Outcome>) -> Duration {
        let Manner::Lingers(_) = self.manner else { return Duration::ZERO };
        let winners = outcome.map(|outcome| outcome.winners.len());
        self.log.lock().unwrap().push(format!("goodbye, winners: {winners:?}"));
        Duration::from_secs(3600)
    }

    fn stop(&mut self) {
        self.log.lock().unwrap().push("stop".into());
        assert!(self.manner != Manner::PanicsAtStop, "never");
    }
}

const RULES: ToyRules = ToyRules { turns: 30, counters: 3, full: 1_000 };

fn toy(players: usize, rules: &ToyRules) -> AnyGame {
    any(Toy::new(rules, players, Seed(5)).unwrap())
}

type Seated = Vec<(BotInfo, Box<dyn Bot>)>;

fn bots(manners: &[Manner]) -> (Seated, Log) {
    let log = Log::default();
    let bot = |(number, &manner)| {
        let bot: Box<dyn Bot> = Box::new(Puppet { manner, log: Arc::clone(&log) });
        (BotInfo::new(format!("bot {number}"), "builtin"), bot)
    };
    (manners.iter().enumerate().map(bot).collect(), log)
}

fn go_on(_: &MatchEvent<'_>) -> Control {
    Control::Continue
}

/// Plays with a replay, which must be proven and say the same as the result.
fn record(manners: &[Manner], options: MatchOptions) -> (Played, Replay) {
    let game = toy(manners.len(), &RULES);
    let (played, file) =
        Match::new(game, bots(manners).0, options).unwrap().record(Vec::new(), &mut go_on).unwrap();
    let replay = Replay::open(file).unwrap();
    assert!(replay.verify(toys()).is_proven(), "{}", replay.verify(toys()));
    let result = &played.result;
    let ending = replay.result().unwrap();
    assert_eq!(
        (result.steps, result.turns, result.decisions),
        (ending.steps, ending.turns, ending.decisions)
    );
    assert_eq!((&result.standing, result.state_hash), (&ending.standing, ending.state_hash));
    assert_eq!(result.faults, replay.faults().unwrap());
    (played, replay)
}

fn result(manners: &[Manner]) -> MatchResult {
    record(manners, MatchOptions::default()).0.result
}

/// Counts of a player's faults.
fn counts(result: &MatchResult, player: usize) -> BTreeMap<FaultKind, u64> {
    result.players[player].faults.clone()
}

#[test]
fn good_bots_play_to_the_end() {
    let (played, replay) = record(&[Manner::Adds(3), Manner::Random], MatchOptions::default());
    let result = played.result;
    assert_eq!(
        (result.end, result.steps, result.turns, result.decisions),
        (End::Over, 30, 30, 180)
    );
    assert_eq!((result.faults.len(), result.interrupted), (0, false));
    assert_eq!(result.headline(), "bot 0 wins: most counted");
    assert!(played.game.is_over());
    assert_eq!(replay.header().players[1].name, "bot 1");
    let after = replay.seek(toys(), 1).unwrap();
    let after = after.of_game::<Bare<Toy>>().position();
    assert!(after.counters[0].iter().all(|&counter| counter >= 3), "answers reach the game");
}

#[test]
fn all_are_asked_before_any_is_waited_for() {
    let (seated, log) = bots(&[Manner::Random, Manner::Random]);
    let rules = ToyRules { turns: 1, ..RULES };
    Match::new(toy(2, &rules), seated, MatchOptions::default()).unwrap().run(&mut go_on).unwrap();
    let expected =
        ["start 0", "start 1", "ask 0", "ask 1", "collect 0", "collect 1", "stop", "stop"];
    assert_eq!(*log.lock().unwrap(), expected);
}

#[test]
fn the_same_seed_gives_the_same_bytes_also_with_faults() {
    let play = || {
        let seated = bots(&[Manner::Random, Manner::Slow]).0;
        let game = Match::new(toy(2, &RULES), seated, MatchOptions::default()).unwrap();
        game.record(Vec::new(), &mut go_on).unwrap().1
    };
    assert_eq!(play(), play());
}

#[test]
fn faults_are_counted_and_the_first_ones_kept() {
    let options = MatchOptions { faults_kept: 4, ..MatchOptions::default() };
    let result = record(&[Manner::Slow, Manner::Adds(1)], options).0.result;
    assert_eq!(counts(&result, 0), BTreeMap::from([(FaultKind::Timeout, 90)]));
    assert_eq!(counts(&result, 1), BTreeMap::new());
    // The referee knows who was asked and when, whatever the bot's host writes.
    let kept: Vec<_> =
        result.faults.iter().map(|fault| (fault.player, fault.step, fault.count)).collect();
    assert_eq!(kept, [0, 1, 2, 3].map(|step| (Player(0), step, 3)));
    assert_eq!(result.headline(), "bot 1 wins: most counted");
}

#[test]
fn illegal_answers_are_faults_and_still_reach_the_game() {
    let (played, replay) = record(&[Manner::Adds(9), Manner::Adds(1)], MatchOptions::default());
    let result = played.result;
    assert_eq!(counts(&result, 0), BTreeMap::from([(FaultKind::Illegal, 90)]));
    let fault = &result.faults[0];
    assert_eq!(
        (fault.detail.as_str(), fault.count, fault.evidence.unit),
        ("9 is more than 3", 3, Some(0))
    );
    let mut cursor = replay.cursor(toys()).unwrap();
    assert_eq!(cursor.frame().unwrap().given.json(0), 9);
}

#[test]
fn a_panicking_bot_harms_only_itself() {
    let crashes = |manner| {
        let result = result(&[manner, Manner::Adds(1)]);
        assert_eq!((result.end, counts(&result, 1)), (End::Over, BTreeMap::new()));
        let details: Vec<_> =
            result.faults.iter().take(2).map(|fault| fault.detail.clone()).collect();
        (counts(&result, 0).get(&FaultKind::Crash).copied(), details.join("; "))
    };
    let late = "panicked in step 10 and is not asked any more";
    let all = Some(1 + 90);
    let since_10 = Some(60);
    let at_start =
        "panicked: no start today; panicked in step 0 and is not asked any more".to_owned();
    assert_eq!(crashes(Manner::PanicsAtStart), (all, at_start));
    assert_eq!(
        crashes(Manner::PanicsWhenAsked(10)),
        (since_10, format!("panicked: step 10 was too much; {late}"))
    );
    assert_eq!(
        crashes(Manner::PanicsWhenCollected(10)),
        (since_10, format!("panicked: cannot decide; {late}"))
    );
    assert_eq!(crashes(Manner::PanicsAtStop), (None, String::new()));
}

#[test]
fn answers_of_a_panicking_bot_stay_default() {
    let replay =
        record(&[Manner::PanicsWhenCollected(2), Manner::Adds(1)], MatchOptions::default()).1;
    let mut cursor = replay.cursor(toys()).unwrap();
    for (step, expected) in [(1, 1), (2, 0), (3, 0)] {
        cursor.seek(step).unwrap();
        let given = cursor.frame().unwrap().given.part(0..3);
        assert_eq!(given, adding([expected; 3]), "step {step}");
    }
}

#[test]
fn all_are_told_that_it_is_over_before_any_is_stopped() {
    let (seated, log) = bots(&[Manner::Lingers(1), Manner::Lingers(2)]);
    let rules = ToyRules { turns: 1, ..RULES };
    Match::new(toy(2, &rules), seated, MatchOptions::default()).unwrap().run(&mut go_on).unwrap();
    let end = ["goodbye, winners: Some(1)", "goodbye, winners: Some(1)", "stop", "stop"];
    let log = log.lock().unwrap();
    assert!(log.ends_with(&end.map(str::to_owned)), "{log:?}");
}

#[test]
fn a_bot_whose_player_is_out_may_take_its_time_to_end() {
    let rules = ToyRules { full: 5, ..RULES };
    let (seated, log) = bots(&[Manner::Lingers(3), Manner::Adds(0)]);
    Match::new(toy(2, &rules), seated, MatchOptions::default()).unwrap().run(&mut go_on).unwrap();
    let log = log.lock().unwrap();
    let goodbye = log.iter().position(|line| line == "goodbye, winners: None").unwrap();
    assert!(
        log[goodbye..].contains(&"collect 1".to_owned())
            && !log[goodbye..].contains(&"ask 0".to_owned())
    );
    assert_eq!(log.iter().filter(|line| line.starts_with("goodbye")).count(), 1);
    assert!(log[..log.len() - 2].iter().all(|line| line != "stop"), "only at the end: {log:?}");
    assert!(log.ends_with(&["stop".to_owned(), "stop".to_owned()]));
}

#[test]
fn bots_of_players_that_are_out_are_stopped() {
    let rules = ToyRules { full: 5, ..RULES };
    let (seated, log) = bots(&[Manner::Adds(3), Manner::Adds(0)]);
    let played = Match::new(toy(2, &rules), seated, MatchOptions::default())
        .unwrap()
        .run(&mut go_on)
        .unwrap();
    assert!(played.result.steps > 4, "the slower one plays on");
    let log = log.lock().unwrap();
    let first_stop = log.iter().position(|line| line == "stop").unwrap();
    assert!(
        log[first_stop..].contains(&"ask 1".to_owned())
            && !log[first_stop..].contains(&"ask 0".to_owned())
    );
    assert_eq!(log.iter().filter(|line| *line == "stop").count(), 2);
}

#[test]
fn an_observer_sees_every_state_and_may_stop() {
    let mut seen = Vec::new();
    let mut observer = |event: &MatchEvent<'_>| {
        assert_eq!(event.game.progress().turn, event.step);
        seen.push((event.step, event.led_by.len(), event.decisions, event.faults.len()));
        if event.step == 4 { Control::Stop } else { Control::Continue }
    };
    let seated = bots(&[Manner::Slow, Manner::Random]).0;
    let game = Match::new(toy(2, &RULES), seated, MatchOptions::default()).unwrap();
    let (played, file) = game.record(Vec::new(), &mut observer).unwrap();
    assert_eq!(seen, [(0, 0, 0, 0), (1, 6, 6, 1), (2, 6, 12, 1), (3, 6, 18, 1), (4, 6, 24, 1)]);
    assert_eq!((played.result.end, played.result.interrupted), (End::Interrupted, true));
    assert_eq!(played.result.headline(), "interrupted before the end, first place: bot 1");
    let replay = Replay::open(file).unwrap();
    assert!(replay.verify(toys()).is_proven());
    assert_eq!((replay.steps(), replay.result().unwrap().end), (4, End::Interrupted));
}

#[test]
fn limits_end_a_match() {
    let steps = |most| {
        let options = MatchOptions { max_turns: Some(most), ..MatchOptions::default() };
        let result = record(&[Manner::Random, Manner::Random], options).0.result;
        (result.end, result.steps)
    };
    assert_eq!(steps(7), (End::Limit, 7));
    assert_eq!(steps(0), (End::Limit, 0));
    assert_eq!(steps(30), (End::Over, 30));
}

#[test]
fn a_long_match_with_many_faults_stays_small() {
    let rules = ToyRules { turns: 20_000, counters: 10, full: 1_000_000 };
    let seated =
        bots(&[Manner::Slow, Manner::Adds(9), Manner::PanicsWhenAsked(100), Manner::Random]).0;
    let game = Match::new(toy(4, &rules), seated, MatchOptions::default()).unwrap();
    let (played, file) = game.record(Vec::new(), &mut go_on).unwrap();
    assert_eq!(played.result.decisions, 800_000);
    assert_eq!(played.result.faults.len(), 3 * 20);
    assert_eq!(counts(&played.result, 2), BTreeMap::from([(FaultKind::Crash, 199_000)]));
    assert!(file.len() < 800_000, "{} bytes", file.len());
    assert!(Replay::open(file).unwrap().verify(toys()).is_proven());
}

#[test]
fn the_result_survives_json() {
    let result = result(&[Manner::Slow, Manner::Adds(9)]);
    let json = serde_json::to_string(&result).unwrap();
    assert!(json.contains(r#""faults":{"timeout":90}"#), "{json}");
    assert_eq!(serde_json::from_str::<MatchResult>(&json).unwrap(), result);
}

#[test]
fn every_player_needs_a_bot() {
    let error =
        Match::new(toy(3, &RULES), bots(&[Manner::Random]).0, MatchOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "the game is set up for 3 players, but there are 1 bots");
}

#[test]
fn pace_and_core_are_kept() {
    let core = *agon_match::pin::cores().unwrap().last().unwrap();
    let pace = Some(Duration::from_millis(3));
    let options =
        MatchOptions { pace, core: Some(core), max_turns: Some(10), ..MatchOptions::default() };
    let before = agon_match::pin::cores().unwrap();
    let mut pinned = Vec::new();
    let mut observer = |_: &MatchEvent<'_>| {
        pinned = agon_match::pin::cores().unwrap();
        Control::Continue
    };
    let began = Instant::now();
    let seated = bots(&[Manner::Random]).0;
    Match::new(toy(1, &RULES), seated, options).unwrap().run(&mut observer).unwrap();
    assert!(began.elapsed() >= Duration::from_millis(30));
    assert_eq!(pinned, [core]);
    assert_eq!(agon_match::pin::cores().unwrap(), before);

    let options = MatchOptions { core: Some(100_000), ..MatchOptions::default() };
    let error = Match::new(toy(1, &RULES), bots(&[Manner::Random]).0, options)
        .unwrap()
        .run(&mut go_on)
        .unwrap_err();
    assert!(matches!(error, MatchError::Core { core: 100_000, .. }), "{error}");
}
