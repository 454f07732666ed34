//! Compares with published estimates for well-known data.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use agon_rating::{
    Anchor, ELO_PER_NAT, EloEstimate, EloModel, Intervals, Options, Outcomes, Pentanomial, Record,
    Sprt, Trinomial, table,
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

fn llr(model: EloModel, elo0: f64, elo1: f64, outcomes: &impl Outcomes, expected: f64) {
    let found = Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap().llr(outcomes);
    assert!((found - expected).abs() < 0.0051 + 0.001 * expected.abs(), "{found}, not {expected}");
}

/// Log-likelihood ratios of tests that were run on fishtest and elsewhere, rounded to hundredths.
///
/// Source: `app/tests/sprt_test.cpp` of fastchess (<https://github.com/Disservin/fastchess>).
#[test]
fn likelihood_ratios() {
    use EloModel::{Logistic, Normalized};
    llr(Normalized, 0.0, 2.0, &Trinomial([36_027, 68_692, 36_433]), 0.92);
    llr(Normalized, -1.75, 0.25, &Trinomial([10_650, 20_431, 10_871]), 2.30);
    llr(Logistic, 0.5, 2.5, &Trinomial([21_184, 40_708, 21_404]), -1.57);
    llr(Logistic, 0.0, 2.0, &Trinomial([57_030, 106_593, 57_433]), -2.59);
    llr(Normalized, 0.0, 2.0, &Pentanomial([365, 16_618, 36_229, 16_974, 390]), 2.25);
    llr(Normalized, -1.75, 0.25, &Pentanomial([127, 4_883, 10_712, 5_150, 104]), 3.01);
    llr(Logistic, 0.5, 2.5, &Pentanomial([223, 9_863, 21_279, 10_037, 246]), -3.07);
    llr(Logistic, 0.0, 2.0, &Pentanomial([871, 26_175, 55_983, 26_678, 821]), -4.98);
}

/// If only one result ever happened, the likeliest distributions can be found by hand.
///
/// (fastchess has 2.97 and 2.94 for these: it stops its iteration before it has reached a
/// distribution with the requested effect.)
#[test]
fn likelihood_ratios_of_a_single_result() {
    let test = Sprt::new(0.0, 5.0, 0.05, 0.05, EloModel::Normalized).unwrap();
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 0.02, "{found}, not {expected}")
    };
    // Only ties: losses have the probability 0, and wins p with about (p / 2) / sqrt(p / 4) = t.
    let t = 5.0 / agon_rating::NORMALIZED_ELO_PER_SIGMA;
    near(test.llr(&Trinomial([0, 16_700, 0])), 16_700.0 * (-t * t).ln_1p());
    // Only pairs won twice: the rest are pairs lost twice, (p - 1/2) / sqrt(p (1 - p)) = t √2.
    let p = 0.5 + (t * t / 2.0 / (1.0 + 2.0 * t * t)).sqrt();
    near(test.llr(&Pentanomial([0, 0, 0, 0, 104])), 104.0 * (2.0 * p).ln());
}

/// Compares expected Elo and normalised Elo, half of their intervals, and percent of superiority.
fn estimate(
    outcomes: &impl Outcomes,
    elo: Option<[f64; 2]>,
    normalized: [f64; 2],
    superiority: Option<f64>,
) {
    let found = EloEstimate::of(outcomes);
    let near = |what: &str, found: f64, expected: f64| {
        assert!(
            (found - expected).abs() < 0.0051 + 1e-3 * expected.abs(),
            "{what} {found}, not {expected}"
        );
    };
    if let Some([elo, width]) = elo {
        near("elo", found.elo, elo);
        near("elo interval", (found.elo_high - found.elo_low) / 2.0, width);
    }
    near("normalized", found.normalized, normalized[0]);
    near(
        "normalized interval",
        (found.normalized_high - found.normalized_low) / 2.0,
        normalized[1],
    );
    if let Some(percent) = superiority {
        near("superiority", 100.0 * found.superiority, percent);
    }
}

/// Source: `app/tests/elo_test.cpp` of fastchess.
#[test]
fn elo_estimates() {
    estimate(&Trinomial([89, 123, 76]), None, [-20.76, 40.13], Some(15.53));
    estimate(&Trinomial([96, 111, 136]), Some([40.70, 30.43]), [49.77, 36.77], Some(99.60));
    estimate(&Trinomial([356, 0, 34]), None, [-508.44, 34.48], None);
    estimate(&Pentanomial([34, 54, 63, 64, 75]), Some([55.58, 27.65]), [57.94, 28.28], Some(100.0));
    estimate(
        &Pentanomial([332, 433, 498, 333, 334]),
        Some([-8.64, 10.33]),
        [-9.17, 10.96],
        Some(5.05),
    );
    estimate(
        &Pentanomial([7895, 8757, 5685, 568, 9999]),
        Some([-21.04, 2.95]),
        [-19.01, 2.65],
        None,
    );
}
