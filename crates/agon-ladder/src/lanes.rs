//! The two queues of a ladder: newcomers go first, but take only a share of the time.

use crate::{LadderOptions, active::Lane};

/// The time that matches of each lane took or are expected to take, in microseconds.
///
/// Only the balance matters. It starts again whenever no newcomer is there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    fast: u64,
    usual: u64,
}

impl Lanes {
    /// Returns the lane whose turn it is.
    pub(crate) fn next(&mut self, has_fast: bool, options: &LadderOptions) -> Lane {
        if !has_fast {
            *self = Lanes::default();
            return Lane::Usual;
        }
        let percent = u128::from(options.newcomer_percent);
        let fast = u128::from(self.fast) * (100 - percent);
        if fast <= u128::from(self.usual) * percent { Lane::Fast } else { Lane::Usual }
    }

    /// Adds time to a lane.
    pub(crate) fn spend(&mut self, lane: Lane, us: u64) {
        let lane = self.of(lane);
        *lane = lane.saturating_add(us);
    }

    /// Subtracts time from a lane, as far as there is some.
    pub(crate) fn take_back(&mut self, lane: Lane, us: u64) {
        let lane = self.of(lane);
        *lane = lane.saturating_sub(us);
    }

    fn of(&mut self, lane: Lane) -> &mut u64 {
        if lane == Lane::Fast { &mut self.fast } else { &mut self.usual }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newcomers_take_their_share_of_time_and_collect_no_credit() {
        let options = LadderOptions { newcomer_percent: 25, ..LadderOptions::default() };
        let mut lanes = Lanes::default();
        lanes.spend(Lane::Usual, 1_000_000);
        assert_eq!(lanes.next(false, &options), Lane::Usual);
        let mut count = 0;
        for _ in 0..400 {
            let lane = lanes.next(true, &options);
            count += usize::from(lane == Lane::Fast);
            lanes.spend(lane, 10);
        }
        assert_eq!(count, 100);
    }
}
