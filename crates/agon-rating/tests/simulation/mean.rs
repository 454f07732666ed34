//! Intervals of means hold the true mean, even for few, equal or lopsided scores.

use agon_core::{Purpose, Rng, Seed};
use agon_rating::MeanInterval;

use super::{pick, uniform};

/// A source of scores, and their mean.
type Source = (&'static str, fn(&mut Rng) -> f64, f64);

/// Draws an all-or-nothing score.
fn coin(rng: &mut Rng, chance: f64) -> f64 {
    if uniform(rng) < chance { 1.0 } else { 0.0 }
}

/// Draws the score of a seat among four players, by the probabilities of its places.
fn share(rng: &mut Rng) -> f64 {
    [1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0][pick(rng, &[0.4, 0.3, 0.2, 0.1])]
}

/// Draws the mean score over all rotations of a seed.
fn rotations(rng: &mut Rng) -> f64 {
    (0..4).map(|_| share(rng)).sum::<f64>() / 4.0
}

const SOURCES: [Source; 9] = [
    ("all or nothing, even", |rng| coin(rng, 0.5), 0.5),
    ("all or nothing, 80 %", |rng| coin(rng, 0.8), 0.8),
    ("90 % ties", |rng| [1.0, 0.5, 0.0][pick(rng, &[0.06, 0.9, 0.04])], 0.51),
    ("90 % ties, the rest lost", |rng| [0.5, 0.0][pick(rng, &[0.9, 0.1])], 0.45),
    ("mirrored pairs", |rng| f64::midpoint(coin(rng, 0.7), coin(rng, 0.4)), 0.55),
    ("one of four players", share, 2.0 / 3.0),
    ("four rotations of four players", rotations, 2.0 / 3.0),
    ("nearly certain, 99 %", |rng| coin(rng, 0.99), 0.99),
    ("nearly certain, 99.9 %", |rng| coin(rng, 0.999), 0.999),
];

/// Returns the share of intervals that hold the true mean, and their mean width.
fn coverage((_, draw, truth): Source, scores: usize, runs: u64) -> (f64, f64) {
    let mut held = 0;
    let mut width = 0.0;
    for seed in 0..runs {
        let mut rng = Seed::plain(seed).stream(Purpose::Sample, scores as u64);
        let drawn: Vec<f64> = (0..scores).map(|_| draw(&mut rng)).collect();
        let MeanInterval { low, high, .. } = MeanInterval::of(&drawn, 0.95).unwrap();
        held += usize::from((low..=high).contains(&truth));
        width += high - low;
    }
    (held as f64 / runs as f64, width / runs as f64)
}

/// Fails if they hold less often than promised, by more than four standard deviations.
fn holds(runs: u64, least: f64) {
    let slack = 4.0 * (least * (1.0 - least) / runs as f64).sqrt();
    for source in SOURCES {
        for scores in [4, 10, 50, 500] {
            let (rate, width) = coverage(source, scores, runs);
            println!("{}, {scores} scores: {rate:.4} of {runs}, width {width:.3}", source.0);
            assert!(rate > least - slack, "{}, {scores} scores: {rate}", source.0);
            assert!(scores < 500 || width < 0.1, "{}: {width}", source.0);
        }
    }
}

#[test]
fn intervals_of_means_hold_them() {
    holds(200, 0.93);
}

#[test]
#[cfg(feature = "long-tests")]
fn intervals_of_means_hold_them_at_length() {
    holds(10_000, 0.945);
}
