//! The part `seats` of a report: how much of an advantage each seat is.

use std::collections::BTreeMap;

use crate::{PairingId, Record};
use agon_core::Seed;
use agon_rating::MeanInterval;
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::{interval::CONFIDENCE, number::rounded};

/// The results of one seat, for any bots in it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeatLine {
    /// The number of players in the match.
    pub players: usize,
    /// The seat, from 1.
    pub seat: usize,
    /// The number of matches.
    pub matches: u64,
    /// The mean share of the opponents left behind, where ties count half. It is 0.5 if the seat
    /// does not matter.
    pub score: f64,
    /// The lower end of its 95 % interval (empirical likelihood ratio), never equal to the
    /// upper end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Returns all seats, by the number of players.
///
/// Matches on one seed of one pairing are one observation. With mirrored seeds each bot has each
/// seat there, so the bots' strengths cancel out.
pub(crate) fn seats(records: &[&Record]) -> Vec<SeatLine> {
    // For each number of players and observation: matches, and the sum of the shares of each seat.
    let mut sums: BTreeMap<(usize, PairingId, Seed), (u32, Vec<f64>)> = BTreeMap::new();
    for record in records.iter().filter(|record| record.seats.len() > 1) {
        let players = record.seats.len();
        let key = (players, record.id.pairing, record.seed);
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
            let means: Vec<f64> = group
                .iter()
                .map(|(_, (matches, shares))| shares[seat] / f64::from(*matches))
                .collect();
            let interval = MeanInterval::of(&means, CONFIDENCE).expect("shares are from 0 to 1");
            lines.push(SeatLine {
                players: group[0].0,
                seat: seat + 1,
                matches,
                score: rounded(interval.mean, 4),
                low: rounded(interval.low, 4),
                high: rounded(interval.high, 4),
            });
        }
    }
    lines
}
