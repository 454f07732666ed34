//! Matches of built-in bots, and how strong those of binfection and rezzo are against each other.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail like tests")]

use agon_core::{Game, GameExt, Player, Purpose, Seed};
use agon_games::BuiltinBots;
use agon_games::binfection::{self, Binfection};
use agon_games::rezzo::{self, Rezzo};

use crate::support::policy;

/// Plays a match of built-in bots, given as `NAME?param=value&...`, to its end.
///
/// A decision gets the random stream of `step << shift | unit`. The tests of a game always had the
/// same shift, so they show the same matches as ever.
pub(crate) fn play<G: BuiltinBots>(rules: &G::Rules, bots: &[&str], seed: Seed, shift: u32) -> G {
    let mut bots: Vec<_> = bots.iter().map(|bot| policy::<G>(bot)).collect();
    let mut game = G::new(rules, bots.len(), seed).unwrap();
    for step in 0u64.. {
        if game.is_over() {
            break;
        }
        game.step_with(|game, decision| {
            let number = step << shift | u64::from(decision.unit);
            let mut rng = seed.stream(Purpose::Bot(decision.player.0), number);
            bots[decision.player.index()].decide(&game.view(decision), &mut rng)
        });
    }
    game
}

/// Points of the first bot of binfection against the second: 2 for a win, 1 for a tie; both seats
/// on every seed.
fn duel(names: [&str; 2], side: u32, seeds: u64) -> u64 {
    let rules = binfection::Rules {
        field_width: side,
        field_height: side,
        turns_limit: 80,
        ..binfection::Rules::default()
    };
    let mut points = 0;
    for (seed, seat) in (0..seeds).flat_map(|seed| [(seed, 0), (seed, 1)]) {
        let bots = [names[seat], names[1 - seat]];
        let game: Binfection = play(&rules, &bots, Seed(seed), 0);
        let outcome = game.standing().outcome.unwrap();
        let won = outcome.winners.contains(&Player::from_index(seat));
        points += if outcome.is_tie() { 1 } else { 2 * u64::from(won) };
    }
    points
}

#[test]
fn marshal_and_horde_beat_the_older_bots() {
    for champion in ["horde", "marshal"] {
        for (other, percent) in [("random", 90), ("spreader", 75), ("general", 65)] {
            let points = duel([champion, other], 20, 10);
            assert!(5 * points >= 2 * percent, "{champion}, {other}: {points} of 40 points");
        }
    }
}

/// On a large field nobody meets anybody: more land is more units.
#[test]
fn marshal_and_horde_take_more_land_than_the_older_bots() {
    let rules = binfection::Rules {
        field_width: 300,
        field_height: 300,
        spawn_border_gap: 40,
        turns_limit: 40,
        ..binfection::Rules::default()
    };
    let land = |name| play::<Binfection>(&rules, &[name, name], Seed(1), 0).cells().len();
    let old = land("general").max(land("spreader"));
    for champion in ["horde", "marshal"] {
        assert!(land(champion) > old, "{champion}: {} and {old} cells", land(champion));
    }
}

#[test]
fn each_bot_of_binfection_beats_the_one_before_it() {
    for (side, seeds) in [(7, 6), (12, 6), (20, 10)] {
        let most = 4 * seeds;
        for pair in [["spreader", "random"], ["general", "spreader"]] {
            let points = duel(pair, side, seeds);
            assert!(5 * points >= 4 * most, "{pair:?} on {side}x{side}: {points} of {most} points");
        }
    }
}

/// How many matches of rezzo a bot wins against the wanderer.
fn wins(bot: &str, side: u32, max_ticks: u64, seeds: impl Iterator<Item = Seed>) -> usize {
    let rules = rezzo::Rules { width: side, height: side, max_ticks, ..rezzo::Rules::default() };
    let won = |seed: &Seed| {
        let game: Rezzo = play(&rules, &[bot, "wanderer"], *seed, 0);
        game.standing().outcome.unwrap().winners == [Player(0)]
    };
    seeds.filter(won).count()
}

#[test]
fn the_raider_beats_the_wanderer_on_most_small_worlds() {
    agon_testkit::slow!();
    // Eight worlds say little, so they stay the same ones.
    let won = wins("raider", 40, 2_000, (0..8).map(Seed::plain));
    assert!(won >= 5, "{won} of 8");
}

#[test]
fn the_smuggler_brings_flags_home_on_most_worlds() {
    agon_testkit::slow!();
    for name in ["smuggler", "weaver"] {
        let won = wins(name, 64, 3_000, (0..8).map(Seed));
        assert!(won >= 5, "{name}: {won} of 8");
    }
}
