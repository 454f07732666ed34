//! Who leads the table of a run, as far as its results have counted: a result of a volunteer that
//! changes this is always checked.

use std::{cmp::Ordering, collections::BTreeMap};

use agon_core::Standing;
use agon_spec::Digest;

/// So many bots are at the top.
const TOP: usize = 3;

/// The most bots that are followed.
const MOST: usize = 100_000;

/// What a bot got against each opponent: 2 for a better place, 1 for the same.
#[derive(Clone, Copy, Debug, Default)]
struct Points {
    got: u64,
    games: u64,
}

impl Points {
    /// Compares the means. Whoever has not played comes last.
    fn compare(self, other: Points) -> Ordering {
        let products = (self.got * other.games.max(1), other.got * self.games.max(1));
        products.0.cmp(&products.1)
    }
}

/// The points of all bots, by the digests of their seats.
#[derive(Clone, Debug, Default)]
pub(super) struct Top {
    bots: BTreeMap<Digest, Points>,
}

impl Top {
    /// A result counts.
    pub(super) fn count(&mut self, seats: &[Digest], standing: &Standing) {
        for (seat, more) in points(seats, standing) {
            if self.bots.len() < MOST || self.bots.contains_key(&seat) {
                let bot = self.bots.entry(seat).or_default();
                bot.got += more.got;
                bot.games += more.games;
            }
        }
    }

    /// Returns whether others would lead, or in another order, if a result counted.
    pub(super) fn would_change(&self, seats: &[Digest], standing: &Standing) -> bool {
        let mut changed = BTreeMap::new();
        for (seat, more) in points(seats, standing) {
            let bot: &mut Points = changed
                .entry(seat)
                .or_insert_with(|| self.bots.get(&seat).copied().unwrap_or_default());
            bot.got += more.got;
            bot.games += more.games;
        }
        self.leaders(&BTreeMap::new()) != self.leaders(&changed)
    }

    /// Returns the best bots, where some have other points.
    fn leaders(&self, changed: &BTreeMap<Digest, Points>) -> Vec<Digest> {
        let unchanged = self.bots.iter().filter(|(seat, _)| !changed.contains_key(*seat));
        let mut best: Vec<(Points, Digest)> = Vec::with_capacity(TOP + 1);
        for (&seat, &points) in unchanged.chain(changed) {
            let is_better = |other: &(Points, Digest)| {
                points.compare(other.0).then(other.1.cmp(&seat)) == Ordering::Greater
            };
            let at = best.iter().position(is_better).unwrap_or(best.len());
            best.insert(at, (points, seat));
            best.truncate(TOP);
        }
        best.into_iter().map(|(_, seat)| seat).collect()
    }
}

/// Returns what each bot of a match gets.
fn points<'a>(
    seats: &'a [Digest],
    standing: &'a Standing,
) -> impl Iterator<Item = (Digest, Points)> + 'a {
    let places: Vec<u32> = standing.players.iter().map(|player| player.place).collect();
    seats.iter().enumerate().filter_map(move |(own, seat)| {
        let place = *places.get(own)?;
        let others = places.iter().enumerate().filter(|(other, _)| *other != own);
        let mut points = Points::default();
        for (_, other) in others {
            points.games += 1;
            points.got += match place.cmp(other) {
                Ordering::Less => 2,
                Ordering::Equal => 1,
                Ordering::Greater => 0,
            };
        }
        Some((*seat, points))
    })
}

#[cfg(test)]
mod tests {
    use agon_core::PlayerStanding;

    use super::*;

    fn seat(number: u8) -> Digest {
        Digest::of(&[number])
    }

    fn standing(places: &[u32]) -> Standing {
        let player = |&place| PlayerStanding { place, score: 0, measures: Vec::new(), out: false };
        Standing { players: places.iter().map(player).collect(), outcome: None }
    }

    #[test]
    fn a_result_matters_if_it_changes_who_leads() {
        let mut top = Top::default();
        // 0 beats all, 1 all but 0, and so on: ten times each.
        for better in 0..6 {
            for worse in better + 1..6 {
                for _ in 0..10 {
                    top.count(&[seat(better), seat(worse)], &standing(&[1, 2]));
                }
            }
        }
        let would = |top: &Top, one, other, places: [u32; 2]| {
            top.would_change(&[seat(one), seat(other)], &standing(&places))
        };
        assert!(!would(&top, 4, 5, [2, 1]), "the last ones");
        assert!(!would(&top, 0, 1, [2, 1]), "one of fifty");
        for _ in 0..9 {
            top.count(&[seat(0), seat(1)], &standing(&[2, 1]));
        }
        top.count(&[seat(1), seat(5)], &standing(&[1, 2]));
        // 50 of 59 against 50 of 60: the next one would change the order.
        assert!(would(&top, 0, 1, [2, 1]));
        assert!(!would(&top, 0, 1, [1, 2]));
        assert!(!would(&top, 0, 1, [1, 1]));
        // A newcomer without a match is nowhere.
        assert!(would(&top, 9, 5, [1, 2]));
        assert!(!would(&top, 9, 5, [2, 1]));
    }

    #[test]
    fn nothing_leads_before_the_first_result() {
        let top = Top::default();
        assert!(top.would_change(&[seat(1), seat(2)], &standing(&[1, 2])));
        assert!(!top.would_change(&[], &standing(&[])));
    }
}
