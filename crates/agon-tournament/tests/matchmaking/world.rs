//! Simulated bots with known strengths, their matches, and ratings from these.

use std::collections::BTreeMap;

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{ELO_PER_NAT, Options, Record, table};
use agon_tournament::{Match, Outcome};

/// How strengths lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strengths {
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
pub struct World {
    /// In nats.
    strengths: Vec<f64>,
    rng: Rng,
}

/// A number from (0, 1).
fn uniform(rng: &mut Rng) -> f64 {
    ((rng.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

impl World {
    pub fn new(bots: usize, strengths: Strengths, seed: u64) -> World {
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

    pub fn bots(&self) -> usize {
        self.strengths.len()
    }

    /// A match by the model of Plackett and Luce: strength and luck (Gumbel's distribution) decide.
    pub fn play(&mut self, game: &Match) -> Outcome {
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
    pub fn rate(&self, records: &[Record]) -> Vec<f64> {
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
    pub fn tau(&self, ratings: &[f64]) -> f64 {
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
    pub fn best_five(&self, ratings: &[f64]) -> bool {
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
