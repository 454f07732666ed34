//! The two queues of a ladder: newcomers go first, but take only a share of the time.

use crate::{LadderOptions, active::Lane};

/// The time that versions of each lane took in matches or are expected to take, in microseconds.
///
/// Only the balance matters. While no newcomer is there, usual versions collect no credit, but get
/// back what newcomers took before.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes {
    fast: u64,
    usual: u64,
}

impl Lanes {
    /// Returns the lane whose turn it is, for this many versions in each.
    ///
    /// Versions of the usual lane keep their equal share of time, or the percentage of the options
    /// if that is more.
    pub(crate) fn next(&mut self, fast: usize, usual: usize, options: &LadderOptions) -> Lane {
        let part = (fast as u64).saturating_mul(100) / (fast as u64 + usual as u64).max(1);
        let percent = u128::from(part.max(options.newcomer_percent));
        let taken = u128::from(self.fast) * 100u128.saturating_sub(percent);
        match taken <= u128::from(self.usual) * percent {
            true if fast > 0 => Lane::Fast,
            true => {
                *self = Lanes::default();
                Lane::Usual
            }
            false => Lane::Usual,
        }
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
        if lane == Lane::Usual { &mut self.usual } else { &mut self.fast }
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
        assert_eq!(lanes.next(0, 5, &options), Lane::Usual);
        let count = |fast, usual| {
            let mut lanes = lanes.clone();
            let mut count = 0;
            for _ in 0..400 {
                let lane = lanes.next(fast, usual, &options);
                count += usize::from(lane == Lane::Fast);
                lanes.spend(lane, 10);
            }
            count
        };
        // As many as the options say, or as there are newcomers.
        assert_eq!((count(1, 100), count(9, 1), count(1, 0)), (100, 360, 400));
    }

    #[test]
    fn what_slow_newcomers_took_is_given_back_though_each_is_gone_at_once() {
        let options = LadderOptions { newcomer_percent: 50, ..LadderOptions::default() };
        let mut lanes = Lanes::default();
        let mut taken = [0, 0];
        for _ in 0..100 {
            // A newcomer comes each 9 s, and is gone after one match of 33 s.
            if lanes.next(1, 5, &options) == Lane::Fast {
                lanes.spend(Lane::Fast, 33);
                taken[0] += 33;
            }
            for _ in 0..9 {
                assert_eq!(lanes.next(0, 6, &options), Lane::Usual);
                lanes.spend(Lane::Usual, 1);
                taken[1] += 1;
            }
        }
        assert!(taken[0] <= taken[1] + 33, "{taken:?}");
    }
}
