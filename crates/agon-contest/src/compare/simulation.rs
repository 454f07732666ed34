//! Tests that comparisons decide wrongly as rarely as they promise.
//!
//! They simulate comparisons of versions whose true chances are known, and count wrong decisions.
//! Only the playing is simulated. Plan, order, pairs, test, stop and `--max` are the code of `agon
//! compare`. Matches take time, and the new version wins faster than it loses.
//!
//! The tests that always run are short, with bounds so wide that chance alone does not fail them
//! (and the seeds are fixed). `cargo xtask long simulations` runs longer ones and prints what it
//! finds.

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Decision, score_of_elo};

use super::judge::{Design, Judge, NEW, Report, TestOptions};
use super::trial::{Planned, Trial};

const ALPHA: f64 = 0.05;
const BETA: f64 = 0.1;

/// The true chances in simulated matches.
#[derive(Clone, Copy, Debug)]
enum World {
    /// Two players: the mean score of the new version, the share of ties, and the share of seeds
    /// where the seat decides.
    Duel { score: f64, ties: f64, seats: f64 },
    /// Two players, one of them from the pool. `more` is the mean lead of the new version's score
    /// over the old one's. It is much larger against every second bot of the pool, and much smaller
    /// against the rest.
    Pool { more: f64 },
    /// Many players, who win by lot: the new version has `tickets`, all others have one each.
    Lots { tickets: f64 },
}

impl World {
    /// Returns how much more the new version scores in a match.
    fn truth(self) -> f64 {
        match self {
            World::Duel { score, .. } => score - 0.5,
            World::Pool { more } => more,
            World::Lots { tickets } => tickets / (1.0 + tickets) - 0.5,
        }
    }

    /// Draws the places in a match, and how long it takes.
    fn play(self, job: &Planned) -> (Vec<u32>, u64) {
        let mut rng = job.seed.stream(Purpose::Script, job.ticket);
        let places = match self {
            World::Duel { score, ties, seats } => {
                // The same for both matches of a pair.
                if chance(&mut job.seed.stream(Purpose::Setup, 0), seats) {
                    vec![1, 2]
                } else {
                    let score = 0.5 + (score - 0.5) / (1.0 - seats);
                    duel(&mut rng, job.seats[0] == NEW, score, ties)
                }
            }
            World::Pool { more } => {
                let of_pool = job.seats[0].max(job.seats[1]);
                let own = job.seats[0].min(job.seats[1]);
                let swing = if of_pool.is_multiple_of(2) { 0.25 } else { -0.25 };
                let score = if own == NEW { 0.5 + more + swing } else { 0.5 };
                duel(&mut rng, job.seats[0] == own, score, 0.0)
            }
            World::Lots { tickets } => lots(&mut rng, &job.seats, tickets),
        };
        let new = job.seats.iter().position(|&bot| bot == NEW);
        let won = new.is_some_and(|at| places[at] == 1);
        let time = if won { 1 } else { 30 } + rng.below(10);
        (places, time)
    }
}

fn chance(rng: &mut Rng, probability: f64) -> bool {
    ((rng.bits() >> 11) as f64 / (1u64 << 53) as f64) < probability
}

/// Draws the places of two players. `score` is the mean score of the first one, or of the other one
/// unless `first`.
fn duel(rng: &mut Rng, first: bool, score: f64, ties: f64) -> Vec<u32> {
    if chance(rng, ties) {
        return vec![1, 1];
    }
    let wins = chance(rng, 0.5 + (score - 0.5) / (1.0 - ties));
    if wins == first { vec![1, 2] } else { vec![2, 1] }
}

/// Draws the places of many players: each place among those who are left.
fn lots(rng: &mut Rng, seats: &[usize], tickets: f64) -> Vec<u32> {
    let mut places = vec![0; seats.len()];
    for place in 1..=seats.len() as u32 {
        let left: Vec<usize> = (0..seats.len()).filter(|&seat| places[seat] == 0).collect();
        let others = left.iter().filter(|&&seat| seats[seat] != NEW).copied().collect::<Vec<_>>();
        let new = left.iter().find(|&&seat| seats[seat] == NEW);
        let drawn = match new {
            Some(&new) if chance(rng, tickets / (tickets + others.len() as f64)) => new,
            _ => *rng.pick(&others).unwrap_or_else(|| new.unwrap()),
        };
        places[drawn] = place;
    }
    places
}

/// The question of a comparison.
#[derive(Clone, Copy, Debug)]
struct Question {
    design: Design,
    improvement: f64,
    normalized: bool,
}

impl Question {
    fn judge(self) -> Judge {
        let mirrored = self.design == Design::Mirror;
        let args = TestOptions {
            elo1: mirrored.then_some(self.improvement),
            score1: (!mirrored).then_some(self.improvement),
            normalized: self.normalized,
            alpha: ALPHA,
            beta: BETA,
            ..TestOptions::default()
        };
        Judge::new(self.design, &args).unwrap()
    }
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq)]
struct Ended {
    decision: Decision,
    seeds: u64,
    /// Of the score.
    interval: (f64, f64),
    report: String,
}

/// The interval of how much more the new version scores.
fn interval(trial: &Trial<()>) -> (f64, f64) {
    let Report::Duel { report, .. } = trial.judge.report() else {
        return trial.judge.interval().unwrap();
    };
    let estimate = report.estimate.unwrap();
    (score_of_elo(estimate.elo_low) - 0.5, score_of_elo(estimate.elo_high) - 0.5)
}

/// Simulates a trial with `workers` matches at a time, each of which takes its time. Like a client
/// of a pool, it plans twice as many ahead.
fn run(question: Question, world: World, seed: Seed, workers: usize, most: Option<u64>) -> Ended {
    let mut trial: Trial<()> = Trial::new(question.design, question.judge(), seed, most);
    // End and result of each match that is being played; and when each worker is free.
    let mut playing: Vec<(u64, u64, Vec<u32>)> = Vec::new();
    let mut free = vec![0u64; workers];
    'playing: loop {
        while playing.len() < 2 * workers {
            let Some(job) = trial.plan() else { break };
            let (places, time) = world.play(&job);
            let worker = free.iter_mut().min().unwrap();
            *worker += time;
            playing.push((*worker, job.ticket, places));
        }
        let Some(first) = (0..playing.len()).min_by_key(|&at| playing[at].0) else { break };
        let (_, ticket, places) = playing.swap_remove(first);
        trial.arrive(ticket, places, ());
        while trial.count().unwrap().is_some() {
            if trial.judge.decision() != Decision::Continue {
                break 'playing;
            }
        }
    }
    Ended {
        decision: trial.judge.decision(),
        seeds: trial.seeds,
        interval: interval(&trial),
        report: format!("{:?}", trial.judge.report()),
    }
}

/// Fails if `count` of `runs` is more than an event of probability `limit` explains: by four
/// standard deviations.
fn at_most(what: &str, count: usize, runs: u64, limit: f64) {
    let rate = count as f64 / runs as f64;
    println!("{what}: {rate:.4} of {runs}, at most {limit}");
    let slack = 4.0 * (limit * (1.0 - limit) / runs as f64).sqrt();
    assert!(rate <= limit + slack, "{what}: {rate} of {runs}, but at most {limit} was promised");
}

/// Counts wrong decisions in a world without improvement, and in one with it.
fn errors(question: Question, worlds: [World; 2], runs: u64, workers: usize) {
    let wrong = [(Decision::AcceptH1, ALPHA), (Decision::AcceptH0, BETA)];
    for (world, (wrong, limit)) in worlds.into_iter().zip(wrong) {
        let ends: Vec<Ended> =
            (0..runs).map(|seed| run(question, world, Seed(seed), workers, None)).collect();
        assert!(
            ends.iter().all(|end| end.decision != Decision::Continue),
            "without --max it ends decided"
        );
        let count = ends.iter().filter(|end| end.decision == wrong).count();
        let seeds = ends.iter().map(|end| end.seeds).sum::<u64>() / runs;
        at_most(
            &format!("{world:?}, {workers} at a time, {seeds} seeds: {wrong:?}"),
            count,
            runs,
            limit,
        );
        let holds = |end: &&Ended| (end.interval.0..=end.interval.1).contains(&world.truth());
        let missed = ends.len() - ends.iter().filter(holds).count();
        at_most(&format!("{world:?}: outside of the interval"), missed, runs, ALPHA + BETA);
    }
}

fn duels(elo1: f64, runs: u64, workers: usize) {
    let question = Question { design: Design::Mirror, improvement: elo1, normalized: false };
    for (ties, seats) in [(0.0, 0.0), (0.6, 0.0), (0.2, 0.5)] {
        let world = |score| World::Duel { score, ties, seats };
        errors(question, [world(0.5), world(score_of_elo(elo1))], runs, workers);
    }
}

fn pools(score1: f64, runs: u64, workers: usize) {
    let design = Design::Pool { players: 2, pool: 4 };
    let question = Question { design, improvement: score1, normalized: false };
    errors(question, [World::Pool { more: 0.0 }, World::Pool { more: score1 }], runs, workers);
    let design = Design::Pool { players: 3, pool: 5 };
    let question = Question { design, ..question };
    errors(question, lottery(score1), runs, workers);
    let design = Design::Field { players: 4 };
    errors(Question { design, ..question }, lottery(score1), runs, workers);
}

/// Returns two worlds: one with a version as good as all others, and one with a version that leaves
/// each other one behind with a probability of ½ plus `score1`.
fn lottery(score1: f64) -> [World; 2] {
    let better = (0.5 + score1) / (0.5 - score1);
    [World::Lots { tickets: 1.0 }, World::Lots { tickets: better }]
}

#[test]
fn duels_err_as_rarely_as_promised() {
    duels(80.0, 250, 8);
}

#[test]
fn pools_and_fields_err_as_rarely_as_promised() {
    pools(0.15, 200, 8);
}

#[test]
#[cfg(feature = "long-tests")]
fn errors_are_as_rare_as_promised_at_length() {
    duels(80.0, 4_000, 64);
    duels(20.0, 2_000, 2);
    pools(0.15, 4_000, 64);
    pools(0.05, 2_000, 2);
}

#[test]
fn normalized_elo_errs_as_rarely_as_promised() {
    let question = Question { design: Design::Mirror, improvement: 60.0, normalized: true };
    let world = |score| World::Duel { score, ties: 0.0, seats: 0.0 };
    // Without ties a match has a standard deviation of ½, so that 347.4 normalised Elo are a score
    // of 1.
    errors(question, [world(0.5), world(0.5 + 60.0 / 347.4 / 2.0)], 150, 8);
}

#[test]
fn no_number_of_matches_at_a_time_changes_anything() {
    let mirror = Question { design: Design::Mirror, improvement: 60.0, normalized: false };
    let duel = World::Duel { score: 0.54, ties: 0.1, seats: 0.2 };
    let pool =
        Question { design: Design::Pool { players: 3, pool: 4 }, improvement: 0.1, ..mirror };
    for (question, world) in [(mirror, duel), (pool, World::Lots { tickets: 1.2 })] {
        for seed in 0..10 {
            let ends =
                [1, 2, 7, 64].map(|workers| run(question, world, Seed(seed), workers, Some(600)));
            assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
        }
    }
}

#[test]
fn no_more_matches_are_played_than_allowed() {
    let question = Question { design: Design::Mirror, improvement: 20.0, normalized: false };
    let world = World::Duel { score: 0.5, ties: 0.0, seats: 0.0 };
    let ended = run(question, world, Seed(2), 4, Some(41));
    assert_eq!((ended.decision, ended.seeds), (Decision::Continue, 20));
}

/// Shows why results count in planned order. In order of arrival, the pairs that the new version
/// won fast would count first. An equal version would be called better far more often than
/// promised.
#[test]
fn results_in_the_order_of_their_arrival_would_mislead() {
    let question = Question { design: Design::Mirror, improvement: 80.0, normalized: false };
    let world = World::Duel { score: 0.5, ties: 0.0, seats: 0.0 };
    let misled = |seed: u64| {
        let mut trial: Trial<()> = Trial::new(question.design, question.judge(), Seed(seed), None);
        let mut judge = question.judge();
        // All of 128 matches begin at once; a pair ends with its later match.
        let jobs: Vec<Planned> = std::iter::from_fn(|| trial.plan()).take(128).collect();
        let mut pairs: Vec<(u64, Vec<Vec<u32>>)> = jobs
            .chunks(2)
            .map(|pair| {
                let matches: Vec<_> = pair.iter().map(|job| world.play(job)).collect();
                let end = matches.iter().map(|(_, time)| *time).max().unwrap();
                (end, matches.into_iter().map(|(places, _)| places).collect())
            })
            .collect();
        pairs.sort_by_key(|(end, _)| *end);
        let seatings = question.design.seatings(Seed(0));
        pairs.iter().any(|(_, places)| {
            judge.count(&seatings, places).unwrap();
            judge.decision() == Decision::AcceptH1
        })
    };
    let count = (0..100).filter(|&seed| misled(seed)).count();
    assert!(count > 40, "{count} of 100");
}
