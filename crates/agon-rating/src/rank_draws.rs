//! Rankings drawn from uncertain strengths: they show which ranks a player may really have.

/// The ranks, from 0, that each player had in the drawn rankings.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RankDraws {
    ranks: Vec<Vec<u32>>,
}

impl RankDraws {
    /// Starts without a ranking.
    pub(crate) fn new(players: usize) -> RankDraws {
        RankDraws { ranks: vec![Vec::new(); players] }
    }

    /// Makes rankings of two players, of which the first is ahead in `ahead` of `draws`.
    pub(crate) fn of_two(ahead: usize, draws: usize) -> RankDraws {
        let first = [vec![0; ahead], vec![1; draws - ahead]].concat();
        let second = first.iter().map(|rank| 1 - rank).collect();
        RankDraws { ranks: vec![first, second] }
    }

    /// Adds a ranking by strength, the greatest first.
    pub(crate) fn add(&mut self, strengths: &[f64]) {
        let mut order: Vec<usize> = (0..strengths.len()).collect();
        order.sort_by(|&one, &other| strengths[other].total_cmp(&strengths[one]));
        for (rank, player) in (0..).zip(order) {
            self.ranks[player].push(rank);
        }
    }

    /// Returns the range of a player's ranks, from 1, that holds a share of `confidence`.
    ///
    /// As many lie beyond it on either side. `None` without a draw.
    pub(crate) fn range(&self, player: usize, confidence: f64) -> Option<(usize, usize)> {
        let mut sorted = self.ranks[player].clone();
        sorted.sort_unstable();
        let beyond = (sorted.len() as f64 * (1.0 - confidence) / 2.0) as usize;
        let low = *sorted.get(beyond)?;
        let high = sorted[sorted.len() - 1 - beyond];
        Some((low as usize + 1, high as usize + 1))
    }

    /// Returns the share of draws with each rank, the first rank first; empty without a draw.
    pub(crate) fn probabilities(&self, player: usize) -> Vec<f64> {
        let ranks = &self.ranks[player];
        let mut parts = vec![0.0; if ranks.is_empty() { 0 } else { self.ranks.len() }];
        ranks.iter().for_each(|&rank| parts[rank as usize] += 1.0);
        parts.iter_mut().for_each(|part| *part /= ranks.len() as f64);
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_leave_out_the_same_on_both_sides() {
        let mut draws = RankDraws::new(3);
        assert_eq!((draws.range(0, 0.95), draws.probabilities(0)), (None, vec![]));
        for strengths in [[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0], [3.0, 2.0, 1.0]] {
            draws.add(&strengths);
        }
        assert_eq!(draws.probabilities(0), [0.75, 0.25, 0.0]);
        assert_eq!((draws.range(1, 0.95), draws.range(1, 0.5)), (Some((1, 3)), Some((2, 2))));
        let two = RankDraws::of_two(3, 4);
        assert_eq!(two.probabilities(1), [0.25, 0.75]);
    }
}
