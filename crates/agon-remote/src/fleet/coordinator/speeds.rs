//! How fast the workers are that can play matches of a class.

/// Groups of workers, by percentages of the speed of the fastest one.
pub(super) const STEPS: [u64; 4] = [95, 75, 50, 25];

/// The speeds of the workers that can play matches of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speeds {
    /// The [speed](crate::fleet::Abilities::speed) of the fastest one; 0 if there is none.
    pub(super) fastest: u64,
    /// The slots of each group and of all faster ones.
    pub(super) slots: [u64; STEPS.len()],
    /// How long a match takes on average, in percent of the time that the fastest one needs.
    pub(super) lead: u64,
}

impl Speeds {
    /// Returns those of workers with a speed and so many slots each.
    pub fn of(workers: impl Iterator<Item = (u32, u32)> + Clone) -> Speeds {
        let fastest = u64::from(workers.clone().map(|(speed, _)| speed).max().unwrap_or(0));
        let mut speeds = Speeds { fastest, ..Speeds::default() };
        let (mut all, mut sum) = (0, 0);
        for (speed, slots) in workers {
            // No machine has more.
            let slots = u64::from(slots.min(4096));
            let speed = u64::from(speed);
            all += u128::from(slots);
            sum += u128::from(slots * speed);
            for (step, of_group) in STEPS.iter().zip(&mut speeds.slots) {
                if 100 * speed >= step * fastest {
                    *of_group += slots;
                }
            }
        }
        // A slot plays as many matches as it is fast.
        let lead = (100 * all * u128::from(fastest)).checked_div(sum).unwrap_or(100);
        speeds.lead = u64::try_from(lead).unwrap_or(u64::MAX);
        speeds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fast_workers_count_in_all_groups_of_slower_ones() {
        let speeds = Speeds::of([(1_000, 4), (960, 2), (500, 10), (1, 1)].into_iter());
        assert_eq!((speeds.fastest, speeds.slots), (1_000, [6, 6, 16, 16]));
        // 17 slots as fast as the fastest would play 17 matches while these play 10.9.
        assert_eq!(speeds.lead, 155);
        assert_eq!(Speeds::of([].into_iter()), Speeds { lead: 100, ..Speeds::default() });
        let unknown = Speeds::of([(0, 2), (0, 2)].into_iter());
        assert_eq!((unknown.fastest, unknown.lead), (0, 100));
        // Somebody may say anything.
        let wrong = Speeds::of((0..100_000).map(|_| (u32::MAX, u32::MAX)));
        assert_eq!((wrong.slots[0], wrong.lead), (409_600_000, 100));
    }
}
