//! Finds the cheapest way for a bot on its map: to walk, or to lay a wire along.

use std::{cmp::Reverse, collections::BinaryHeap, iter::successors};

use super::{
    known_map::beside,
    spot_map::{Spot, SpotMap},
};

/// The number of places after which a search gives up.
const PATIENCE: usize = 6_000;

/// The cheapest way from `start` (exclusive) to the nearest place that `is_goal` accepts
/// (inclusive).
///
/// `cost` returns the cost of entering a place, or `None` if that is impossible.
pub(super) fn route(
    start: Spot,
    is_goal: impl Fn(Spot) -> bool,
    cost: impl Fn(Spot) -> Option<u32>,
) -> Option<Vec<Spot>> {
    let mut open = BinaryHeap::from([(Reverse(0), start)]);
    // The cost of reaching a place, and the place before it.
    let mut best = SpotMap::default();
    best.insert(start, (0, start));
    let mut looked_at = 0;
    while let Some((Reverse(spent), spot)) = open.pop() {
        if best.get(spot).is_some_and(|(known, _)| spent > known) {
            continue;
        }
        if is_goal(spot) {
            return Some(way_back(&best, start, spot));
        }
        looked_at += 1;
        if looked_at > PATIENCE {
            return None;
        }
        for next in beside(spot) {
            let Some(step) = cost(next) else { continue };
            let total = spent + step;
            if best.get(next).is_none_or(|(known, _)| total < known) {
                best.insert(next, (total, spot));
                open.push((Reverse(total), next));
            }
        }
    }
    None
}

fn way_back(best: &SpotMap<(u32, Spot)>, start: Spot, goal: Spot) -> Vec<Spot> {
    let before = |spot: &Spot| best.get(*spot).map(|(_, before)| before);
    let mut way: Vec<_> =
        successors(Some(goal), before).take_while(|&spot| spot != start).collect();
    way.reverse();
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_go_round_what_is_dear() {
        let wall = |(x, y): Spot| if x == 1 && y != 2 { None } else { Some(1) };
        let way = route((0, 0), |spot| spot == (2, 0), wall).unwrap();
        assert_eq!((way.len(), way.last()), (6, Some(&(2, 0))));
        assert!(way.contains(&(1, 2)));
        let dear = |(x, _): Spot| Some(if x == 1 { 9 } else { 1 });
        assert_eq!(route((0, 0), |spot| spot == (2, 0), dear).unwrap().len(), 2);
    }

    #[test]
    fn no_way_is_none() {
        assert_eq!(route((0, 0), |spot| spot == (9, 9), |_| None), None);
        assert_eq!(route((0, 0), |_| false, |_| Some(1)), None, "patience ends");
    }
}
