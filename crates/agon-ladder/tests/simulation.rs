//! Simulated ladders: everybody's share of time, newcomers, slow bots, seats, and the true order.
//! Some workers of a simulated server play the matches among bots of known strength.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Purpose, Rng, Seed};
use agon_ladder::{
    CountedResults, Entrant, Ladder, Lopsided, Meeting, Played, PublishOptions, PublishedRow,
    VersionId, lopsided,
};
use agon_rating::{ELO_PER_NAT, Footing};

/// A simulated bot.
#[derive(Clone, Copy, Debug)]
struct Bot {
    /// Its true strength: logarithm of odds of winning.
    strength: f64,
    /// The time that it thinks in a match, in microseconds.
    us: u64,
    /// The time that its start takes, which nobody measures.
    start_us: u64,
    /// Where it is on the circle of styles, from 0 to 1; see [`World::styles`].
    style: f64,
}

impl Bot {
    fn new(strength: f64, us: u64) -> Bot {
        Bot { strength, us, start_us: 0, style: 0.0 }
    }
}

/// A ladder, the bots on it, and the workers that play its matches.
struct World {
    ladder: Ladder,
    bots: BTreeMap<VersionId, Bot>,
    /// All matches that ended, in order.
    played: Vec<Played>,
    /// The time of each bot in these.
    spent: BTreeMap<VersionId, u64>,
    workers: usize,
    /// The players of matches that run, by end and number.
    running: BTreeMap<(u64, u64), Vec<VersionId>>,
    /// The time, in microseconds.
    clock: u64,
    number: u64,
    rng: Rng,
    /// How much styles count: each is better against those a quarter of the circle before it.
    styles: f64,
    /// Who loses to whom on purpose.
    throws: Option<[VersionId; 2]>,
    /// Whether pairs are drawn at random, for comparison.
    is_random: bool,
}

impl World {
    /// Makes a world of `count` bots whose strengths have the deviation `spread`.
    fn new(count: u64, spread: f64, workers: usize, seed: u64) -> World {
        let mut world = World {
            ladder: Ladder::new(2, Seed::plain(seed)),
            bots: BTreeMap::new(),
            played: Vec::new(),
            spent: BTreeMap::new(),
            workers,
            running: BTreeMap::new(),
            clock: 0,
            number: 0,
            rng: Seed::plain(seed).stream(Purpose::Sample, 0),
            styles: 0.0,
            throws: None,
            is_random: false,
        };
        for _ in 0..count {
            let draw: f64 = (0..12).map(|_| uniform(&mut world.rng)).sum::<f64>() - 6.0;
            let us = 5_000 + world.rng.below(10_000);
            let style = (us % 1_000) as f64 / 1_000.0;
            world.add(Bot { style, ..Bot::new(spread * draw, us) });
        }
        world
    }

    fn add(&mut self, bot: Bot) -> VersionId {
        let id = VersionId(self.rng.bits());
        self.bots.insert(id, bot);
        self.ladder.enter(Entrant::new(id, id.0));
        id
    }

    /// Plays until `count` matches ended.
    fn run(&mut self, count: usize) {
        while self.played.len() < count {
            self.start_all();
            self.end_one();
        }
    }

    /// Plays until this time.
    fn run_until(&mut self, clock: u64) {
        while self.clock < clock {
            self.start_all();
            self.end_one();
        }
    }

    fn start_all(&mut self) {
        while self.running.len() < self.workers {
            let number = self.number;
            let players =
                if self.is_random { Some(self.random_pair()) } else { self.ladder.next(number) };
            let Some(players) = players else { break };
            self.ladder.begun(&players);
            let takes = |id: &VersionId| self.bots[id].us + self.bots[id].start_us;
            let us: u64 = players.iter().map(takes).sum();
            self.running.insert((self.clock + us, number), players);
            self.number += 1;
        }
    }

    fn random_pair(&mut self) -> Vec<VersionId> {
        let ids: Vec<VersionId> = self.bots.keys().copied().collect();
        let one = self.rng.index(ids.len());
        let other = (one + 1 + self.rng.index(ids.len() - 1)) % ids.len();
        vec![ids[one], ids[other]]
    }

    fn end_one(&mut self) {
        let ((clock, _), players) = self.running.pop_first().expect("matches run");
        self.clock = clock;
        let bots = [self.bots[&players[0]], self.bots[&players[1]]];
        let turn = std::f64::consts::TAU * (bots[0].style - bots[1].style);
        let lead = bots[0].strength - bots[1].strength + self.styles * libm::sin(turn);
        let chance = match self.throws {
            Some([loser, winner]) if players == [loser, winner] => 0.0,
            Some([loser, winner]) if players == [winner, loser] => 1.0,
            _ => 1.0 / (1.0 + libm::exp(-lead)),
        };
        let places = if uniform(&mut self.rng) < chance { vec![1, 2] } else { vec![2, 1] };
        let thinking_us = bots.map(|bot| bot.us).to_vec();
        let wall_us = bots.iter().map(|bot| bot.us + bot.start_us).sum();
        let played = Played { players, places, wall_us, thinking_us };
        for (&id, us) in played.players.iter().zip(&played.thinking_us) {
            *self.spent.entry(id).or_default() += us;
        }
        self.ladder.played(&played).expect("the result is right");
        self.played.push(played);
    }

    /// Counts all matches.
    fn results(&self) -> CountedResults {
        let mut counts: BTreeMap<(Vec<VersionId>, Vec<u32>), u64> = BTreeMap::new();
        for Played { players, places, .. } in &self.played {
            let mut both: Vec<_> = players.iter().copied().zip(places.iter().copied()).collect();
            both.sort_unstable();
            *counts.entry(both.into_iter().unzip()).or_default() += 1;
        }
        let mut results = CountedResults::default();
        for ((players, places), times) in counts {
            results.add(&players, &places, times).expect("the results are right");
        }
        results
    }
}

/// Draws a number from [0, 1).
fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

#[test]
fn all_versions_get_about_the_same_time_and_even_seats() {
    let mut world = World::new(200, 1.2, 4, 1);
    world.run(4_000);
    let before = world.spent.clone();
    world.run(12_000);
    let spent: Vec<u64> = world.spent.iter().map(|(id, us)| us - before[id]).collect();
    let mean = spent.iter().sum::<u64>() / 200;
    let least = spent.iter().min().unwrap();
    let most = spent.iter().max().unwrap();
    println!("of a mean of {mean} us, from {least} to {most}");
    assert!(least * 4 > mean * 3 && most * 3 < mean * 4);
    for entrant in world.ladder.entrants() {
        assert!(entrant.seats[0].abs_diff(entrant.seats[1]) <= 2, "{entrant:?}");
    }
}

#[test]
fn the_first_matches_of_a_newcomer_come_at_once() {
    let mut world = World::new(100, 1.2, 4, 2);
    world.run(4_000);
    let id = world.add(Bot::new(2.0, 10_000));
    let matches = |world: &World| world.ladder.get(id).unwrap().matches;
    let mut ended = 4_000;
    while matches(&world) < 10 {
        ended += 1;
        world.run(ended);
    }
    println!("10 matches of the newcomer among {} others", ended - 4_010);
    assert!(ended <= 4_030);
    let has = |id: VersionId| move |played: &&Played| played.players.contains(&id);
    let opponents: BTreeSet<VersionId> =
        world.played[4_000..].iter().filter(has(id)).flat_map(|m| m.players.clone()).collect();
    assert!(opponents.len() >= 10, "ten different ones: {opponents:?}");
    let strengths =
        opponents.iter().filter(|&&other| other != id).map(|id| world.bots[id].strength);
    let low = strengths.clone().fold(f64::INFINITY, f64::min);
    let high = strengths.fold(f64::NEG_INFINITY, f64::max);
    assert!(high - low > 1.5, "from {low} to {high}");
}

#[test]
fn many_newcomers_leave_the_others_their_share() {
    let mut world = World::new(50, 1.2, 4, 3);
    world.run(2_000);
    let old = world.spent.clone();
    for round in 0..40 {
        for _ in 0..5 {
            world.add(Bot::new(0.0, 10_000));
        }
        world.run(2_000 + (round + 1) * 50);
    }
    let all: u64 = world.spent.values().sum::<u64>() - old.values().sum::<u64>();
    let own: u64 = old.iter().map(|(id, us)| world.spent[id] - us).sum();
    println!("the old versions had {own} of {all} us");
    // Now they are 50 of 250 versions. Newcomers may take half of the time.
    let least = old.iter().map(|(id, us)| world.spent[id] - us).min().unwrap();
    assert!(least > all / 250 / 2, "nobody starved: {least}");
}

#[test]
fn a_slow_version_gets_no_more_than_its_share() {
    let mut world = World::new(40, 1.2, 4, 4);
    let slow = world.add(Bot::new(0.5, 1_000_000));
    world.run(10_000);
    let mean = world.spent.values().sum::<u64>() / 41;
    println!("slow: {} of a mean of {mean} us", world.spent[&slow]);
    // At first its cost is unknown, and a match cannot be divided.
    assert!(world.spent[&slow] <= mean + 2_000_000);
    assert!(world.spent[&slow] * 2 >= mean);
    let others = world.spent.iter().filter(|&(&id, _)| id != slow);
    assert!(others.map(|(_, us)| us).min().unwrap() * 2 > mean);
}

#[test]
fn a_version_that_makes_others_wait_pays_for_it() {
    let mut world = World::new(10, 1.2, 1, 5);
    world.run(1_000);
    // It answers at once, and nobody measures its start.
    let slow = world.add(Bot { start_us: 1_000_000, ..Bot::new(0.5, 100) });
    let (begun, ended) = (world.clock, world.played.len());
    world.run_until(begun + 600_000_000);
    let matches = &world.played[ended..];
    let with = matches.iter().filter(|played| played.players.contains(&slow)).count();
    println!("{with} of {} matches are with the slow one", matches.len());
    // Half of each of its matches is its own, and it has an eleventh of the time.
    assert!(with < 200, "of 600 s, the matches with it may have two elevenths");
    assert!(matches.len() > 5_000, "the others still play");
}

/// Returns the pairs that stand out.
fn listed(world: &World) -> Vec<Lopsided> {
    let mut meetings: BTreeMap<[VersionId; 2], [u64; 3]> = BTreeMap::new();
    for played in &world.played {
        let [one, other] = [played.players[0], played.players[1]];
        let has_won = (played.places[0] < played.places[1]) == (one < other);
        let results = meetings.entry([one.min(other), one.max(other)]).or_default();
        results[if has_won { 0 } else { 2 }] += 1;
    }
    let meeting = |(versions, results): ([VersionId; 2], [u64; 3])| {
        let bots = versions.map(|id| id.0);
        Meeting { versions, bots, results }
    };
    lopsided(&meetings.into_iter().map(meeting).collect::<Vec<_>>()).unwrap()
}

#[test]
fn honest_fields_have_no_lopsided_pairs() {
    for (bots, spread, styles) in
        [(4, 1.0, 0.0), (12, 1.2, 0.0), (12, 0.5, 0.5), (20, 1.2, 0.7), (12, 1.0, 1.0)]
    {
        for seed in 0..2 {
            let mut world = World::new(bots, spread, 2, 200 + seed);
            world.styles = styles;
            world.run(150 * bots as usize);
            assert_eq!(listed(&world), [], "{bots} bots, styles {styles}, seed {seed}");
        }
    }
}

#[test]
fn whoever_loses_on_purpose_is_listed() {
    let mut found = Vec::new();
    for (bots, styles) in [(6, 0.0), (12, 0.0), (20, 0.0), (12, 0.3)] {
        for seed in 0..2 {
            let mut world = World::new(bots, 0.8, 2, 300 + seed);
            world.styles = styles;
            // The third of the true order loses to the one in the middle.
            let mut order: Vec<VersionId> = world.bots.keys().copied().collect();
            order.sort_by(|a, b| world.bots[b].strength.total_cmp(&world.bots[a].strength));
            let (loser, winner) = (order[2], order[order.len() / 2]);
            world.throws = Some([loser, winner]);
            world.run(150 * bots as usize);
            let all = listed(&world);
            println!("{bots} bots, styles {styles}, seed {seed}: {all:?}");
            assert!(all.iter().all(|one| (one.loser, one.winner) == (loser.0, winner.0)));
            found.push(all.len());
        }
    }
    let listed = found.iter().filter(|&&count| count == 1).count();
    assert!(listed * 4 >= found.len() * 3, "{found:?}");
}

/// Returns the mean distance between true and published rank.
fn rank_error(world: &World) -> f64 {
    let table = world.results().published(&PublishOptions::default()).unwrap();
    let mut truth: Vec<VersionId> = world.bots.keys().copied().collect();
    truth.sort_by(|one, other| world.bots[other].strength.total_cmp(&world.bots[one].strength));
    let place = |id| truth.iter().position(|&other| other == id).unwrap();
    let errors = table.rows.iter().enumerate().map(|(at, row)| place(row.version).abs_diff(at));
    errors.sum::<usize>() as f64 / truth.len() as f64
}

#[test]
fn the_order_is_found_better_than_by_random_matches_of_the_same_time() {
    let mut ladder = 0.0;
    let mut random = 0.0;
    for seed in 0..2 {
        let mut world = World::new(100, 1.2, 4, 10 + seed);
        world.run(4_000);
        ladder += rank_error(&world);
        let mut other = World::new(100, 1.2, 4, 10 + seed);
        other.is_random = true;
        other.run_until(world.clock);
        random += rank_error(&other);
    }
    println!("mean error of a rank: {:.2}, at random {:.2}", ladder / 2.0, random / 2.0);
    assert!(ladder < 0.95 * random);
}

/// Measures the gain over random pairs, for the page of the crate.
#[test]
#[ignore = "takes minutes"]
fn gain_over_random_matches() {
    for (bots, spread, matches) in
        [(40, 1.2, 3_000), (100, 1.2, 1_500), (100, 1.2, 4_000), (200, 1.2, 6_000)]
    {
        let mut ladder = Vec::new();
        let mut random = Vec::new();
        for seed in 0..24 {
            let mut world = World::new(bots, spread, 4, 70_000 + seed);
            world.run(matches);
            ladder.push(rank_error(&world));
            let mut other = World::new(bots, spread, 4, 70_000 + seed);
            other.is_random = true;
            other.run_until(world.clock);
            random.push(rank_error(&other));
        }
        let ratios: Vec<f64> = ladder.iter().zip(&random).map(|(one, other)| one / other).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        println!(
            "{bots} bots, {matches} matches: mean error of a rank {:.2}, at random {:.2}; ratio \
             {:.3}",
            mean(&ladder),
            mean(&random),
            mean(&ratios)
        );
    }
}

/// Returns how many of the intervals hold the truth, and the mean excess of the outer ratings.
fn coverage(world: &World) -> (usize, f64) {
    let widen = world.is_random.then_some(1.0);
    let options = PublishOptions { widen, ..PublishOptions::default() };
    let table = world.results().published(&options).unwrap();
    let firm: Vec<f64> = table
        .rows
        .iter()
        .filter(|row| row.rating.unwrap().footing == Footing::Firm)
        .map(|row| world.bots[&row.version].strength)
        .collect();
    let level = firm.iter().sum::<f64>() / firm.len() as f64;
    let truth = |id| ELO_PER_NAT * (world.bots[&id].strength - level);
    let holds = |row: &&PublishedRow| {
        let rating = row.rating.unwrap();
        (rating.low..=rating.high).contains(&truth(row.version))
    };
    let excess = |row: &PublishedRow| {
        let elo = row.rating.unwrap().elo;
        (elo - truth(row.version)) * elo.signum()
    };
    let outer = table.rows.len() / 10;
    let ends = table.rows.iter().take(outer).chain(table.rows.iter().rev().take(outer));
    let too_far = ends.map(excess).sum::<f64>() / (2 * outer) as f64;
    (table.rows.iter().filter(holds).count(), too_far)
}

/// Measures how often the intervals of published tables hold the truth, for `docs/ratings.md`.
///
/// The seeds are not those that the factor of `widening` was fitted with.
#[test]
#[ignore = "takes minutes"]
fn coverage_of_published_intervals() {
    for (bots, each) in [(12, 60), (40, 40), (100, 40), (100, 150), (300, 60)] {
        for is_random in [true, false] {
            let runs = 6_000 / bots;
            let mut held = 0;
            let mut too_far = 0.0;
            for seed in 0..runs {
                let mut world = World::new(bots, 1.15, 4, 90_000 + seed);
                world.is_random = is_random;
                world.run((bots * each / 2) as usize);
                let (count, far) = coverage(&world);
                held += count;
                too_far += far / runs as f64;
            }
            let rate = 100.0 * held as f64 / (runs * bots) as f64;
            let how = if is_random { "at random" } else { "by the ladder" };
            println!(
                "{bots} bots, {each} matches each, paired {how}: {rate:.1} % hold; the outer fifth \
                 is {too_far:.0} Elo too far out"
            );
        }
    }
}
