//! Simulates many ladders of bots with known strengths, and measures how soon they find the true
//! order; with matchmakers that only serve as a comparison for the adaptive one.

use std::{collections::BTreeMap, fmt};

use agon_contest::{Entrant, Games, History, Match, Outcome, Pairing, Schedule, format::*};
use agon_core::{Purpose, Rng, Seed};
use agon_rating::{ELO_PER_NAT, Options, Record, Skills, table};

/// How strengths lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strengths {
    /// Drawn from a normal distribution.
    Normal,
    /// The same distance between any two neighbours.
    Even,
}

/// The standard deviation of the strengths, in Elo points.
const SPREAD: f64 = 200.0;

/// Two whose luck and strength differ by less than this, in nats, tie: one match in five between
/// equals.
const LEVEL: f64 = 0.4;

/// Bots with true strengths.
pub(super) struct World {
    /// In nats.
    strengths: Vec<f64>,
    rng: Rng,
}

/// A number from (0, 1).
fn uniform(rng: &mut Rng) -> f64 {
    ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

impl World {
    pub(super) fn new(bots: usize, strengths: Strengths, seed: u64) -> World {
        let mut rng = Seed::plain(seed).stream(Purpose::Sample, 7);
        let normal = |rng: &mut Rng| {
            (-2.0 * uniform(rng).ln()).sqrt() * (std::f64::consts::TAU * uniform(rng)).cos()
        };
        let mut list: Vec<f64> = match strengths {
            Strengths::Normal => (0..bots).map(|_| normal(&mut rng)).collect(),
            Strengths::Even => {
                let n = bots as f64;
                (0..bots)
                    .map(|at| (at as f64 - (n - 1.0) / 2.0) / ((n * n - 1.0) / 12.0).sqrt())
                    .collect()
            }
        };
        // Numbers say nothing about strengths.
        rng.shuffle(&mut list);
        list.iter_mut().for_each(|strength| *strength *= SPREAD / ELO_PER_NAT);
        World { strengths: list, rng }
    }

    pub(super) fn bots(&self) -> usize {
        self.strengths.len()
    }

    /// A match by the model of Plackett and Luce: strength and luck (Gumbel's distribution) decide.
    pub(super) fn play(&mut self, game: &Match) -> Outcome {
        let luck = |rng: &mut Rng| -(-uniform(rng).ln()).ln();
        let values: Vec<f64> =
            game.seats.iter().map(|e| self.strengths[e.index()] + luck(&mut self.rng)).collect();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let mut places = vec![1; values.len()];
        for (at, two) in order.windows(2).enumerate() {
            let level = values[two[0]] - values[two[1]] < LEVEL;
            places[two[1]] = if level { places[two[0]] } else { at as u32 + 2 };
        }
        let scores = places.iter().map(|&place| -i64::from(place)).collect();
        Outcome::new(places, scores)
    }

    /// Ratings by all matches.
    pub(super) fn rate(&self, records: &[Record]) -> Vec<f64> {
        let options =
            Options { players: self.bots(), samples: 0, matrices: 0, ..Options::default() };
        // The same result of the same bots is one record with a weight, which is quicker.
        let mut counts: BTreeMap<Vec<Vec<usize>>, f64> = BTreeMap::new();
        records.iter().for_each(|record| *counts.entry(record.tiers()).or_default() += 1.0);
        let weighted = counts.into_iter().map(|(tiers, count)| {
            let places = (1..)
                .zip(&tiers)
                .flat_map(|(place, tier)| vec![place; tier.len()])
                .collect::<Vec<u32>>();
            Record::new(&tiers.concat(), &places).weighted(count)
        });
        let table = table(&weighted.collect::<Vec<_>>(), &options)
            .expect("with a prior there is a maximum");
        (0..self.bots()).map(|bot| table.row(bot).expect("all are rated").elo).collect()
    }

    /// Kendall's tau of an order against the true one: 1 for the same, 0 for none at all.
    pub(super) fn tau(&self, ratings: &[f64]) -> f64 {
        let mut sum = 0.0;
        for one in 0..self.bots() {
            for other in 0..one {
                let agree =
                    (ratings[one] - ratings[other]) * (self.strengths[one] - self.strengths[other]);
                sum += if agree > 0.0 {
                    1.0
                } else if agree < 0.0 {
                    -1.0
                } else {
                    0.0
                };
            }
        }
        2.0 * sum / (self.bots() * (self.bots() - 1)) as f64
    }

    /// Whether the best five are those who are.
    pub(super) fn best_five(&self, ratings: &[f64]) -> bool {
        let best = |values: &[f64]| {
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
            order.truncate(5);
            order.sort_unstable();
            order
        };
        best(ratings) == best(&self.strengths)
    }
}

/// A round robin that starts again when it is over.
#[derive(Debug)]
pub(super) struct Turns {
    groups: Vec<Vec<Entrant>>,
    at: usize,
}

impl Turns {
    pub(super) fn new(bots: usize, size: usize, games: Games, seed: u64) -> Turns {
        let groups = RoundRobin::groups(bots, size, None, games, Seed(seed)).rounds().concat();
        Turns { groups, at: 0 }
    }
}

impl Matchmaker for Turns {
    fn group(&mut self, _: &Field<'_>, _: &mut Rng) -> Vec<Entrant> {
        self.at += 1;
        self.groups[(self.at - 1) % self.groups.len()].clone()
    }
}

fn learn(history: &History, entrants: usize) -> Skills {
    let mut skills = Skills::new(entrants);
    history
        .records()
        .iter()
        .for_each(|record| skills.update(record).expect("ladders make whole records"));
    skills
}

/// The one with the fewest matches, with those of the nearest ratings.
#[derive(Debug, Default)]
pub(super) struct Nearest(Vec<f64>);

impl Matchmaker for Nearest {
    fn start(&mut self, history: &History, entrants: usize) {
        self.0 = learn(history, entrants).all().iter().map(|skill| skill.mu).collect();
    }

    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant> {
        let mut group = Entrant::all(self.0.len());
        rng.shuffle(&mut group);
        let fewest = |entrant: &Entrant| field.calls[entrant.index()];
        let first = group.iter().copied().min_by_key(fewest).expect("there are entrants");
        let apart = |entrant: &Entrant| (self.0[entrant.index()] - self.0[first.index()]).abs();
        group.sort_by(|a, b| (*a != first).cmp(&(*b != first)).then(apart(a).total_cmp(&apart(b))));
        group.truncate(field.size);
        group
    }
}

/// The two whose next match reveals most about their own order: [`Skills::information`]. Within a
/// wave its expected result is learned as a tie.
#[derive(Debug)]
pub(super) struct OwnOrder(Skills);

impl Default for OwnOrder {
    fn default() -> OwnOrder {
        OwnOrder(Skills::new(0))
    }
}

impl Matchmaker for OwnOrder {
    fn start(&mut self, history: &History, entrants: usize) {
        self.0 = learn(history, entrants);
    }

    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant> {
        let mut order: Vec<usize> = (0..field.calls.len()).collect();
        rng.shuffle(&mut order);
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for (at, &one) in order.iter().enumerate() {
            for &other in &order[..at] {
                let bits = self.0.information(&[one, other]).expect("both are there");
                if bits > best.0 {
                    best = (bits, vec![one, other]);
                }
            }
        }
        best.1.into_iter().map(Entrant::from_index).collect()
    }

    fn called(&mut self, pairing: &Pairing) {
        // Means stay, variances fall.
        let players: Vec<usize> = pairing.entrants.iter().map(|entrant| entrant.index()).collect();
        let before = self.0.all().to_vec();
        for _ in 0..pairing.count {
            let places = vec![1; players.len()];
            self.0.update(&Record::new(&players, &places)).expect("both are there");
        }
        let after = self.0.all().iter().zip(before);
        self.0 = Skills::from_skills(
            after.map(|(now, was)| agon_rating::Skill { mu: was.mu, ..*now }).collect(),
        );
    }
}

/// Who chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    Random,
    RoundRobin,
    Adaptive,
    Nearest,
    OwnOrder,
}

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    pub(super) bots: usize,
    pub(super) size: usize,
    pub(super) strengths: Strengths,
    /// The most matches that a bot may be behind.
    pub(super) floor: u32,
    /// Matches of a run.
    pub(super) budget: u64,
}

/// One run.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// Kendall's tau after an eighth, a half, and all of the budget.
    pub(super) taus: Vec<f64>,
    /// The number of matches from which on tau is at least 0.95; `None` if that is not so in the
    /// end.
    pub(super) order: Option<u64>,
    /// The same for the best five, whatever their order.
    pub(super) five: Option<u64>,
}

impl Trial {
    fn games(&self) -> Games {
        Games { matches: self.size as u32, mirrored: true }
    }

    fn matchmaker(&self, who: Who, number: u64) -> Box<dyn Matchmaker> {
        match who {
            Who::Random => Box::new(RandomMatchmaker),
            Who::RoundRobin => Box::new(Turns::new(self.bots, self.size, self.games(), number)),
            Who::Adaptive => Box::<AdaptiveMatchmaker>::default(),
            Who::Nearest => Box::<Nearest>::default(),
            Who::OwnOrder => Box::<OwnOrder>::default(),
        }
    }

    fn run(&self, who: Who, number: u64) -> Run {
        let &Trial { bots, size, strengths, floor, budget } = self;
        let mut world = World::new(bots, strengths, number);
        let games = self.games();
        let limit = Some(budget);
        let seed = Seed(number);
        let rules = LadderRules { entrants: bots, size, wave: 16, limit, floor, games, seed };
        let mut schedule =
            Schedule::new(Box::new(Ladder::new(rules, self.matchmaker(who, number))), seed);
        let mut records: Vec<Record> = Vec::new();
        let mut run = Run::default();
        let mut stops = [budget / 8, budget / 2, budget].into_iter().peekable();
        // The table is made now and then; from one time to the next there are a tenth more matches.
        let mut next = 2 * bots as u64;
        while !schedule.is_finished() {
            for game in schedule.missing() {
                let outcome = world.play(&game);
                let players: Vec<usize> =
                    game.seats.iter().map(|entrant| entrant.index()).collect();
                records.push(Record::new(&players, &outcome.places));
                schedule.record(game.id, outcome).expect("it was called for");
            }
            let played = records.len() as u64;
            let stop = stops.next_if(|&stop| played >= stop).is_some();
            if stop || played >= next {
                let ratings = world.rate(&records);
                let tau = world.tau(&ratings);
                if stop {
                    run.taus.push(tau);
                }
                run.order = if tau >= 0.95 { run.order.or(Some(played)) } else { None };
                run.five = if world.best_five(&ratings) { run.five.or(Some(played)) } else { None };
                next = played + played / 10;
            }
        }
        run
    }

    /// So many runs, each in a world of its own.
    pub(super) fn runs(&self, who: Who, runs: u64) -> Runs {
        Runs((0..runs).map(|number| self.run(who, number)).collect())
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub(super) struct Runs(Vec<Run>);

impl Runs {
    /// The mean of tau at a stop, and its standard error.
    pub(super) fn tau(&self, stop: usize) -> (f64, f64) {
        let n = self.0.len() as f64;
        let mean = self.0.iter().map(|run| run.taus[stop]).sum::<f64>() / n;
        let variance =
            self.0.iter().map(|run| (run.taus[stop] - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (mean, (variance / n).sqrt())
    }

    /// The number of matches after which a part of the runs have found something for good; `None`
    /// if they have not.
    fn quantile(&self, part: f64, of: impl Fn(&Run) -> Option<u64>) -> Option<u64> {
        let mut found: Vec<u64> = self.0.iter().map(|run| of(run).unwrap_or(u64::MAX)).collect();
        found.sort_unstable();
        Some(found[(part * (found.len() - 1) as f64).round() as usize])
            .filter(|&count| count < u64::MAX)
    }

    /// Matches until the order is found, in half of the runs.
    pub(super) fn order(&self) -> Option<u64> {
        self.quantile(0.5, |run| run.order)
    }
}

/// A row of a table in Markdown, from the third column on.
impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stop in 0..3 {
            let (mean, error) = self.tau(stop);
            write!(f, " {mean:.3} ± {error:.3} |")?;
        }
        for of in [|run: &Run| run.order, |run: &Run| run.five] {
            let text =
                |part| self.quantile(part, of).map_or("–".to_owned(), |count| count.to_string());
            write!(f, " {} ({} to {}) |", text(0.5), text(0.25), text(0.75))?;
        }
        Ok(())
    }
}
