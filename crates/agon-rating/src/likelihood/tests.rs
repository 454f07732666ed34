//! Compares the likelihood with plain computations.

use agon_core::{Purpose, Rng, Seed};

use super::*;
use crate::Record;
use crate::fit::{Duel, Penalty, Solver};

fn choices(players: usize, records: &[Record]) -> Choices {
    Choices::new(players, &records.iter().collect::<Vec<_>>(), |player| player)
}

fn likelihood(players: usize, records: &[Record]) -> Likelihood {
    let choices = choices(players, records);
    let totals = choices.totals();
    Likelihood::new(choices, totals, 1.0).unwrap().0
}

fn duels(wins: usize, losses: usize) -> Vec<Record> {
    [vec![Record::win(0, 1); wins], vec![Record::win(1, 0); losses]].concat()
}

/// Makes random matches; the lower number tends to win.
fn field(players: usize, matches: usize, seed: u64) -> Vec<Record> {
    let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
    let one = |rng: &mut Rng| {
        let mut order: Vec<usize> = (0..players).collect();
        rng.shuffle(&mut order);
        match rng.below(10) {
            0 => Record::tie(order[0], order[1]),
            1..=6 => Record::win(order[0].min(order[1]), order[0].max(order[1])),
            _ => Record::win(order[0].max(order[1]), order[0].min(order[1])),
        }
    };
    (0..matches).map(|_| one(&mut rng)).collect()
}

/// Returns the probability that a fair coin has this result or a better one.
///
/// The result itself counts half.
fn half_counted(wins: u64, losses: u64) -> f64 {
    let all = wins + losses;
    let choose =
        |k: u64| (0..k).fold(1.0, |product, i| product * (all - i) as f64 / (i + 1) as f64);
    let tail: f64 = (wins + 1..=all).map(choose).sum();
    (tail + choose(wins) / 2.0) / libm::exp2(all as f64)
}

#[test]
fn two_players_are_told_apart_as_by_an_exact_test() {
    for (wins, losses) in [(3, 0), (5, 0), (10, 0), (10, 1), (7, 3), (60, 40)] {
        let found = likelihood(2, &duels(wins, losses)).superiority(0, 1);
        let exact = 1.0 - half_counted(wins as u64, losses as u64);
        assert!((found - exact).abs() < 0.008, "{wins}:{losses} {found}, not {exact}");
    }
}

#[test]
fn more_wins_never_weaken_the_verdict() {
    let mut last = 0.5;
    for wins in 1..200 {
        let found = likelihood(2, &duels(wins, 0)).superiority(0, 1);
        let with_a_loss = likelihood(2, &duels(wins, 1)).superiority(0, 1);
        assert!(
            found >= last && with_a_loss <= found,
            "{wins}: {found} after {last}, {with_a_loss}"
        );
        last = found;
    }
    assert!(last > 0.999_999, "{last}");
}

#[test]
fn imagined_duels_of_two_players_are_one() {
    let choices = choices(2, &duels(7, 3));
    let (solver, _) = duels::fit(&choices, &choices.totals()).ok().unwrap();
    let found = solver.duels();
    assert_eq!((found.len(), (found[0].one, found[0].other)), (1, (0, 1)));
    assert!((found[0].weight - 1.0).abs() < 1e-12);
}

/// Returns the signed root for two equal players, from a full fit that ties them together.
fn exact_root(players: usize, records: &[Record], one: usize, other: usize) -> f64 {
    const TIED: f64 = 1e5;
    let choices = choices(players, records);
    let totals = choices.totals();
    let imagined = duels::fit(&choices, &totals).ok().unwrap().0.duels().to_vec();
    let fitted = |duels: Vec<Duel>| {
        let penalty = Penalty { players: 0.0, ties: 0.1, duels };
        let mut solver = Solver::new(&choices, penalty);
        let values = solver.fit(&totals, &vec![0.0; choices.parameters()]).unwrap();
        (solver.height(&totals, &values), values)
    };
    let (free, values) = fitted(imagined.clone());
    let tie = Duel { one: one as u32, other: other as u32, weight: TIED };
    let (tied, held) = fitted([imagined, vec![tie]].concat());
    let ratio = 2.0 * (free - (tied - tie.height(held[one] - held[other])));
    (values[one] - values[other]).signum() * ratio.max(0.0).sqrt()
}

#[test]
fn moving_two_alone_is_close_to_moving_all() {
    let lone = |seed| {
        let mut records = field(6, 60, seed);
        records.extend((0..6).flat_map(|other| vec![Record::win(6, other); 3]));
        records
    };
    let fields = [(6, field(6, 40, 1)), (12, field(12, 60, 2)), (7, lone(3)), (7, lone(4))];
    for (players, records) in fields {
        let likelihood = likelihood(players, &records);
        for one in 0..players {
            for other in 0..one {
                let exact = exact_root(players, &records, one, other);
                let found = likelihood.root_of_equality(one, other);
                let close = 0.05 + 0.06 * exact.abs();
                assert!(
                    (found - exact).abs() < close,
                    "{one}, {other} of {players}: {found}, not {exact}"
                );
            }
        }
    }
}

#[test]
fn seeds_count_as_what_they_tell() {
    let seed = |number, first: [usize; 2], second: [usize; 2]| {
        [first, second].map(|[one, other]| Record::win(one, other).clustered(number))
    };
    let played = |alike: bool, seeds: u64| {
        let mut rng = Seed::plain(7).stream(Purpose::Sample, 0);
        let one = |number| {
            let first = if rng.chance(1, 2) { [0, 1] } else { [1, 0] };
            seed(number, first, if alike { first } else { [first[1], first[0]] })
        };
        let records: Vec<Record> = (0..seeds).flat_map(one).collect();
        likelihood(2, &records).effect
    };
    assert!((played(true, 40) - 2.0).abs() < 0.05, "the second match of a seed tells nothing");
    assert!(played(false, 400) < 0.3, "each seed ends level");
    assert!((0.25..0.5).contains(&played(false, 40)), "that is less sure");
    assert_eq!(played(false, 10), 1.0, "too few to tell");
    assert!(played(true, 10) > 1.5, "few are enough to see a danger");
    assert_eq!(likelihood(2, &duels(5, 5)).effect, 1.0);
}
