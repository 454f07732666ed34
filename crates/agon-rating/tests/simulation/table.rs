//! The table finds known strengths, and its intervals hold them.

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Options, Record, Table, table};

use super::pick;

/// Strengths, as logarithms with mean 0, and odds of ties of two, three, four …
const STRENGTHS: [f64; 7] = [1.2, 0.8, 0.3, 0.0, -0.3, -0.6, -1.4];
const ODDS: [f64; 3] = [0.6, 0.3, 0.2];

/// Plays a match of `players` by the table's model, from a list of all subsets.
fn play(rng: &mut Rng, players: &[usize], odds: &[f64]) -> Record {
    let mut rest = players.to_vec();
    let mut places = vec![0; players.len()];
    let mut place = 1;
    while !rest.is_empty() {
        let member = |subset: usize, at: usize| subset >> at & 1 == 1;
        let weight = |subset: usize| {
            let size = subset.count_ones() as usize;
            let sum: f64 = (0..rest.len())
                .filter(|&at| member(subset, at))
                .map(|at| STRENGTHS[rest[at]])
                .sum();
            let odds = if size == 1 { 1.0 } else { odds.get(size - 2).copied().unwrap_or(0.0) };
            odds * (sum / size as f64).exp()
        };
        let weights: Vec<f64> = (1..1usize << rest.len()).map(weight).collect();
        let chosen = 1 + pick(rng, &weights);
        for at in (0..rest.len()).filter(|&at| member(chosen, at)) {
            places[players.iter().position(|&player| player == rest[at]).unwrap()] = place;
        }
        let mut at = 0;
        rest.retain(|_| {
            at += 1;
            !member(chosen, at - 1)
        });
        place += chosen.count_ones();
    }
    Record::new(players, &places)
}

/// Plays random matches of two to four players.
fn tournament(rng: &mut Rng, matches: usize, odds: &[f64]) -> Vec<Record> {
    let one = |_| {
        let mut players: Vec<usize> = (0..STRENGTHS.len()).collect();
        rng.shuffle(&mut players);
        let count = 2 + rng.index(3);
        play(rng, &players[..count], odds)
    };
    (0..matches).map(one).collect()
}

/// Returns a player's true rating on the table's scale.
fn truth(table: &Table, player: usize) -> f64 {
    table.groups[0].elo_per_nat
        * (STRENGTHS[player] - STRENGTHS.iter().sum::<f64>() / STRENGTHS.len() as f64)
}

/// Returns how many of the intervals hold the truth.
fn hits(table: &Table) -> usize {
    table.rows.iter().filter(|row| (row.low..=row.high).contains(&truth(table, row.player))).count()
}

#[test]
fn known_strengths_are_found() {
    let mut rng = Seed::plain(5).stream(Purpose::Sample, 0);
    let records = tournament(&mut rng, 20_000, &ODDS);
    let table = table(&records, &Options { samples: 100, ..Options::default() }).unwrap();
    let order: Vec<usize> = table.rows.iter().map(|row| row.player).collect();
    assert_eq!(order, [0, 1, 2, 3, 4, 5, 6]);
    for row in &table.rows {
        assert!((row.elo - truth(&table, row.player)).abs() < 12.0, "{row:?}");
        assert!(row.high - row.low < 18.0 && row.rank_low == row.rank_high, "{row:?}");
    }
    let group = &table.groups[0];
    assert_eq!(group.ties.iter().map(|ties| ties.players).collect::<Vec<_>>(), [2, 3, 4]);
    for (ties, odds) in group.ties.iter().zip(ODDS) {
        assert!((ties.odds / odds - 1.0).abs() < 0.1, "{ties:?}, not {odds}");
    }
    // Both matches of the same two: the mean score is the expected one.
    let sample: f64 = (0..20_000).map(|_| play(&mut rng, &[2, 5], &ODDS).score(2).unwrap()).sum();
    let elo = |player| table.row(player).unwrap().elo;
    let root = ((elo(2) - elo(5)) / group.elo_per_nat / 2.0).exp();
    let ties = group.ties[0].odds;
    let expected = (root + ties / 2.0) / (root + ties + 1.0 / root);
    assert!((expected - sample / 20_000.0).abs() < 0.01);
}

/// Returns the share of intervals that hold the truth.
///
/// All matches of the tournaments come `copies` times, as a cluster.
fn coverage(runs: usize, matches: usize, copies: usize, odds: &[f64]) -> f64 {
    let mut held = 0;
    let mut ranks = 0;
    for seed in 0..runs as u64 {
        let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
        let records: Vec<Record> = (0..)
            .zip(tournament(&mut rng, matches, odds))
            .flat_map(|(number, record)| vec![record.clustered(number); copies])
            .collect();
        let options = Options { samples: 300, seed: Seed::plain(seed), ..Options::default() };
        let table = table(&records, &options).unwrap();
        held += hits(&table);
        // The players are numbered by strength.
        ranks += table
            .rows
            .iter()
            .filter(|row| (row.rank_low..=row.rank_high).contains(&(row.player + 1)))
            .count();
    }
    let part = |count: usize| count as f64 / (runs * STRENGTHS.len()) as f64;
    let rate = part(held);
    let ranks = part(ranks);
    println!("{matches} matches, {copies} of each, ties {odds:?}: {rate:.4} of {runs} runs");
    println!("... true rank within its range: {ranks:.4}");
    assert!(copies > 1 || ranks > 0.95, "ranks are whole, so that their ranges hold more: {ranks}");
    rate
}

#[test]
fn intervals_hold_the_truth() {
    // 1400 intervals: the standard deviation of the rate is about 0.006, and the seven of a
    // tournament depend on each other.
    for odds in [&[][..], &ODDS] {
        let rate = coverage(200, 150, 1, odds);
        assert!((0.925..0.975).contains(&rate), "{rate}");
    }
}

#[test]
fn the_design_effect_sees_through_repeated_matches() {
    let rate = coverage(40, 80, 3, &ODDS);
    assert!((0.88..0.99).contains(&rate), "{rate}");
}

#[test]
#[cfg(feature = "long-tests")]
fn intervals_hold_the_truth_at_length() {
    for odds in [&[][..], &ODDS] {
        for matches in [60, 150, 600] {
            let rate = coverage(3_000, matches, 1, odds);
            assert!((0.94..0.965).contains(&rate), "{rate}");
        }
    }
}
