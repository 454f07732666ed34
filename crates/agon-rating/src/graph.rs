//! Who met whom, and who beat whom: groups that never met, and players whose rating is open.

use serde::{Deserialize, Serialize};

use crate::Record;

/// How firmly the results hold a rating.
///
/// The likelihood has a finite maximum if and only if, however a group is split in two, each side has won
/// against the other (Ford 1957, Zermelo 1929). Where that fails, the rating is finite only by the prior.
/// A tie counts as a win of both here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Footing {
    /// The results hold it from both sides.
    Firm,
    /// Nobody outside of the player's own circle ever came out ahead or level: it could be any
    /// amount higher. A circle is all players whom chains of wins join in both directions.
    OpenAbove,
    /// Never ahead of anybody outside of the player's own circle, or level: it could be any amount
    /// lower.
    OpenBelow,
    /// Better than some by any amount and worse than others by any amount, or without a match.
    Open,
}

impl Footing {
    /// Says what this footing means for so many players with these names; `kind` is what they are,
    /// such as "bot". `None` if the footing is firm, or if there are no players.
    ///
    /// Players of several circles may share a sentence: what holds outside of each holds outside
    /// of all.
    pub fn sentence(self, names: &str, count: usize, kind: &str) -> Option<String> {
        if count == 0 {
            return None;
        }
        let alone = count == 1;
        let has = if alone { "has" } else { "have" };
        let others = match alone {
            true => format!("other {kind}"),
            false => format!("{kind} outside this group"),
        };
        let (what, bound) = match self {
            Footing::Firm => return None,
            Footing::OpenAbove => (format!("not lost to any {others}"), "only a lower bound"),
            Footing::OpenBelow => (format!("not beaten any {others}"), "only an upper bound"),
            Footing::Open => (format!("only won or only lost against each {others}"), "no bound"),
        };
        let of = if alone { "its rating" } else { "their ratings" };
        Some(format!("{names}: {has} {what}, so {bound} of {of} is known."))
    }
}

/// The players of each connected group, in order of their numbers, the largest group first.
pub(crate) fn groups(players: usize, records: &[Record]) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..players).collect();
    for record in records {
        let first = find(&mut parent, record.players[0]);
        for &other in &record.players[1..] {
            let other = find(&mut parent, other);
            parent[other] = first;
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); players];
    for player in 0..players {
        let root = find(&mut parent, player);
        groups[root].push(player);
    }
    groups.retain(|group| !group.is_empty());
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups
}

fn find(parent: &mut [usize], mut player: usize) -> usize {
    while parent[player] != player {
        parent[player] = parent[parent[player]];
        player = parent[player];
    }
    player
}

/// How firmly the results hold the rating of each of the players 0, 1, … of a connected group.
pub(crate) fn footings(players: usize, records: &[&Record], local: impl Fn(usize) -> usize) -> Vec<Footing> {
    if players < 2 {
        return vec![Footing::Open; players];
    }
    let mut beaten = vec![Vec::new(); players];
    for record in records {
        for (one, place) in record.players.iter().zip(&record.places) {
            for (other, behind) in record.players.iter().zip(&record.places) {
                if place <= behind && one != other {
                    beaten[local(*one)].push(local(*other));
                }
            }
        }
    }
    for list in &mut beaten {
        list.sort_unstable();
        list.dedup();
    }
    let circle = circles(&beaten);
    let circles = circle.iter().max().map_or(0, |last| last + 1);
    let mut sizes = vec![0; circles];
    circle.iter().for_each(|&c| sizes[c] += 1);
    let (mut above, mut below) = (vec![true; circles], vec![true; circles]);
    for (winner, losers) in beaten.iter().enumerate() {
        for &loser in losers.iter().filter(|&&loser| circle[loser] != circle[winner]) {
            above[circle[loser]] = false;
            below[circle[winner]] = false;
        }
    }
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let main = largest > 1 && sizes.iter().filter(|&&size| size == largest).count() == 1;
    let footing = |c: usize| match (above[c], below[c]) {
        _ if main && sizes[c] == largest => Footing::Firm,
        (true, false) => Footing::OpenAbove,
        (false, true) => Footing::OpenBelow,
        _ => Footing::Open,
    };
    circle.into_iter().map(footing).collect()
}

/// The strongly connected component of each node (Kosaraju and Sharir).
pub(crate) fn circles(next: &[Vec<usize>]) -> Vec<usize> {
    let mut reverse = vec![Vec::new(); next.len()];
    for (from, list) in next.iter().enumerate() {
        list.iter().for_each(|&to| reverse[to].push(from));
    }
    let mut order = Vec::with_capacity(next.len());
    let mut seen = vec![false; next.len()];
    for start in 0..next.len() {
        // Each frame: a node and how many of its successors are done.
        let mut stack = Vec::new();
        if !std::mem::replace(&mut seen[start], true) {
            stack.push((start, 0));
        }
        while let Some((node, done)) = stack.last_mut() {
            match next[*node].get(*done) {
                Some(&to) => {
                    *done += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
    }
    let mut circle = vec![usize::MAX; next.len()];
    let mut number = 0;
    for &start in order.iter().rev() {
        let mut stack = vec![start];
        let mut any = false;
        while let Some(node) = stack.pop() {
            if circle[node] == usize::MAX {
                circle[node] = number;
                any = true;
                stack.extend(&reverse[node]);
            }
        }
        number += usize::from(any);
    }
    circle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footing(players: usize, records: &[Record]) -> Vec<Footing> {
        footings(players, &records.iter().collect::<Vec<_>>(), |player| player)
    }

    #[test]
    fn groups_are_those_who_met() {
        let records = [Record::win(0, 3), Record::new(&[4, 5, 3], &[1, 2, 3]), Record::tie(1, 6)];
        assert_eq!(groups(7, &records), [vec![0, 3, 4, 5], vec![1, 6], vec![2]]);
    }

    #[test]
    fn a_group_of_several_is_not_called_unbeaten() {
        assert_eq!(
            Footing::OpenAbove.sentence("ada", 1, "bot").unwrap(),
            "ada: has not lost to any other bot, so only a lower bound of its rating is known."
        );
        assert_eq!(
            Footing::Open.sentence("ada and borg", 2, "bot").unwrap(),
            "ada and borg: have only won or only lost against each bot outside this group, so no \
             bound of their ratings is known."
        );
        assert_eq!(Footing::Firm.sentence("ada", 1, "bot"), None);
        assert_eq!(Footing::OpenBelow.sentence("", 0, "bot"), None);
    }

    #[test]
    fn an_unbeaten_and_a_winless_player_are_open() {
        use Footing::{Firm, OpenAbove, OpenBelow};
        let circle = [Record::win(0, 1), Record::win(1, 2), Record::win(2, 0)];
        assert_eq!(footing(3, &circle), [Firm; 3]);
        let more = [&circle[..], &[Record::win(3, 0), Record::win(1, 4)]].concat();
        assert_eq!(footing(5, &more), [Firm, Firm, Firm, OpenAbove, OpenBelow]);
        assert_eq!(footing(2, &[Record::win(1, 0)]), [OpenBelow, OpenAbove]);
        assert_eq!(footing(2, &[Record::win(1, 0), Record::tie(0, 1)]), [Firm; 2]);
        let chain = [Record::win(0, 1), Record::win(1, 2)];
        assert_eq!(footing(3, &chain), [OpenAbove, Footing::Open, OpenBelow]);
    }
}
