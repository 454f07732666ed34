//! The paired test for many players: errors under optional stopping, and its cost.

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Decision, EloModel, PairedTest, Pentanomial, Sprt, elo_of_score};

use super::{at_most, pick, uniform};

/// A source of differences whose mean, given all before, is `mean`.
type Source = fn(&mut Rng, mean: f64, before: f64) -> f64;

const SOURCES: [(&str, Source); 5] = [
    ("coins", |rng, mean, _| if uniform(rng) < (1.0 + mean) / 2.0 { 1.0 } else { -1.0 }),
    ("mostly ties", |rng, mean, _| {
        [0.0, 1.0, -1.0][pick(rng, &[0.8, 0.1 + mean / 2.0, 0.1 - mean / 2.0])]
    }),
    ("rarely much better", |rng, mean, _| mean + [-0.09, 0.81][pick(rng, &[0.9, 0.1])]),
    ("rarely much worse", |rng, mean, _| mean + [0.09, -0.81][pick(rng, &[0.9, 0.1])]),
    // As wild as a martingale may be: each depends on the past.
    ("dependent", |rng, mean, before| {
        let size = if before > 0.0 { 0.9 } else { 0.05 };
        mean + if rng.chance(1, 2) { size } else { -size }
    }),
];

fn run(
    test: &PairedTest,
    source: Source,
    mean: f64,
    seed: Seed,
    most: usize,
) -> (Decision, usize, bool, bool) {
    let mut rng = seed.stream(Purpose::Sample, 0);
    let mut run = test.run();
    let mut before = 0.0;
    for _ in 0..most {
        before = source(&mut rng, mean, before);
        run.push(before).unwrap();
        if run.decision() != Decision::Continue {
            break;
        }
    }
    let report = run.report();
    let (low, high) = run.interval();
    assert_eq!(report.decision == Decision::AcceptH1, low >= 0.0, "{low}");
    let held =
        [(report.low, report.high), (low, high)].map(|(low, high)| (low..=high).contains(&mean));
    (report.decision, report.pairs, held[0], held[1])
}

fn errors(runs: usize) {
    let alpha = 0.05;
    let beta = 0.1;
    let hoped = 0.05;
    let test = PairedTest::new(0.0, hoped, alpha, beta).unwrap();
    for (name, source) in SOURCES {
        for (mean, wrong, limit) in
            [(0.0, Decision::AcceptH1, alpha), (hoped, Decision::AcceptH0, beta)]
        {
            let ends: Vec<_> = (0..runs as u64)
                .map(|seed| run(&test, source, mean, Seed::plain(seed), 50_000))
                .collect();
            let pairs = ends.iter().map(|end| end.1).sum::<usize>() / runs;
            let count = ends.iter().filter(|end| end.0 == wrong).count();
            at_most(&format!("{name}, mean {mean}, {pairs} pairs: {wrong:?}"), count, runs, limit);
            let missed = ends.iter().filter(|end| !end.2).count();
            at_most(&format!("{name}, mean {mean}: outside of the interval"), missed, runs, alpha);
            let missed = ends.iter().filter(|end| !end.3).count();
            at_most(
                &format!("{name}, mean {mean}: outside of the test's interval"),
                missed,
                runs,
                alpha + beta,
            );
            let undecided = ends.iter().filter(|end| end.0 == Decision::Continue).count();
            assert_eq!(undecided, 0, "{name}: 50 000 pairs are enough");
        }
    }
}

#[test]
fn errors_are_as_rare_as_promised() {
    errors(100);
}

#[test]
#[cfg(feature = "long-tests")]
fn errors_are_as_rare_as_promised_at_length() {
    errors(2_000);
}

/// Compares the mean numbers of pairs that this test and the GSPRT need.
fn cost(runs: usize) {
    // Mirrored pairs of two players. The difference of a pair is half of (points of one - points
    // of other).
    let hoped = 0.08;
    let paired = PairedTest::new(0.0, hoped, 0.05, 0.05).unwrap();
    let sprt =
        Sprt::new(0.0, elo_of_score(0.5 + hoped / 2.0), 0.05, 0.05, EloModel::Logistic).unwrap();
    let mut pairs = [0usize; 2];
    for seed in 0..runs as u64 {
        for mean in [0.0, hoped] {
            let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
            let mut counts = Pentanomial::default();
            let mut run = paired.run();
            let mut open = [true; 2];
            while open != [false; 2] {
                let single = [0.35 - mean / 2.0, 0.3, 0.35 + mean / 2.0];
                let points = pick(&mut rng, &single) + pick(&mut rng, &single);
                counts.0[points] += 1;
                run.push((points as f64 - 2.0) / 2.0).unwrap();
                let decisions = [run.decision(), sprt.decide(&counts)];
                for (which, decision) in decisions.into_iter().enumerate() {
                    pairs[which] += usize::from(open[which]);
                    open[which] &= decision == Decision::Continue;
                }
            }
        }
    }
    let ratio = pairs[0] as f64 / pairs[1] as f64;
    println!(
        "the paired test needs {ratio:.2} times the pairs of the GSPRT, which needs {}",
        pairs[1] / runs / 2
    );
    assert!((1.0..1.4).contains(&ratio), "{ratio}");
}

#[test]
fn it_costs_little_more_than_the_gsprt() {
    cost(200);
}

#[test]
#[cfg(feature = "long-tests")]
fn it_costs_little_more_than_the_gsprt_at_length() {
    cost(10_000);
}
