//! Seats: each version gets each seat equally often, as far as possible.

use agon_core::Rng;

/// Returns the order of the seats: which member of a group sits on the first, second, … seat.
///
/// `had` says how often a member had a seat. Among equally good orders the lot decides.
pub(crate) fn order(count: usize, had: impl Fn(usize, usize) -> u64, rng: &mut Rng) -> Vec<usize> {
    let mut members: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut members);
    // Exchanges lower the sum of squares of all counts, so they end. The bound is for the clock.
    for _ in 0..count * count {
        let mut better = false;
        for one in 0..count {
            for other in one + 1..count {
                let cost = |a: usize, b: usize| {
                    u128::from(had(members[a], one)) + u128::from(had(members[b], other))
                };
                if cost(other, one) < cost(one, other) {
                    members.swap(one, other);
                    better = true;
                }
            }
        }
        if !better {
            break;
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn seats_of_a_fixed_group_stay_even() {
        for count in [2, 3, 5] {
            let mut had = vec![vec![0u64; count]; count];
            for number in 0..60 {
                let mut rng = Seed::plain(1).stream(Purpose::Draw, number);
                let order = order(count, |member, seat| had[member][seat], &mut rng);
                order.iter().enumerate().for_each(|(seat, &member)| had[member][seat] += 1);
                let all = || had.iter().flatten();
                assert!(all().max().unwrap() - all().min().unwrap() <= 2, "{number}: {had:?}");
            }
        }
    }

    #[test]
    fn the_lot_decides_among_equals() {
        let first = |number| {
            order(2, |_, _| u64::MAX, &mut Seed::plain(1).stream(Purpose::Draw, number))[0]
        };
        let firsts: usize = (0..100).map(first).sum();
        assert!((30..70).contains(&firsts), "{firsts}");
    }
}
