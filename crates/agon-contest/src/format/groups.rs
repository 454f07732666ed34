//! Groups, a format of tournaments: the best of each group advance, until one group is left.

use std::collections::BTreeMap;

use super::{Format, Next, Row, Ties, round_robin::circle};
use crate::{Entrant, Games, History, Pairing, PairingId, pairing::Tally};

/// How a group plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// All of the group together in each match.
    Together,
    /// Every two of the group.
    Pairs,
}

/// Groups with advancement. If groups of four play one match each, and one bot advances, this is
/// cellhack's knock-out.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Who takes part, in order of seeding.
    pub seeding: Vec<Entrant>,
    /// The most members of a group; groups of a stage differ by one at most.
    pub size: usize,
    /// How many advance from a group; fewer from small groups, so that somebody is eliminated.
    pub advance: usize,
    /// How a group plays.
    pub within: Within,
    /// Matches of a group, or of each pair of it.
    pub games: Games,
    /// What happens if equal points leave open who advances.
    pub ties: Ties,
}

/// A group of a stage as far as it is known.
struct Group {
    /// Members with their half points, best first.
    order: Vec<(Entrant, u32)>,
    /// Whether all scheduled matches are over.
    complete: bool,
    /// The number of scheduled sets of matches.
    sets: u32,
}

/// The stages as far as they are known.
struct Stages {
    groups: Vec<Vec<Group>>,
    /// The winner; `None` while it is unknown.
    champion: Option<Entrant>,
    wave: Vec<Pairing>,
}

impl Groups {
    fn pairings(&self, round: u32, group: u32, members: &[Entrant]) -> Vec<Pairing> {
        let lists = match self.within {
            Within::Pairs if members.len() > 1 => circle(members).concat(),
            _ => {
                // Rotated, so that with only one match the seats do not follow the seeding in all
                // groups.
                let mut together = members.to_vec();
                together.rotate_left((round + group) as usize % members.len().max(1));
                vec![together]
            }
        };
        let pairing =
            |(pairing, list)| Pairing::new(PairingId { round, group, pairing }, list, self.games);
        (0..).zip(lists).map(pairing).collect()
    }

    fn group(
        &self,
        members: &[Entrant],
        pairings: &[Pairing],
        tallies: &BTreeMap<PairingId, Tally>,
    ) -> Group {
        let mut points: BTreeMap<Entrant, u32> =
            members.iter().map(|&member| (member, 0)).collect();
        let mut complete = true;
        let mut sets = 0;
        for pairing in pairings {
            let Some(tally) = tallies.get(&pairing.id) else {
                complete = false;
                continue;
            };
            complete &= tally.is_complete();
            sets = tally.called.checked_div(pairing.count).unwrap_or(0);
            for (entrant, gained) in tally.pairing.entrants.iter().zip(&tally.points) {
                *points.entry(*entrant).or_insert(0) += gained;
            }
        }
        // Members stand in order of the seeding, which a stable sort keeps.
        let mut order: Vec<_> = members.iter().map(|member| (*member, points[member])).collect();
        order.sort_by_key(|member| std::cmp::Reverse(member.1));
        Group { order, complete, sets }
    }

    /// Returns the number of groups for this many members.
    fn count(&self, members: usize) -> usize {
        members.div_ceil(self.size.max(2)).max(1)
    }

    /// Returns how many members of a group advance.
    fn advancing(&self, members: usize, last: bool) -> usize {
        if last { 1 } else { self.advance.min(members.saturating_sub(1)).max(1) }
    }

    fn stages(&self, history: &History) -> Stages {
        let tallies = history.tallies();
        let mut stages = Stages { groups: Vec::new(), champion: None, wave: Vec::new() };
        let mut members = self.seeding.clone();
        let rank: BTreeMap<Entrant, usize> =
            self.seeding.iter().enumerate().map(|(at, &e)| (e, at)).collect();
        for round in 0.. {
            let count = self.count(members.len());
            let mut groups = Vec::new();
            // The first ones of all groups, then the second ones, and so on.
            let mut next: Vec<(usize, Entrant)> = Vec::new();
            for (number, mut list) in (0..).zip(snake(&members, count)) {
                list.sort_by_key(|member| rank[member]);
                let pairings = self.pairings(round, number, &list);
                let group = self.group(&list, &pairings, &tallies);
                let advancing = self.advancing(list.len(), count == 1);
                let points = |at: usize| group.order.get(at).map(|member| member.1);
                let level =
                    points(advancing).is_some() && points(advancing) == points(advancing - 1);
                if !group.complete {
                    let is_new = |pairing: &Pairing| !tallies.contains_key(&pairing.id);
                    stages.wave.extend(pairings.into_iter().filter(is_new));
                } else if level && group.sets <= self.ties.more && group.sets > 0 {
                    let again =
                        |pairing: &Pairing| pairing.again(tallies[&pairing.id].called, self.games);
                    stages.wave.extend(pairings.iter().map(again));
                } else {
                    let best = group.order.iter().take(advancing).enumerate();
                    next.extend(best.map(|(place, &(entrant, _))| (place, entrant)));
                }
                groups.push(group);
            }
            let decided = stages.wave.is_empty() && groups.iter().all(|group| group.complete);
            stages.groups.push(groups);
            if !decided {
                break;
            }
            if count == 1 {
                stages.champion = next.first().map(|&(_, entrant)| entrant);
                break;
            }
            next.sort_by_key(|&(place, entrant)| (place, rank[&entrant]));
            members = next.into_iter().map(|(_, entrant)| entrant).collect();
        }
        stages
    }
}

impl Format for Groups {
    fn next(&self, history: &History) -> Next {
        Next::wave(self.stages(history).wave)
    }

    fn planned(&self) -> Option<u64> {
        let of_group = |members: usize| match self.within {
            Within::Together => u64::from(self.games.count(members)),
            Within::Pairs => {
                (members * members.saturating_sub(1) / 2) as u64 * u64::from(self.games.count(2))
            }
        };
        let mut members = self.seeding.len();
        let mut planned = 0;
        loop {
            let count = self.count(members);
            let sizes: Vec<usize> = snake(&vec![(); members], count).iter().map(Vec::len).collect();
            planned += sizes.iter().map(|&size| of_group(size)).sum::<u64>();
            if count == 1 {
                return Some(planned);
            }
            members = sizes.iter().map(|&size| self.advancing(size, false)).sum();
        }
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        let stages = self.stages(history);
        let totals = super::totals(history, self.seeding.len(), 0);
        let last = stages.groups.len() - 1;
        // How far each entrant came: the stage, whether it is the champion, the place in its group,
        // the points there.
        let mut far: BTreeMap<Entrant, (usize, bool, std::cmp::Reverse<usize>, u32)> =
            BTreeMap::new();
        let mut reasons: BTreeMap<Entrant, String> = BTreeMap::new();
        for (stage, groups) in stages.groups.iter().enumerate() {
            for group in groups {
                for &(entrant, points) in &group.order {
                    let better = group.order.iter().filter(|other| other.1 > points).count();
                    let champion = stages.champion == Some(entrant);
                    far.insert(entrant, (stage, champion, std::cmp::Reverse(better), points));
                    let open = stage == last && stages.champion.is_none();
                    let place = better + 1;
                    let points = super::points_text(points);
                    let reason = match (champion, open) {
                        (true, _) => "won the last group".to_owned(),
                        (_, true) => {
                            format!("in stage {}, place {place} with {points} points", stage + 1)
                        }
                        _ => format!("place {place} with {points} points in stage {}", stage + 1),
                    };
                    reasons.insert(entrant, reason);
                }
            }
        }
        let row = |&entrant: &Entrant| {
            let reason = reasons.remove(&entrant).unwrap_or_default();
            Row { reason, ..super::row(entrant, totals[entrant.index()], Vec::new()) }
        };
        // Points are compared only in the last stage, where all are in one group and have the same
        // opponents.
        let key = |row: &Row| {
            let (stage, champion, better, points) = far[&row.entrant];
            (stage, champion, better, if stage == last { points } else { 0 })
        };
        super::place(self.seeding.iter().map(row).collect(), |a, b| key(b).cmp(&key(a)))
    }
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
    fn groups_are_about_equally_strong() {
        let members: Vec<usize> = (0..7).collect();
        assert_eq!(snake(&members, 3), [vec![0, 5, 6], vec![1, 4], vec![2, 3]]);
    }
}
