//! Matches as choices: the best of the players without a place are chosen, repeatedly.
//!
//! The fit and its uncertainty are computed from these choices.

use std::collections::{BTreeSet, HashMap};

use crate::Record;

/// The choices made in the matches of a group.
///
/// The likelihood needs two counts: how often each set of players was chosen from
/// ([`Totals::counts`]) and how often each player was chosen ([`Totals::observed`]). The parameters
/// are the players' strengths and then the odds of ties.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choices {
    /// The number of players.
    pub(crate) players: usize,
    /// The numbers of players that tied in some choice.
    ///
    /// 1 comes first: a single player is always possible.
    pub(crate) orders: Vec<usize>,
    /// Each set that a choice was made from, once, with its players in order.
    pub(crate) sets: Vec<Box<[u32]>>,
    choices: Vec<Choice>,
    /// The end of each unit's choices; a unit is a cluster or a single match.
    ends: Vec<usize>,
    /// The end of each match's choices; empty if each match is a unit.
    match_ends: Vec<usize>,
}

/// One choice of a match: the best of a set of players, or several who tie.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) set: usize,
    pub(crate) weight: f64,
    pub(crate) chosen: Box<[u32]>,
}

/// The matches of a unit, each with its choices.
pub(crate) struct UnitOfMatches<'a> {
    pub(crate) matches: Vec<&'a [Choice]>,
}

/// Sums over choices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Totals {
    /// Total weight of the choices from each set.
    pub(crate) counts: Vec<f64>,
    /// For each player the sum of 1 / (size of the chosen set) over choices of the player.
    ///
    /// Then the weight of ties of each order above 1.
    pub(crate) observed: Vec<f64>,
}

impl Choices {
    /// Makes the choices of matches between players with numbers in this group, `local`.
    ///
    /// The order of the records does not matter.
    pub(crate) fn new(
        players: usize,
        records: &[&Record],
        local: impl Fn(usize) -> usize,
    ) -> Choices {
        let mut matches: Vec<_> = records.iter().map(|record| sorted(record, &local)).collect();
        matches.sort_unstable_by(|one, other| {
            (one.cluster, &one.players, &one.ends)
                .cmp(&(other.cluster, &other.players, &other.ends))
                .then(one.weight.total_cmp(&other.weight))
        });
        let mut numbers = HashMap::with_capacity(matches.len());
        let mut made = Choices {
            players,
            orders: vec![1],
            sets: Vec::new(),
            choices: Vec::new(),
            ends: Vec::new(),
            match_ends: Vec::new(),
        };
        let mut orders = BTreeSet::from([1]);
        let mut before = None;
        for item in matches {
            if item.cluster.is_none() || item.cluster != before {
                made.ends.push(0);
            }
            before = item.cluster;
            let mut start = 0;
            for end in item.ends {
                let rest = &item.players[start..];
                if rest.len() < 2 {
                    break;
                }
                let mut set: Box<[u32]> = rest.into();
                set.sort_unstable();
                let set = *numbers.entry(set).or_insert_with_key(|set| {
                    made.sets.push(set.clone());
                    made.sets.len() - 1
                });
                let chosen: Box<[u32]> = item.players[start..end].into();
                orders.insert(chosen.len());
                made.choices.push(Choice { set, weight: item.weight, chosen });
                start = end;
            }
            if let Some(end) = made.ends.last_mut() {
                *end = made.choices.len();
            }
            made.match_ends.push(made.choices.len());
        }
        if made.match_ends.len() == made.ends.len() {
            made.match_ends = Vec::new();
        }
        made.orders = orders.into_iter().collect();
        made
    }

    /// Makes choices of which only the sums are known.
    ///
    /// They have no units. `orders` starts with 1.
    pub(crate) fn of_sets(players: usize, orders: Vec<usize>, sets: Vec<Box<[u32]>>) -> Choices {
        let choices = Vec::new();
        Choices { players, orders, sets, choices, ends: Vec::new(), match_ends: Vec::new() }
    }

    /// Returns the number of parameters: strengths, and odds of ties of each order above 1.
    pub(crate) fn parameters(&self) -> usize {
        self.players + self.orders.len() - 1
    }

    /// Returns the matches of the units; `None` if each match is a unit.
    pub(crate) fn units_of_matches(&self) -> Option<Vec<UnitOfMatches<'_>>> {
        if self.match_ends.is_empty() {
            return None;
        }
        let mut matches = self.match_ends.iter().copied().peekable();
        let mut start = 0;
        let unit = |&end: &usize| {
            let mut unit = UnitOfMatches { matches: Vec::new() };
            while let Some(next) = matches.next_if(|&next| next <= end) {
                unit.matches.push(&self.choices[start..next]);
                start = next;
            }
            unit
        };
        Some(self.ends.iter().map(unit).collect())
    }

    /// Sums over all choices.
    pub(crate) fn totals(&self) -> Totals {
        let mut counts = vec![0.0; self.sets.len()];
        let mut observed = vec![0.0; self.parameters()];
        for choice in &self.choices {
            counts[choice.set] += choice.weight;
            let size = choice.chosen.len();
            for &player in &choice.chosen {
                observed[player as usize] += choice.weight / size as f64;
            }
            if let (true, Ok(order)) = (size > 1, self.orders.binary_search(&size)) {
                observed[self.players + order - 1] += choice.weight;
            }
        }
        Totals { counts, observed }
    }
}

struct Sorted {
    cluster: Option<u64>,
    /// The players, best first; those who tie are in order of their numbers.
    players: Vec<u32>,
    /// The ends of ties in `players`.
    ends: Vec<usize>,
    weight: f64,
}

fn sorted(record: &Record, local: &impl Fn(usize) -> usize) -> Sorted {
    let places = record.places.iter().zip(&record.players);
    let mut order: Vec<(u32, u32)> = places.map(|(&place, &p)| (place, local(p) as u32)).collect();
    order.sort_unstable();
    let is_last = |&at: &usize| order.get(at).is_none_or(|next| next.0 != order[at - 1].0);
    let ends = (1..=order.len()).filter(is_last).collect();
    let players = order.iter().map(|&(_, player)| player).collect();
    Sorted { cluster: record.cluster, players, ends, weight: record.weight }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_a_choice_for_each_tier_but_a_last_single_player() {
        let records = [Record::new(&[0, 1, 2, 3], &[2, 1, 2, 4]), Record::tie(3, 0).weighted(2.0)];
        let choices = Choices::new(4, &records.iter().collect::<Vec<_>>(), |player| player);
        assert_eq!(choices.orders, [1, 2]);
        assert_eq!(choices.parameters(), 5);
        let totals = choices.totals();
        assert_eq!(totals.observed, [0.5 + 1.0, 1.0, 0.5, 1.0, 1.0 + 2.0]);
        assert_eq!(totals.counts.iter().sum::<f64>(), 4.0);
        assert_eq!(choices.ends.len(), 2);
    }

    #[test]
    fn clusters_are_units() {
        let records = [
            Record::win(0, 1).clustered(5),
            Record::win(0, 1),
            Record::win(1, 0).clustered(5),
            Record::win(0, 1),
        ];
        let choices = Choices::new(2, &records.iter().collect::<Vec<_>>(), |player| player);
        let units = choices.units_of_matches().unwrap();
        let mut sizes: Vec<usize> = units.iter().map(|unit| unit.matches.len()).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 2]);
    }
}
