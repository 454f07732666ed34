//! Spreads seeded entrants over the places of a bracket, and over groups.

/// Returns the seed, from 0, at each place of a bracket of `size` (a power of two).
///
/// The best two meet in the final, the best four in the semi-finals, and so on. The best meet the
/// weakest first.
pub fn bracket_order(size: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < size {
        let next = order.len() * 2;
        order = order.into_iter().flat_map(|seed| [seed, next - 1 - seed]).collect();
    }
    order
}

/// Deals `members` into `groups` groups back and forth, so that the groups are about equally strong
/// and their sizes differ by at most one.
pub fn snake<T: Copy>(members: &[T], groups: usize) -> Vec<Vec<T>> {
    let mut dealt = vec![Vec::new(); groups];
    for (number, &member) in members.iter().enumerate() {
        let (row, column) = (number / groups, number % groups);
        dealt[if row % 2 == 0 { column } else { groups - 1 - column }].push(member);
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_meet_late() {
        assert_eq!(bracket_order(1), [0]);
        assert_eq!(bracket_order(8), [0, 7, 3, 4, 1, 6, 2, 5]);
    }

    #[test]
    fn groups_are_about_equally_strong() {
        let members: Vec<usize> = (0..7).collect();
        assert_eq!(snake(&members, 3), [vec![0, 5, 6], vec![1, 4], vec![2, 3]]);
    }
}
