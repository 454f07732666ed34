//! The sequential test of two players has the promised errors.

use agon_core::{Purpose, Seed};
use agon_rating::{Decision, EloModel, NORMALIZED_ELO_PER_SIGMA, Pentanomial, Sprt, score_of_elo};

use super::{at_most, pick};

/// The chances of mirrored pairs.
#[derive(Clone, Copy, Debug)]
struct Pairs {
    /// The share of ties.
    ties: f64,
    /// The share of seeds that decide: the bot with the better seat wins, so each wins once.
    seats: f64,
    /// The share of pairs whose second match repeats the first.
    repeats: f64,
}

const KINDS: [Pairs; 5] = [
    Pairs { ties: 0.0, seats: 0.0, repeats: 0.0 },
    Pairs { ties: 0.5, seats: 0.0, repeats: 0.0 },
    Pairs { ties: 0.85, seats: 0.0, repeats: 0.0 },
    Pairs { ties: 0.2, seats: 0.5, repeats: 0.0 },
    Pairs { ties: 0.2, seats: 0.0, repeats: 0.5 },
];

impl Pairs {
    /// Returns the probabilities of 0, ½, … 2 points if the mean score of a match is `score`.
    fn chances(self, score: f64) -> [f64; 5] {
        let score = 0.5 + (score - 0.5) / (1.0 - self.seats);
        let win = score - self.ties / 2.0;
        let loss = 1.0 - score - self.ties / 2.0;
        assert!(win >= 0.0 && loss >= 0.0, "there are too many ties for this score");
        let single = [loss, self.ties, win];
        let mut pair = [0.0; 5];
        for (first, one) in single.iter().enumerate() {
            pair[2 * first] += self.repeats * one;
            for (second, other) in single.iter().enumerate() {
                pair[first + second] += (1.0 - self.repeats) * one * other;
            }
        }
        pair = pair.map(|chance| chance * (1.0 - self.seats));
        pair[2] += self.seats;
        pair
    }

    /// Finds the mean score with this normalised Elo, by halving intervals.
    fn normalized_score(self, elo: f64) -> f64 {
        let found = |score: f64| {
            let chances = self.chances(score);
            let square = |(at, chance): (usize, &f64)| chance * (at as f64 / 4.0 - score).powi(2);
            let variance: f64 = chances.iter().enumerate().map(square).sum();
            NORMALIZED_ELO_PER_SIGMA * (score - 0.5) / (2.0 * variance).sqrt()
        };
        let (mut low, mut high) = (0.5, 1.0 - self.ties / 2.0 - self.seats / 2.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if found(middle) < elo { low = middle } else { high = middle }
        }
        low
    }
}

fn run(test: &Sprt, chances: [f64; 5], seed: Seed) -> (Decision, u64) {
    let mut rng = seed.stream(Purpose::Sample, 0);
    let mut counts = Pentanomial::default();
    let (lower, upper) = test.bounds();
    for pairs in 1..100_000 {
        counts.0[pick(&mut rng, &chances)] += 1;
        let llr = test.llr(&counts);
        if llr >= upper {
            return (Decision::AcceptH1, pairs);
        } else if llr <= lower {
            return (Decision::AcceptH0, pairs);
        }
    }
    (Decision::Continue, 100_000)
}

/// Checks errors; `least` is the share of the allowed errors that must occur.
fn errors(runs: usize, elo1: f64, least: f64) {
    let alpha = 0.05;
    let beta = 0.1;
    for kind in KINDS {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let test = Sprt::new(0.0, elo1, alpha, beta, model).unwrap();
            let better = match model {
                EloModel::Logistic => score_of_elo(elo1),
                EloModel::Normalized => kind.normalized_score(elo1),
            };
            for (score, wrong, limit) in
                [(0.5, Decision::AcceptH1, alpha), (better, Decision::AcceptH0, beta)]
            {
                let chances = kind.chances(score);
                let ends: Vec<_> =
                    (0..runs as u64).map(|seed| run(&test, chances, Seed::plain(seed))).collect();
                assert!(ends.iter().all(|end| end.0 != Decision::Continue));
                let mean = ends.iter().map(|end| end.1).sum::<u64>() as f64 / runs as f64;
                let count = ends.iter().filter(|end| end.0 == wrong).count();
                at_most(
                    &format!("{kind:?} {model:?} {wrong:?}, {mean:.0} pairs"),
                    count,
                    runs,
                    limit,
                );
                // A test with far fewer errors than allowed wastes matches.
                assert!(count as f64 >= least * limit * runs as f64, "{count} errors are too few");
            }
        }
    }
}

#[test]
fn errors_are_as_rare_as_promised() {
    errors(300, 40.0, 0.0);
}

#[test]
#[cfg(feature = "long-tests")]
fn errors_are_as_rare_as_promised_at_length() {
    errors(5_000, 15.0, 0.5);
}

/// The range of hypotheses in normalised Elo, up to its end.
#[test]
fn large_hypotheses_have_as_few_errors() {
    let (alpha, beta) = (0.05, 0.1);
    for (kind, elo0, elo1) in [
        (KINDS[0], 0.0, 232.0),
        (KINDS[1], 0.0, 300.0),
        (KINDS[4], 0.0, 350.0),
        (KINDS[0], 0.0, 700.0),
        (KINDS[0], 400.0, 700.0),
    ] {
        let test = Sprt::new(elo0, elo1, alpha, beta, EloModel::Normalized).unwrap();
        for (elo, wrong, limit) in
            [(elo0, Decision::AcceptH1, alpha), (elo1, Decision::AcceptH0, beta)]
        {
            let chances = kind.chances(kind.normalized_score(elo));
            let runs = 300;
            let ends: Vec<_> =
                (0..runs as u64).map(|seed| run(&test, chances, Seed::plain(seed))).collect();
            assert!(ends.iter().all(|end| end.0 != Decision::Continue));
            let count = ends.iter().filter(|end| end.0 == wrong).count();
            at_most(&format!("{kind:?} {elo0} {elo1} {wrong:?}"), count, runs, limit);
        }
    }
}
