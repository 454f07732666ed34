//! The test of two players: errors, intervals and estimates at the stop, at many rates of ties.

use agon_core::{Purpose, Rng, Seed};

#[cfg(feature = "long-tests")]
use agon_rating::NORMALIZED_ELO_PER_SIGMA;
use agon_rating::{Decision, DuelTest, EloModel, Pentanomial, Sprt, elo_of_score, score_of_elo};

use super::{at_most, pick};

const ALPHA: f64 = 0.05;
const BETA: f64 = 0.05;

/// Two players, one of whom wins more.
#[derive(Clone, Copy, Debug)]
struct World {
    /// The share of ties.
    ties: f64,
    /// The lead of the better one; infinite if it wins all matches except ties.
    elo: f64,
    /// The lead that the test looks for.
    elo1: f64,
    model: EloModel,
}

impl World {
    /// Returns all possible worlds.
    ///
    /// Many ties leave no room for large differences, so the test then looks for smaller ones.
    #[cfg(feature = "long-tests")]
    fn all() -> Vec<World> {
        let differences = [0.0, 5.0, 20.0, 80.0, f64::INFINITY];
        let mut worlds = Vec::new();
        for (ties, elo1) in [(0.0, 20.0), (0.5, 20.0), (0.9, 20.0), (0.98, 5.0)] {
            worlds.extend(differences.map(|elo| World {
                ties,
                elo,
                elo1,
                model: EloModel::Logistic,
            }));
        }
        worlds.retain(|world| world.elo.is_infinite() || world.lead() <= 1.0 - world.ties);
        worlds
    }

    /// Returns both ends of a question in normalised Elo.
    #[cfg(feature = "long-tests")]
    fn normalized(ties: f64) -> [World; 2] {
        let elo1 = 20.0;
        let model = EloModel::Normalized;
        let part: f64 = elo1 / NORMALIZED_ELO_PER_SIGMA;
        // For a match without luck of the seat: the lead over its standard deviation is twice that.
        let lead = part * ((1.0 - ties) / (1.0 + part * part)).sqrt();
        [0.0, elo_of_score(0.5 + lead / 2.0)].map(|elo| World { ties, elo, elo1, model })
    }

    /// Returns the share of matches that the one wins more than the other.
    fn lead(self) -> f64 {
        if self.elo.is_infinite() { 1.0 - self.ties } else { 2.0 * score_of_elo(self.elo) - 1.0 }
    }

    /// Returns the true difference in the unit of the estimates.
    fn truth(self) -> f64 {
        elo_of_score((0.5 + self.lead() / 2.0).min(1.0 - 1e-3))
    }

    /// Draws the half points of a pair.
    fn pair(self, rng: &mut Rng) -> usize {
        let decided = 1.0 - self.ties;
        let single = [(decided - self.lead()) / 2.0, self.ties, (decided + self.lead()) / 2.0];
        pick(rng, &single) + pick(rng, &single)
    }
}

/// Totals over many runs of a test.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    better: usize,
    not_better: usize,
    pairs: u64,
    /// Pairs that the likelihood ratio needs.
    ratio: u64,
    /// Counts of the truth below and above the interval, and above and below the estimate.
    below: usize,
    above: usize,
    too_low: usize,
    too_high: usize,
}

fn simulate(world: World, runs: usize) -> (Sums, f64) {
    let test = DuelTest::new(0.0, world.elo1, ALPHA, BETA, world.model).unwrap();
    let mut sums = Sums::default();
    let mut estimates = Vec::new();
    for seed in 0..runs as u64 {
        let mut run = test.run();
        let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
        while run.decision() == Decision::Continue {
            run.push(world.pair(&mut rng)).unwrap();
        }
        let report = run.report();
        let estimate = report.estimate.unwrap();
        let truth = world.truth();
        let close = |elo: f64| (elo - truth).abs() < 1e-6;
        let agrees = (report.decision == Decision::AcceptH1) == (estimate.elo_low >= -1e-6);
        assert!(agrees || world.model == EloModel::Normalized, "{report:?}");
        sums.better += usize::from(report.decision == Decision::AcceptH1);
        sums.not_better += usize::from(report.decision == Decision::AcceptH0);
        sums.pairs += report.matches / 2;
        sums.below += usize::from(truth < estimate.elo_low && !close(estimate.elo_low));
        sums.above += usize::from(truth > estimate.elo_high && !close(estimate.elo_high));
        sums.too_low += usize::from(estimate.elo < truth && !close(estimate.elo));
        sums.too_high += usize::from(estimate.elo > truth && !close(estimate.elo));
        estimates.push(estimate.elo);
        // The likelihood ratio itself decides normalised Elo.
        let is_ratio = world.model == EloModel::Normalized;
        sums.ratio +=
            if is_ratio { report.matches / 2 } else { pairs_of_ratio(world, Seed::plain(seed)) };
    }
    estimates.sort_by(f64::total_cmp);
    (sums, estimates[runs / 2])
}

/// Returns the pairs that the generalised likelihood ratio needs for the same question.
fn pairs_of_ratio(world: World, seed: Seed) -> u64 {
    let test = Sprt::new(0.0, world.elo1, ALPHA, BETA, world.model).unwrap();
    let (lower, upper) = test.bounds();
    let mut rng = seed.stream(Purpose::Sample, 0);
    let mut counts = Pentanomial::default();
    loop {
        counts.0[world.pair(&mut rng)] += 1;
        if !(lower..upper).contains(&test.llr(&counts)) {
            return counts.0.iter().sum();
        }
    }
}

/// Prints a line of the table in `docs/compare.md`, and checks its promises.
fn check(world: World, runs: usize) -> Sums {
    let (sums, median) = simulate(world, runs);
    let percent = |count: usize| 100.0 * count as f64 / runs as f64;
    println!(
        "| {:.0} % | {} | {:.1} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {:+.1} | {:.0} % | {} | \
         {} |",
        100.0 * world.ties,
        world.elo1,
        world.truth(),
        percent(sums.better),
        percent(sums.not_better),
        percent(sums.below),
        percent(sums.above),
        median - world.truth(),
        percent(sums.too_high),
        sums.pairs / runs as u64,
        sums.ratio / runs as u64,
    );
    let what = format!("{world:?}");
    let logistic = world.model == EloModel::Logistic;
    if world.elo <= 0.0 && logistic {
        at_most(&format!("{what}: wrongly better"), sums.better, runs, ALPHA);
    }
    if world.truth() > world.elo1 - 1e-6 && logistic {
        at_most(&format!("{what}: wrongly not better"), sums.not_better, runs, BETA);
    }
    at_most(&format!("{what}: below the interval"), sums.below, runs, ALPHA);
    at_most(&format!("{what}: above the interval"), sums.above, runs, BETA);
    sums
}

#[test]
fn errors_and_intervals_hold_at_the_stop() {
    for ties in [0.0, 0.9] {
        for elo in [0.0, 80.0] {
            let world = World { ties, elo, elo1: 80.0, model: EloModel::Logistic };
            if world.lead() <= 1.0 - ties {
                check(world, 200);
            }
        }
    }
}

#[test]
fn who_wins_everything_is_found_within_ten_pairs() {
    for elo1 in [2.0, 5.0, 20.0, 80.0] {
        let world = World { ties: 0.0, elo: f64::INFINITY, elo1, model: EloModel::Logistic };
        let (sums, _) = simulate(world, 1);
        assert_eq!(sums.better, 1);
        assert!(sums.pairs <= 10, "{elo1}: {}", sums.pairs);
    }
}

#[test]
#[cfg(feature = "long-tests")]
fn errors_and_intervals_hold_at_the_stop_at_length() {
    for world in World::all() {
        check(world, 2_000);
    }
}

/// The likelihood ratio of normalised Elo is an approximation; the interval is not.
#[test]
#[cfg(feature = "long-tests")]
fn normalized_elo_at_length() {
    for ties in [0.0, 0.5, 0.9, 0.98] {
        for world in World::normalized(ties) {
            check(world, 1_000);
        }
    }
}
