//! Compares the plain maximum of the likelihood with published estimates for well-known data, and
//! with a plain algorithm.

use proptest::prelude::*;

use super::*;
use crate::Record;

/// Returns the estimates without any prior, and the covariances of the players' strengths.
fn plain(players: usize, records: &[Record]) -> (Vec<f64>, Vec<f64>) {
    let choices = Choices::new(players, &records.iter().collect::<Vec<_>>(), |player| player);
    let totals = choices.totals();
    let mut solver = Solver::new(&choices, Penalty::default());
    let values = solver.fit(&totals, &vec![0.0; choices.parameters()]).unwrap();
    let information = solver.information(&totals, &values).dense();
    (values, covariance(information, choices.parameters(), players))
}

/// Checks coefficients and standard errors (natural logarithms) relative to player 0, for the
/// number of wins of each row's player against each column's.
fn check<const N: usize>(wins: [[u32; N]; N], expected: &[(usize, f64, f64)]) {
    let mut records = Vec::new();
    for (winner, row) in wins.iter().enumerate() {
        for (loser, &count) in row.iter().enumerate() {
            records.extend((0..count).map(|_| Record::win(winner, loser)));
        }
    }
    let (values, covariance) = plain(N, &records);
    let at = |row: usize, column: usize| covariance[row * N + column];
    for &(player, estimate, error) in expected {
        let found = values[player] - values[0];
        let width = (at(player, player) + at(0, 0) - 2.0 * at(player, 0)).sqrt();
        assert!((found - estimate).abs() < 6e-5, "player {player}: {found}, not {estimate}");
        assert!((width - error).abs() < 6e-5, "player {player}: error {width}, not {error}");
    }
}

/// Citations among Biometrika, Communications in Statistics, JASA and JRSS-B (Stigler 1994;
/// Agresti, Categorical Data Analysis, 2002, p. 448). Estimates: Turner & Firth, "Bradley-Terry
/// Models in R: The BradleyTerry2 Package", Journal of Statistical Software 48(9), 2012.
#[test]
fn citations() {
    let wins = [[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]];
    check(wins, &[(1, -2.94907, 0.10255), (2, -0.47957, 0.06059), (3, 0.26895, 0.07083)]);
}

/// The American League of 1987 (Agresti 2002, p. 438), without home advantage.
///
/// Estimates: the same paper, `baseballModel1`.
#[test]
fn baseball() {
    // Baltimore, Boston, Cleveland, Detroit, Milwaukee, New York, Toronto.
    let wins = [
        [0, 1, 7, 4, 2, 3, 1],
        [12, 0, 7, 2, 6, 7, 6],
        [6, 6, 0, 4, 4, 6, 5],
        [9, 11, 9, 0, 6, 5, 7],
        [11, 7, 9, 7, 0, 7, 9],
        [10, 6, 7, 8, 6, 0, 6],
        [12, 7, 8, 6, 4, 7, 0],
    ];
    let expected = [
        (1, 1.1077, 0.3339),
        (2, 0.6839, 0.3319),
        (3, 1.4364, 0.3396),
        (4, 1.5814, 0.3433),
        (5, 1.2476, 0.3359),
        (6, 1.2945, 0.3367),
    ];
    check(wins, &expected);
}

/// Chocolate puddings, with ties (Davidson 1970, table 2).
///
/// Estimates: the same paper, reproduced in Turner, van Etten, Firth & Kosmidis, "Modelling
/// rankings in R: the PlackettLuce package", Computational Statistics 35, 2020: strengths that sum
/// to 1, and ν.
#[test]
fn puddings() {
    // Brands i and j, i preferred, j preferred, no preference.
    let comparisons = [
        (1, 2, 19, 22, 16),
        (1, 3, 16, 19, 12),
        (2, 3, 19, 19, 10),
        (1, 4, 18, 23, 13),
        (2, 4, 23, 19, 9),
        (3, 4, 19, 20, 15),
        (1, 5, 13, 19, 18),
        (2, 5, 16, 20, 12),
        (3, 5, 16, 15, 17),
        (4, 5, 17, 14, 16),
        (1, 6, 18, 21, 12),
        (2, 6, 22, 20, 12),
        (3, 6, 13, 18, 10),
        (4, 6, 14, 19, 18),
        (5, 6, 11, 21, 12),
    ];
    let mut records = Vec::new();
    for (i, j, first, second, none) in comparisons {
        let outcomes = [
            (Record::win(i - 1, j - 1), first),
            (Record::win(j - 1, i - 1), second),
            (Record::tie(i - 1, j - 1), none),
        ];
        records.extend(outcomes.map(|(record, times)| record.weighted(f64::from(times))));
    }
    let (values, _) = plain(6, &records);
    let worth: Vec<f64> = values[..6].iter().map(|&strength| libm::exp(strength)).collect();
    let sum: f64 = worth.iter().sum();
    let expected = [0.13880, 0.17300, 0.16174, 0.16539, 0.15868, 0.20239];
    for (worth, expected) in worth.iter().zip(expected) {
        assert!((worth / sum - expected).abs() < 2e-5, "{} is not {expected}", worth / sum);
    }
    assert_eq!(values.len(), 7, "only two tie");
    assert!((libm::exp(values[6]) - 0.74681).abs() < 2e-5, "{values:?}");
}

const PLAYERS: usize = 6;

/// Generates a match of two to five of the players, in order of place, without ties.
fn ranking() -> impl Strategy<Value = Record> {
    let players = Just((0..PLAYERS).collect::<Vec<_>>()).prop_shuffle();
    (players, 2..6usize).prop_map(|(players, count)| {
        let places: Vec<u32> = (1..=count as u32).collect();
        Record::new(&players[..count], &places)
    })
}

/// Returns the Plackett-Luce estimates with mean 0, by Hunter's algorithm.
///
/// Source: "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32(1), 2004.
/// The players of the records are in order of place.
fn minorize(records: &[Record]) -> Vec<f64> {
    let mut strengths = [1.0; PLAYERS];
    for _ in 0..3_000 {
        let mut wins = [0.0; PLAYERS];
        let mut chances = [0.0; PLAYERS];
        for record in records {
            for stage in 0..record.players.len() - 1 {
                let rest = &record.players[stage..];
                let sum: f64 = rest.iter().map(|&player| strengths[player]).sum();
                wins[rest[0]] += 1.0;
                rest.iter().for_each(|&player| chances[player] += 1.0 / sum);
            }
        }
        (0..PLAYERS).for_each(|player| strengths[player] = wins[player] / chances[player]);
    }
    let logs = strengths.map(libm::log);
    let mean = logs.iter().sum::<f64>() / PLAYERS as f64;
    logs.iter().map(|log| log - mean).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_fit_is_that_of_a_plain_algorithm(records in prop::collection::vec(ranking(), 1..40)) {
        // A round of wins each way guarantees a maximum.
        let ring = (0..PLAYERS).flat_map(|at| {
            let next = (at + 1) % PLAYERS;
            [Record::win(at, next), Record::win(next, at)]
        });
        let all: Vec<Record> = records.into_iter().chain(ring).collect();
        let (values, _) = plain(PLAYERS, &all);
        for (found, expected) in values.iter().zip(minorize(&all)) {
            prop_assert!((found - expected).abs() < 5e-5, "{} is not {}", found, expected);
        }
    }
}
