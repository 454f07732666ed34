//! Tests of recorded matches that are played again with other bots.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::{Arc, Mutex};

use agon_bots::{BatchPart, Bot, Progress, Seat};
use agon_core::{BotInfo, Fault, FaultKind, Game, Player, Seed};
use agon_games::any::{AnswersMut, AnyGame};
use agon_match::replay::{End, ReadError, Replay, Writer};
use agon_match::{Control, Match, MatchError, MatchEvent, MatchOptions, ReplaySession};
use agon_testkit::toy::{Toy, ToyRules};

use crate::support::{adding, any, toys};

/// What a bot was told: "start a,b in 0", "3: 3 decisions".
type Log = Arc<Mutex<Vec<String>>>;

/// Answers each question with what it has been asked so far, modulo 3; panics in a step, and
/// answers 9, which is illegal, in another.
struct Counter {
    asked: u8,
    panics: Option<u64>,
    illegal: Option<u64>,
    log: Log,
}

impl Bot for Counter {
    fn start(&mut self, seat: Seat<'_>, _: &mut Vec<Fault>) {
        let turn = seat.game.progress().turn;
        self.log.lock().unwrap().push(format!("start {} in {turn}", seat.names.join(",")));
    }

    fn collect(
        &mut self,
        turn: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        _: &mut Vec<Fault>,
    ) -> Progress {
        assert!(self.panics != Some(turn.step), "step {} was too much", turn.step);
        self.log.lock().unwrap().push(format!("{}: {} decisions", turn.step, turn.decisions.len()));
        self.asked = self.asked.wrapping_add(1);
        let added = if self.illegal == Some(turn.step) { 9 } else { self.asked % 3 };
        answers.copy_from(&adding(vec![added; answers.len()]));
        Progress::Done
    }
}

fn counter(asked: u8) -> (Counter, Log) {
    let log = Log::default();
    (Counter { asked, panics: None, illegal: None, log: Arc::clone(&log) }, log)
}

fn boxed(bot: Counter) -> Box<dyn Bot> {
    Box::new(bot)
}

fn info(name: &str) -> BotInfo {
    BotInfo::new(name, "builtin")
}

fn toy() -> AnyGame {
    let rules = ToyRules { turns: 20, counters: 3, full: 1_000 };
    any(Toy::new(&rules, 2, Seed(5)).unwrap())
}

/// A match of two counters, and what the first was told.
fn recorded() -> (Replay, Vec<String>) {
    let (first, log) = counter(0);
    let bots = vec![(info("a"), boxed(first)), (info("b"), boxed(counter(1).0))];
    let the_match = Match::new(toy(), bots, MatchOptions::default()).unwrap();
    let (_, file) = the_match.record(Vec::new(), &mut ()).unwrap();
    let log = log.lock().unwrap().clone();
    (Replay::open(file).unwrap(), log)
}

/// Seats a bot as the first player of a recorded match.
fn first_asked(replay: &Replay, bot: Counter) -> ReplaySession {
    ReplaySession::new(replay, toys(), vec![(Player(0), info("new"), boxed(bot))], 5).unwrap()
}

fn all(again: &mut ReplaySession, step: u64) -> bool {
    again.play_to(step, &mut |_| Control::Continue).unwrap()
}

#[test]
fn a_bot_is_told_and_asked_what_was_recorded() {
    let (replay, told) = recorded();
    let (bot, log) = counter(0);
    let mut again = first_asked(&replay, bot);
    assert!(all(&mut again, 19));
    let now = again.ask().unwrap();
    assert!(now.len() == 3 && now.iter().all(|compared| compared.agrees()));
    assert!(all(&mut again, 19), "a state that has been reached stays");
    assert_eq!(*log.lock().unwrap(), told);
    let agreement = again.agreement(Player(0));
    assert_eq!((agreement.decisions, agreement.agreed, &agreement.first), (57, 57, &None));
    assert_eq!(again.agreement(Player(1)).decisions, 0);
    assert_eq!(*again.game(), replay.seek(toys(), 19).unwrap());
    assert!(again.faults().tallies().is_empty());
    again.end();
}

#[test]
fn the_game_goes_on_with_the_recorded_answers_whatever_the_bot_does() {
    let (replay, _) = recorded();
    let mut bot = counter(0).0;
    (bot.illegal, bot.panics) = (Some(4), Some(7));
    let mut again = first_asked(&replay, bot);
    assert!(all(&mut again, 10));
    assert_eq!(*again.game(), replay.seek(toys(), 10).unwrap());
    let agreement = again.agreement(Player(0));
    let (step, first) = agreement.first.as_ref().unwrap();
    assert_eq!((*step, first.decision.unit), (4, 0));
    assert_eq!((&first.recorded, &first.now), (&adding([2]), &adding([9])));
    // Default answers after the panic agree where the recorded ones are default as well: in step 8.
    assert_eq!((agreement.decisions, agreement.agreed), (30, 21));
    let faults: Vec<_> =
        again.faults().kept().iter().map(|fault| (fault.kind, fault.step, fault.count)).collect();
    let crash = |step| (FaultKind::Crash, step, 3);
    assert_eq!(faults, [(FaultKind::Illegal, 4, 3), crash(7), crash(8), crash(9)]);
}

#[test]
fn a_match_that_goes_on_comes_to_the_recorded_end_and_can_be_proven() {
    let (replay, told) = recorded();
    let end = replay.result().unwrap().state_hash;
    let ((first, log), second) = (counter(0), counter(1).0);
    let bots = vec![(Player(0), info("c"), boxed(first)), (Player(1), info("d"), boxed(second))];
    let mut again = ReplaySession::new(&replay, toys(), bots, 5).unwrap();
    assert!(all(&mut again, 8));
    let the_match = again.go_on(MatchOptions::default()).unwrap();
    let mut steps = Vec::new();
    let (played, file) = the_match
        .record(Vec::new(), &mut |event: &MatchEvent<'_>| {
            steps.push(event.step);
            Control::Continue
        })
        .unwrap();
    assert_eq!((played.result.state_hash, played.result.steps, steps[0]), (end, 12, 0));
    assert_eq!(played.result.name(Player(1)), "d");
    assert_eq!(*log.lock().unwrap(), told, "to the bot it is one match");

    let other = Replay::open(file).unwrap();
    assert!(other.verify(toys()).is_proven());
    assert_eq!(other.start(toys()).unwrap(), replay.seek(toys(), 8).unwrap());
    assert!(other.header().start.is_some() && other.header().steps_before == 8);

    // Whoever is asked there counts its steps on from the earlier match; the file's steps count
    // from 0.
    let (mut bot, log) = counter(8);
    bot.panics = Some(15);
    let mut again = first_asked(&other, bot);
    assert!(all(&mut again, 9));
    assert_eq!(log.lock().unwrap()[..2], ["start c,d in 8", "8: 3 decisions"]);
    assert_eq!(again.faults().kept()[0].step, 7);
    assert_eq!(again.agreement(Player(0)).first.as_ref().unwrap().0, 8 - 1);
}

/// What a file claims of the match before it is what its bots count on from: as far as numbers go.
#[test]
fn steps_before_are_counted_on_from_or_refused() {
    let file = |before| {
        let mut game = toy();
        let mut writer =
            Writer::continuing(Vec::new(), &game, &[info("a"), info("b")], before).unwrap();
        let answers = adding([1; 6]);
        game.step(&answers);
        writer.step(&answers, &game).unwrap();
        Replay::open(writer.finish(&game, End::Limit, &[]).unwrap())
    };
    let (bot, log) = counter(0);
    let replay = file(1 << 53).unwrap();
    let mut again = first_asked(&replay, bot);
    assert!(all(&mut again, 1));
    assert_eq!(log.lock().unwrap()[1], "9007199254740992: 3 decisions");
    let error = file(u64::MAX).unwrap_err().to_string();
    let expected = "the replay's header cannot be read: steps_before: 18446744073709551615 is more \
        than 9007199254740992";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn a_bot_that_broke_before_stays_broken_in_the_match_that_goes_on() {
    let (replay, _) = recorded();
    let mut bot = counter(0).0;
    bot.panics = Some(2);
    let bots =
        vec![(Player(0), info("c"), boxed(bot)), (Player(1), info("d"), boxed(counter(1).0))];
    let mut again = ReplaySession::new(&replay, toys(), bots, 5).unwrap();
    assert!(all(&mut again, 6));
    let played = again.go_on(MatchOptions::default()).unwrap().run(&mut ()).unwrap();
    assert_eq!(played.result.players[0].faults[&FaultKind::Crash], 14 * 3);
    assert_eq!((played.result.faults[0].step, played.game.is_over()), (0, true));
}

#[test]
fn what_cannot_be_is_an_error() {
    let (replay, _) = recorded();
    let again = |step| {
        let mut again = first_asked(&replay, counter(0).0);
        again.play_to(step, &mut |_| Control::Continue).map(|_| again)
    };
    assert!(matches!(again(21), Err(ReadError::NoSuchStep { step: 21, steps: 20 })));
    assert!(again(20).unwrap().ask().unwrap().is_empty(), "nobody is asked at the end");
    let error = again(3).unwrap().go_on(MatchOptions::default()).unwrap_err();
    assert!(matches!(error, MatchError::Bots { players: 2, bots: 1 }));
    let mut stopped = first_asked(&replay, counter(0).0);
    assert!(!stopped.play_to(5, &mut |_| Control::Stop).unwrap());
    assert_eq!(stopped.agreement(Player(0)).decisions, 0);
}
