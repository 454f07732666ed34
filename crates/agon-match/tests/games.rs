//! Plays matches of every game between its own built-in bots, and verifies their replays.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_bots::{BatchPart, Bot, BuiltinBot, Progress};
use agon_core::{BotInfo, Evidence, Fault, FaultKind, Player, Seed};
use agon_games::any::{AnswersMut, FullGame, GameKind, kind_of};
use agon_games::cellhack::{self, Cellhack};
use agon_games::rezzo::{self, Rezzo};
use agon_games::{GameId, cluster::Cluster};
use agon_match::{Control, Match, MatchEvent, MatchOptions, MatchResult, replay::Replay};

/// Plays the bots that the game shows for a while, and calls `watch` with every state.
fn record(
    kind: &'static dyn GameKind,
    turns: u64,
    mut watch: impl FnMut(&MatchEvent<'_>),
) -> (MatchResult, Vec<u8>) {
    let bot = |spec: &&str| {
        let (name, params) = spec.split_once('?').unwrap_or((spec, ""));
        let pair = |param: &str| {
            param.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
        };
        let params: Vec<_> = params.split('&').filter_map(pair).collect();
        let bot: Box<dyn Bot> = Box::new(BuiltinBot::find(kind, name, &params).unwrap());
        (BotInfo::new(*spec, "builtin"), bot)
    };
    let bots: Vec<_> = kind.lineup().iter().map(bot).collect();
    let game = kind.start(&kind.default_rules(), bots.len(), Seed(11)).unwrap();
    let options = MatchOptions { max_turns: Some(turns), ..MatchOptions::default() };
    let mut observer = |event: &MatchEvent<'_>| {
        watch(event);
        Control::Continue
    };
    let (played, file) =
        Match::new(game, bots, options).unwrap().record(Vec::new(), &mut observer).unwrap();
    (played.result, file)
}

fn check(id: GameId, turns: u64) {
    let kind = id.kind();
    let mut kept = Vec::new();
    let (result, file) = record(kind, turns, |event| {
        if event.step % 97 == 0 {
            kept.push((event.step, event.game.clone()));
        }
    });
    assert!(result.faults.is_empty(), "{:?}", result.faults);
    let replay = Replay::open(file.as_slice()).unwrap();
    let verdict = replay.verify(kind);
    assert!(verdict.is_proven(), "{id}: {verdict}");
    assert_eq!((replay.steps(), replay.decisions()), (result.steps, result.decisions));
    for (step, game) in kept {
        assert_eq!(replay.seek(kind, step).unwrap(), game, "{id} after {step} steps");
    }
    assert_eq!(record(kind, turns, |_| ()).1, file, "the same match gives the same bytes");
}

#[test]
fn every_game_is_recorded_and_proven() {
    for id in GameId::OWN {
        let turns = match id {
            GameId::Amoebas | GameId::Binfection => 40,
            GameId::Cellhack => 150,
            GameId::Cluster | GameId::Rezzo => 300,
            #[allow(unreachable_patterns, reason = "there may be further games")]
            _ => 100,
        };
        check(id, turns);
    }
}

#[test]
fn games_with_many_decisions_take_less_than_a_byte_for_each() {
    for (id, turns) in [(GameId::Amoebas, 150), (GameId::Cellhack, 300)] {
        let (result, file) = record(id.kind(), turns, |_| ());
        let per_decision = file.len() as f64 / result.decisions as f64;
        assert!(
            per_decision < 0.8,
            "{id}: {per_decision} bytes for each of {} decisions",
            result.decisions
        );
    }
}

/// Turns left until it panics.
struct Panicking {
    step: u64,
    when_asked: bool,
}

impl Bot for Panicking {
    fn ask(&mut self, turn: BatchPart<'_>, _: &mut Vec<Fault>) {
        assert!(!self.when_asked || turn.step < self.step, "enough");
    }

    fn collect(
        &mut self,
        turn: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        _: &mut Vec<Fault>,
    ) -> Progress {
        assert!(turn.step < self.step, "enough");
        answers.of_game::<Rezzo>().fill(rezzo::Answer::TurnLeft);
        Progress::Done
    }
}

#[test]
fn a_bot_that_panics_has_ended_and_loses_in_rezzo() {
    for when_asked in [false, true] {
        let panicking = || -> Box<dyn Bot> { Box::new(Panicking { step: 5, when_asked }) };
        let steady = || -> Box<dyn Bot> { Box::new(Panicking { step: 1000, when_asked }) };
        let bots = [panicking(), steady()].map(|bot| (BotInfo::new("bot", "builtin"), bot)).into();
        let rules = serde_json::json!({ "width": 30, "height": 30 });
        let game = GameId::Rezzo.kind().start(&rules, 2, Seed(1)).unwrap();
        let played = Match::new(game, bots, MatchOptions::default()).unwrap().run(&mut ()).unwrap();
        let outcome = played.result.standing.outcome.unwrap();
        assert_eq!((outcome.winners, played.result.steps), (vec![Player(1)], 6));
    }
}

/// Gives such an answer each time, or none with a fault, or nothing at all.
struct Puppet<G: FullGame> {
    answer: Option<G::Answer>,
    is_at_fault: bool,
}

impl<G: FullGame> Bot for Puppet<G> {
    fn collect(
        &mut self,
        turn: BatchPart<'_>,
        mut answers: AnswersMut<'_>,
        faults: &mut Vec<Fault>,
    ) -> Progress {
        if let Some(answer) = &self.answer {
            answers.of_game::<G>().fill(answer.clone());
        }
        if self.is_at_fault {
            let step = turn.step;
            let kind = FaultKind::Timeout;
            let detail = "slept".to_owned();
            faults.push(Fault {
                player: turn.player,
                step,
                kind,
                detail,
                evidence: Evidence::default(),
                count: 1,
            });
        }
        Progress::Done
    }

    fn is_silent(&self) -> bool {
        self.answer.is_none() && !self.is_at_fault
    }
}

/// Whether nobody gives a valid answer in a match of such bots.
fn unanswered<G: FullGame>(answers: &[(Option<G::Answer>, bool)]) -> bool {
    let bots = answers.iter().map(|(answer, is_at_fault)| {
        let bot: Box<dyn Bot> =
            Box::new(Puppet::<G> { answer: answer.clone(), is_at_fault: *is_at_fault });
        (BotInfo::new("bot", "builtin"), bot)
    });
    let kind = kind_of::<G>();
    let game = kind.start(&kind.default_rules(), answers.len(), Seed(1)).unwrap();
    let options = MatchOptions { max_turns: Some(2), ..MatchOptions::default() };
    let played = Match::new(game, bots.collect(), options).unwrap().run(&mut ());
    played.unwrap().result.unanswered
}

#[test]
fn a_match_without_a_valid_answer_says_so() {
    let nothing = cellhack::Answer::default;
    let rest = || cellhack::Answer::new(cellhack::Action::Rest);
    for (first, second, expected) in [
        ((None, true), (None, true), true),
        ((None, false), (None, true), true),
        // To do nothing is an answer, if the bot chose it.
        ((Some(nothing()), false), (None, true), false),
        ((Some(nothing()), true), (None, true), true),
        ((Some(rest()), true), (None, true), false),
        ((None, true), (Some(rest()), false), false),
    ] {
        assert_eq!(unanswered::<Cellhack>(&[first, second]), expected, "{first:?} {second:?}");
    }
    assert!(unanswered::<Cellhack>(&[(None, true)]), "one player alone");
    // A message that names no action breaks the rules.
    let garbage = (Some(rezzo::Answer::Garbage), false);
    assert!(unanswered::<Rezzo>(&[garbage, (None, false)]));
    assert!(!unanswered::<Rezzo>(&[garbage, (Some(rezzo::Answer::Nop), false)]));
    // The second one wins without having been asked.
    assert!(!unanswered::<Cluster>(&[(None, true), (None, true)]));
}
