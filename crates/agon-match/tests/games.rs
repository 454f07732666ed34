//! Matches of every game between its own built-in bots, recorded and proven.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_bots::{Bot, BuiltinBot};
use agon_core::{BotInfo, Seed};
use agon_games::{GameId, Lineup, with_game};
use agon_match::{Control, Match, MatchOptions, MatchResult, Moment};
use agon_replay::Replay;

/// Plays the bots that the game shows for a while, and calls `watch` with every state.
fn record<G: Lineup>(turns: u64, mut watch: impl FnMut(&Moment<'_, G>)) -> (MatchResult, Vec<u8>) {
    let bot = |spec: &&str| {
        let (name, params) = spec.split_once('?').unwrap_or((spec, ""));
        let pair =
            |param: &str| param.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let params: Vec<_> = params.split('&').filter_map(pair).collect();
        let bot: Box<dyn Bot<G>> = Box::new(BuiltinBot::find(G::BUILTINS, name, &params).unwrap());
        (BotInfo::new(*spec, "builtin"), bot)
    };
    let bots: Vec<_> = G::SHOW.iter().map(bot).collect();
    let game = G::new(&G::Rules::default(), bots.len(), Seed(11)).unwrap();
    let options = MatchOptions { max_turns: Some(turns), ..MatchOptions::default() };
    let mut observer = |moment: &Moment<'_, G>| {
        watch(moment);
        Control::Continue
    };
    let (played, file) = Match::new(game, bots, options).unwrap().record(Vec::new(), &mut observer).unwrap();
    (played.result, file)
}

fn check<G: Lineup>(turns: u64) {
    let mut kept = Vec::new();
    let (result, file) = record::<G>(turns, |moment| {
        if moment.step % 97 == 0 {
            kept.push((moment.step, moment.game.clone()));
        }
    });
    assert!(result.faults.is_empty(), "{:?}", result.faults);
    let replay = Replay::open(file.as_slice()).unwrap();
    let verdict = replay.verify::<G>();
    assert!(verdict.is_proven(), "{}: {verdict}", G::META.id);
    assert_eq!((replay.steps(), replay.decisions()), (result.steps, result.decisions));
    for (step, game) in kept {
        assert_eq!(replay.seek::<G>(step).unwrap(), game, "{} after {step} steps", G::META.id);
    }
    assert_eq!(record::<G>(turns, |_| ()).1, file, "the same match gives the same bytes");
}

#[test]
fn every_game_is_recorded_and_proven() {
    for id in GameId::ALL {
        let turns = match id {
            GameId::Amoebas | GameId::Binfection => 40,
            GameId::Cellhack => 150,
            GameId::Cluster | GameId::Rezzo => 300,
        };
        with_game!(id, G => check::<G>(turns));
    }
}

#[test]
fn games_with_many_decisions_take_less_than_a_byte_for_each() {
    for (id, turns) in [(GameId::Amoebas, 150), (GameId::Cellhack, 300)] {
        let (result, file) = with_game!(id, G => record::<G>(turns, |_| ()));
        let per_decision = file.len() as f64 / result.decisions as f64;
        assert!(per_decision < 0.8, "{id}: {per_decision} bytes for each of {} decisions", result.decisions);
    }
}
