//! The graph of meetings: groups that never met, and players with open ratings.
//!
//! A table is split into these groups, and warns of open ratings.

use serde::{Deserialize, Serialize};

/// How firmly the results hold a rating.
///
/// The likelihood has a finite maximum if and only if, for each split of a group in two, each side
/// has won against the other (Ford 1957, Zermelo 1929). Where that fails, only the prior keeps the
/// rating finite. A tie counts as a win of both here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Footing {
    /// The results hold it from both sides.
    Firm,
    /// It could be any amount higher: no chain of wins leads from the main circle to the player.
    ///
    /// A circle consists of all players whom chains of wins join in both directions. The main
    /// circle is larger than all others. Without a main circle, nobody outside of the player's own
    /// circle ever came out ahead or level.
    OpenAbove,
    /// It could be any amount lower: no chain of wins leads from the player to the main circle.
    ///
    /// Without a main circle, none leads to anybody outside of the player's own circle.
    OpenBelow,
    /// It could be any amount higher or lower, or there is no match.
    ///
    /// Without a main circle: better than some players by any amount, and worse than others by
    /// any amount.
    Open,
}

impl Footing {
    /// Describes the meaning of this footing for `count` players with these names.
    ///
    /// `kind` is their kind, such as "bot". `None` if the footing is firm, or if there are no
    /// players. Players of several circles may share a sentence: it holds outside of each circle,
    /// so it holds outside of all.
    pub fn sentence(self, names: &str, count: usize, kind: &str) -> Option<String> {
        if count == 0 {
            return None;
        }
        let alone = count == 1;
        let (has, it_is, its_results) = match alone {
            true => ("has", "it is", "its results"),
            false => ("have", "they are", "their results"),
        };
        let lost_or_beaten = |what: [&str; 3], bound| {
            let [neither, nor, bots] = what;
            (
                format!("{has} {neither} the {kind}s {it_is} measured against nor {nor} {bots}"),
                bound,
            )
        };
        let (what, bound) = match self {
            Footing::Firm => return None,
            Footing::OpenAbove => lost_or_beaten(
                ["lost neither to", "to any", "that lost to them"],
                "only a lower bound",
            ),
            Footing::OpenBelow => {
                lost_or_beaten(["beaten neither", "any", "that beat them"], "only an upper bound")
            }
            Footing::Open => (
                format!("{its_results} leave open how far {it_is} from the other {kind}s"),
                "no bound",
            ),
        };
        let of = if alone { "its rating" } else { "their ratings" };
        Some(format!("{names}: {what}, so {bound} of {of} is known."))
    }
}

/// Returns the players of each connected group in order of number, the largest group first.
///
/// `matches` are the players of each match.
pub(crate) fn groups<M: Iterator<Item = usize>>(
    players: usize,
    matches: impl Iterator<Item = M>,
) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..players).collect();
    for mut members in matches {
        let Some(first) = members.next() else { continue };
        let first = find(&mut parent, first);
        for other in members {
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

/// Returns the pairs of players of a match of which the first is not behind the second.
pub(crate) fn not_behind<'a, P: Copy + PartialEq, R: Copy + PartialOrd>(
    players: &'a [P],
    places: &'a [R],
) -> impl Iterator<Item = (P, P)> + 'a {
    let all = move || players.iter().zip(places);
    let pairs = all().flat_map(move |one| all().map(move |other| (one, other)));
    let wanted = pairs.filter(|((one, place), (other, behind))| place <= behind && one != other);
    wanted.map(|((&one, _), (&other, _))| (one, other))
}

/// Returns the footing of each of the players 0, 1, … of a connected group.
///
/// The first of each pair of `not_behind` was not behind the second in some match.
pub(crate) fn footings(
    players: usize,
    not_behind: impl Iterator<Item = (usize, usize)>,
) -> Vec<Footing> {
    if players < 2 {
        return vec![Footing::Open; players];
    }
    let mut beaten = vec![Vec::new(); players];
    for (one, other) in not_behind {
        // Sorted counts repeat a pair at once.
        if beaten[one].last() != Some(&other) {
            beaten[one].push(other);
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
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let mut of_largest = (0..circles).filter(|&c| sizes[c] == largest);
    let main = of_largest.next().filter(|_| largest > 1 && of_largest.next().is_none());
    let mut wins = vec![Vec::new(); circles];
    let mut losses = wins.clone();
    for (winner, losers) in beaten.iter().enumerate() {
        for &loser in losers.iter().filter(|&&loser| circle[loser] != circle[winner]) {
            wins[circle[winner]].push(circle[loser]);
            losses[circle[loser]].push(circle[winner]);
        }
    }
    let bounded = |edges: &[Vec<usize>], back: &[Vec<usize>]| match main {
        Some(main) => reached(main, edges),
        None => back.iter().map(|list| !list.is_empty()).collect(),
    };
    let has_upper = bounded(&wins, &losses);
    let has_lower = bounded(&losses, &wins);
    let footing = |c: usize| match (has_lower[c], has_upper[c]) {
        _ if main == Some(c) => Footing::Firm,
        (true, false) => Footing::OpenAbove,
        (false, true) => Footing::OpenBelow,
        _ => Footing::Open,
    };
    circle.into_iter().map(footing).collect()
}

/// Returns for each node whether there is a way to it from `start`.
fn reached(start: usize, next: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; next.len()];
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            open.extend(next[node].iter().filter(|&&to| !reached[to]));
        }
    }
    reached
}

/// Returns the strongly connected component of each node (Kosaraju and Sharir).
pub(crate) fn circles(next: &[Vec<usize>]) -> Vec<usize> {
    let mut reverse = vec![Vec::new(); next.len()];
    for (from, list) in next.iter().enumerate() {
        list.iter().for_each(|&to| reverse[to].push(from));
    }
    let mut order = Vec::with_capacity(next.len());
    let mut seen = vec![false; next.len()];
    for start in 0..next.len() {
        // Each frame has a node and the number of its finished successors.
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
    use crate::Record;

    fn footing(players: usize, records: &[Record]) -> Vec<Footing> {
        let not_behind = records.iter().flat_map(|one| not_behind(&one.players, &one.places));
        footings(players, not_behind)
    }

    #[test]
    fn groups_are_those_who_met() {
        let records = [Record::win(0, 3), Record::new(&[4, 5, 3], &[1, 2, 3]), Record::tie(1, 6)];
        let players = records.iter().map(|record| record.players.iter().copied());
        assert_eq!(groups(7, players), [vec![0, 3, 4, 5], vec![1, 6], vec![2]]);
    }

    #[test]
    fn a_group_of_several_is_not_called_unbeaten() {
        assert_eq!(
            Footing::OpenAbove.sentence("ada", 1, "bot").unwrap(),
            "ada: has lost neither to the bots it is measured against nor to any that lost to \
             them, so only a lower bound of its rating is known."
        );
        assert_eq!(
            Footing::Open.sentence("ada and borg", 2, "bot").unwrap(),
            "ada and borg: their results leave open how far they are from the other bots, so no \
             bound of their ratings is known."
        );
        assert_eq!(
            Footing::OpenBelow.sentence("bot-4", 1, "player").unwrap(),
            "bot-4: has beaten neither the players it is measured against nor any that beat them, \
             so only an upper bound of its rating is known."
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

    #[test]
    fn bounds_are_those_to_the_main_circle() {
        use Footing::{Firm, Open, OpenAbove, OpenBelow};
        let circle = [Record::win(0, 1), Record::win(1, 2), Record::win(2, 0)];
        // 3 lost to the circle and beat 4, who beat nobody: both could be any amount weaker.
        let between = [&circle[..], &[Record::win(0, 3), Record::win(3, 4)]].concat();
        assert_eq!(footing(5, &between), [Firm, Firm, Firm, OpenBelow, OpenBelow]);
        // 3 beat the circle and lost to 4; 5 beat 4 as well, and 6 lost to 4 alone.
        let above = [Record::win(3, 0), Record::win(4, 3), Record::win(5, 4), Record::win(4, 6)];
        let above = [&circle[..], &above].concat();
        assert_eq!(footing(7, &above), [Firm, Firm, Firm, OpenAbove, OpenAbove, OpenAbove, Open]);
    }
}
