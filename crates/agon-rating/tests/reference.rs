//! Compares with published estimates for well-known data.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use agon_rating::{
    Anchor, ELO_PER_NAT, EloModel, Intervals, Options, Pentanomial, Record, Sprt, table,
};

/// Returns options for the plain maximum of the likelihood, with Wald's errors.
fn plain() -> Options {
    let anchor = Anchor::Player { player: 0, elo: 0.0 };
    Options { prior: 0.0, intervals: Intervals::Fisher, anchor, ..Options::default() }
}

/// Checks coefficients and standard errors (natural logarithms) relative to player 0.
fn check(records: &[Record], expected: &[(usize, f64, f64)]) {
    let table = table(records, &plain()).unwrap();
    for &(player, estimate, error) in expected {
        let row = table.row(player).unwrap();
        let found = row.elo / ELO_PER_NAT;
        let width = (row.high - row.low) / 2.0 / ELO_PER_NAT / 1.959_963_985;
        assert!((found - estimate).abs() < 6e-5, "player {player}: {found}, not {estimate}");
        assert!((width - error).abs() < 6e-5, "player {player}: error {width}, not {error}");
    }
}

fn wins(table: &[&[u32]]) -> Vec<Record> {
    let mut records = Vec::new();
    for (winner, row) in table.iter().enumerate() {
        for (loser, &count) in row.iter().enumerate() {
            records.extend((0..count).map(|_| Record::win(winner, loser)));
        }
    }
    records
}

/// Citations among Biometrika, Communications in Statistics, JASA and JRSS-B (Stigler 1994;
/// Agresti, Categorical Data Analysis, 2002, p. 448). Estimates: Turner & Firth, "Bradley-Terry
/// Models in R: The BradleyTerry2 Package", Journal of Statistical Software 48(9), 2012.
#[test]
fn citations() {
    let records =
        wins(&[&[0, 730, 498, 221], &[33, 0, 68, 17], &[320, 813, 0, 142], &[284, 276, 325, 0]]);
    check(&records, &[(1, -2.94907, 0.10255), (2, -0.47957, 0.06059), (3, 0.26895, 0.07083)]);
}

/// The American League of 1987 (Agresti 2002, p. 438), without home advantage.
///
/// Estimates: the same paper, `baseballModel1`.
#[test]
fn baseball() {
    // Baltimore, Boston, Cleveland, Detroit, Milwaukee, New York, Toronto.
    let records = wins(&[
        &[0, 1, 7, 4, 2, 3, 1],
        &[12, 0, 7, 2, 6, 7, 6],
        &[6, 6, 0, 4, 4, 6, 5],
        &[9, 11, 9, 0, 6, 5, 7],
        &[11, 7, 9, 7, 0, 7, 9],
        &[10, 6, 7, 8, 6, 0, 6],
        &[12, 7, 8, 6, 4, 7, 0],
    ]);
    let expected = [
        (1, 1.1077, 0.3339),
        (2, 0.6839, 0.3319),
        (3, 1.4364, 0.3396),
        (4, 1.5814, 0.3433),
        (5, 1.2476, 0.3359),
        (6, 1.2945, 0.3367),
    ];
    check(&records, &expected);
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
    let table = table(&records, &plain()).unwrap();
    let scale = table.groups[0].elo_per_nat;
    let worth: Vec<f64> =
        (0..6).map(|player| (table.row(player).unwrap().elo / scale).exp()).collect();
    let sum: f64 = worth.iter().sum();
    let expected = [0.13880, 0.17300, 0.16174, 0.16539, 0.15868, 0.20239];
    for (worth, expected) in worth.iter().zip(expected) {
        assert!((worth / sum - expected).abs() < 2e-5, "{} is not {expected}", worth / sum);
    }
    let ties = &table.groups[0].ties;
    assert_eq!((ties.len(), ties[0].players), (1, 2));
    assert!((ties[0].odds - 0.74681).abs() < 2e-5, "{ties:?}");
}

fn llr(model: EloModel, elo0: f64, elo1: f64, outcomes: &Pentanomial, expected: f64) {
    let found = Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap().llr(outcomes);
    assert!((found - expected).abs() < 0.0051 + 0.001 * expected.abs(), "{found}, not {expected}");
}

/// Log-likelihood ratios of tests that were run on fishtest and elsewhere, rounded to hundredths.
///
/// Source: `app/tests/sprt_test.cpp` of fastchess (<https://github.com/Disservin/fastchess>).
#[test]
fn likelihood_ratios() {
    use EloModel::{Logistic, Normalized};
    llr(Normalized, 0.0, 2.0, &Pentanomial([365, 16_618, 36_229, 16_974, 390]), 2.25);
    llr(Normalized, -1.75, 0.25, &Pentanomial([127, 4_883, 10_712, 5_150, 104]), 3.01);
    llr(Logistic, 0.5, 2.5, &Pentanomial([223, 9_863, 21_279, 10_037, 246]), -3.07);
    llr(Logistic, 0.0, 2.0, &Pentanomial([871, 26_175, 55_983, 26_678, 821]), -4.98);
}

/// If only one result ever happened, the likeliest distribution can be found by hand.
///
/// (fastchess has 2.94: it stops its iteration before it has reached a distribution with the
/// requested effect.)
#[test]
fn likelihood_ratios_of_a_single_result() {
    let test = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Normalized).unwrap();
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 0.02, "{found}, not {expected}")
    };
    let t = 5.0 / agon_rating::NORMALIZED_ELO_PER_SIGMA;
    // Only pairs won twice: the rest are pairs lost twice, (p - 1/2) / sqrt(p (1 - p)) = t √2.
    let p = 0.5 + (t * t / 2.0 / (1.0 + 2.0 * t * t)).sqrt();
    near(test.llr(&Pentanomial([0, 0, 0, 0, 104])), 104.0 * (2.0 * p).ln());
}
