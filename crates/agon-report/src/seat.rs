//! What a seat is worth.

use std::collections::BTreeMap;

use agon_tournament::Record;
use schemars::JsonSchema;
use serde::Serialize;

use crate::number::rounded;

/// What bots in one seat got, whoever they were.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeatLine {
    /// How many played together.
    pub players: usize,
    /// The seat, from 1.
    pub seat: usize,
    /// Matches.
    pub matches: u64,
    /// The mean share of the opponents left behind, ties counting half: 0.5 if the seat does not matter.
    pub score: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// All seats, by how many played together.
///
/// Matches on one seed of one pairing are one observation: with mirrored seeds each bot has had each seat there, so that
/// the bots' strengths do not count.
pub(crate) fn seats(records: &[&Record]) -> Vec<SeatLine> {
    // By players and observation: how many matches, and the sum of the shares of each seat.
    let mut sums: BTreeMap<(usize, agon_tournament::PairingId, u64), (u32, Vec<f64>)> = BTreeMap::new();
    for record in records.iter().filter(|record| record.seats.len() > 1) {
        let players = record.seats.len();
        let key = (players, record.id.pairing, record.seed.0);
        let (matches, shares) = sums.entry(key).or_insert_with(|| (0, vec![0.0; players]));
        *matches += 1;
        for (share, half_points) in shares.iter_mut().zip(record.outcome().half_points()) {
            *share += f64::from(half_points) / (2 * (players - 1)) as f64;
        }
    }
    let mut lines = Vec::new();
    let observations: Vec<_> = sums.iter().map(|(key, sum)| (key.0, sum)).collect();
    for group in observations.chunk_by(|one, other| one.0 == other.0) {
        let matches = group.iter().map(|(_, (matches, _))| u64::from(*matches)).sum();
        for seat in 0..group[0].0 {
            let means: Vec<f64> =
                group.iter().map(|(_, (matches, shares))| shares[seat] / f64::from(*matches)).collect();
            let (score, half) = mean_and_half(&means);
            lines.push(SeatLine {
                players: group[0].0,
                seat: seat + 1,
                matches,
                score: rounded(score, 4),
                low: rounded((score - half).max(0.0), 4),
                high: rounded((score + half).min(1.0), 4),
            });
        }
    }
    lines
}

/// The mean, and half of its 95 % interval by the normal distribution; one value alone says nothing.
fn mean_and_half(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 {
        return (mean, 1.0);
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, 1.96 * (variance / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_few_values_is_wide() {
        assert_eq!(mean_and_half(&[0.5]), (0.5, 1.0));
        let (mean, half) = mean_and_half(&[0.0, 1.0, 0.0, 1.0]);
        assert_eq!(mean, 0.5);
        assert!((half - 1.96 * (1.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
    }
}
