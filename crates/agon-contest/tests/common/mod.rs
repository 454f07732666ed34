//! Tournaments with made-up results, for the other tests.
#![allow(clippy::unwrap_used, dead_code, unreachable_pub)] // Each test binary uses its own part.

use std::collections::BTreeMap;

use agon_contest::{Entrant, Games, Match, Outcome, Schedule, format::*};
use agon_core::{Purpose, Seed, mix};

/// A result that depends on the match alone: the better entrant wins more often, one match in five
/// is a tie.
pub fn made_up(game: &Match) -> Outcome {
    let key =
        game.seats.iter().fold(game.seed.number() ^ 0x5EED, |key, e| mix(key ^ u64::from(e.0)));
    let mut rng = Seed::plain(mix(key ^ u64::from(game.id.number))).stream(Purpose::Script, 0);
    let tie = rng.chance(1, 5);
    let scores: Vec<i64> = game
        .seats
        .iter()
        .map(|e| if tie { 7 } else { rng.between(0, 40) - i64::from(e.0 % 64) })
        .collect();
    let places = scores
        .iter()
        .map(|own| 1 + scores.iter().filter(|other| *other > own).count() as u32)
        .collect();
    Outcome::new(places, scores)
}

/// Plays to the end, or `limit` matches, always taking the match that `order` draws; gives all
/// matches in the order in which they were played.
pub fn play(schedule: &mut Schedule, order: u64, limit: usize) -> Vec<(Match, Outcome)> {
    let mut rng = Seed::plain(order).stream(Purpose::Order, 1);
    let mut all = Vec::new();
    while !schedule.is_finished() && all.len() < limit {
        let mut wave = schedule.missing();
        assert!(!wave.is_empty(), "a tournament that is not over has something to play");
        rng.shuffle(&mut wave);
        for game in wave.into_iter().take(limit - all.len()) {
            let outcome = made_up(&game);
            schedule.record(game.id, outcome.clone()).unwrap();
            all.push((game, outcome));
        }
    }
    all
}

/// How often each entrant had each seat.
pub fn seats(matches: &[(Match, Outcome)]) -> BTreeMap<(Entrant, usize), u32> {
    let mut counts = BTreeMap::new();
    for (game, _) in matches {
        for (seat, entrant) in game.seats.iter().enumerate() {
            *counts.entry((*entrant, seat)).or_insert(0) += 1;
        }
    }
    counts
}

/// How many matches each of `count` entrants played.
pub fn counts(matches: &[(Match, Outcome)], count: usize) -> Vec<u32> {
    let mut counts = vec![0; count];
    matches.iter().flat_map(|(game, _)| &game.seats).for_each(|e| counts[e.index()] += 1);
    counts
}

pub const MIRRORED: Games = Games { matches: 2, mirrored: true };
pub const SINGLE: Games = Games { matches: 1, mirrored: false };

/// All formats for `n` entrants.
pub fn formats(n: usize, games: Games) -> Vec<(&'static str, Box<dyn Format>)> {
    let all = || Entrant::all(n);
    let ties = Ties { more: 2 };
    let groups =
        |size, advance, within| Groups { seeding: all(), size, advance, within, games, ties };
    let rules = LadderRules {
        entrants: n,
        size: 2,
        wave: 5,
        limit: Some(60),
        floor: 4,
        games,
        seed: Seed(3),
    };
    let ladder = |matchmaker| Ladder::new(rules, matchmaker);
    let of_three = LadderRules { size: 3.min(n), ..rules };
    vec![
        ("round robin", Box::new(RoundRobin::pairs(n, games))),
        ("groups of 3", Box::new(RoundRobin::groups(n, 3.min(n), None, games, Seed(3)))),
        ("gauntlet", Box::new(Gauntlet::new(n, &[Entrant(1)], games))),
        ("swiss", Box::new(Swiss::new(n, None, games))),
        ("elimination", Box::new(Bracket::single(all(), games, ties))),
        ("double elimination", Box::new(Bracket::double(all(), false, games, ties))),
        ("double elimination, reset", Box::new(Bracket::double(all(), true, games, ties))),
        ("knock-out of groups", Box::new(groups(4, 1, Within::Together))),
        ("groups of pairs", Box::new(groups(4, 2, Within::Pairs))),
        ("random ladder", Box::new(ladder(Box::new(RandomMatchmaker)))),
        ("adaptive ladder", Box::new(ladder(Box::<AdaptiveMatchmaker>::default()))),
        (
            "adaptive ladder of 3",
            Box::new(Ladder::new(of_three, Box::<AdaptiveMatchmaker>::default())),
        ),
    ]
}

/// A result in order of ranks, the lowest first.
pub fn by_rank(game: &Match, rank: impl Fn(&Entrant) -> u32) -> Outcome {
    let ranks: Vec<u32> = game.seats.iter().map(rank).collect();
    let places = ranks
        .iter()
        .map(|own| 1 + ranks.iter().filter(|other| *other < own).count() as u32)
        .collect();
    Outcome::new(places, ranks.iter().map(|rank| -i64::from(*rank)).collect())
}

/// Plays to the end; the one that comes first in the plan wins.
pub fn better_wins(schedule: &mut Schedule) {
    while let Some(game) = schedule.missing().first().cloned() {
        schedule.record(game.id, by_rank(&game, |e| e.0)).unwrap();
    }
}
