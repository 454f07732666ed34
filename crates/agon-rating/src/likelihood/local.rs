//! The change of the penalised likelihood if one or two players had another strength.
//!
//! All others keep their estimated strengths. Intervals, and who is stronger than whom, follow from
//! it.

use crate::fit::{Choices, Duel, Moments, Symmetric, Totals};

/// The likelihood around its maximum.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Local {
    choices: Choices,
    totals: Totals,
    values: Vec<f64>,
    duels: Vec<Duel>,
    /// The information about each player's own strength.
    diagonal: Vec<f64>,
    /// The information about two players' strengths together: `one` < `other`, in order.
    between: Vec<(u32, u32, f64)>,
    /// The logarithm of each set's sum at the maximum.
    log_sums: Vec<f64>,
    /// The sets that each player is in.
    sets_of: Lists,
    /// The imagined duels of each player.
    duels_of: Lists,
}

/// Memory for computations, reused.
#[derive(Default)]
struct Room {
    moments: Moments,
    theta: Vec<f64>,
}

/// One or two players with another strength.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    players: [usize; 2],
    strength: f64,
}

/// The effect of a move on the logarithm of the likelihood.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change {
    /// The change of its value.
    pub(super) height: f64,
    /// Its derivative by the strength of the moved players.
    pub(super) slope: f64,
    /// Minus its second derivative.
    pub(super) curvature: f64,
}

impl Move {
    pub(super) fn one(player: usize, strength: f64) -> Move {
        Move { players: [player, player], strength }
    }

    fn both(one: usize, other: usize, strength: f64) -> Move {
        Move { players: [one, other], strength }
    }

    fn has(&self, player: u32) -> bool {
        self.players.contains(&(player as usize))
    }

    fn players(&self) -> &[usize] {
        if self.players[0] == self.players[1] { &self.players[..1] } else { &self.players }
    }
}

impl Local {
    pub(super) fn new(
        choices: Choices,
        totals: Totals,
        values: Vec<f64>,
        duels: Vec<Duel>,
        information: &Symmetric,
    ) -> Local {
        let players = choices.players;
        let diagonal = information.diagonal[..players].to_vec();
        let mut between: Vec<(u32, u32, f64)> =
            information.pairs().filter(|entry| (entry.1 as usize) < players).collect();
        between.sort_unstable_by_key(|entry| (entry.0, entry.1));
        let sets_of = Lists::new(players, choices.sets.iter().map(|set| set.iter().copied()));
        let duels_of =
            Lists::new(players, duels.iter().map(|duel| [duel.one, duel.other].into_iter()));
        let mut local = Local {
            choices,
            totals,
            values,
            duels,
            diagonal,
            between,
            log_sums: Vec::new(),
            sets_of,
            duels_of,
        };
        let all = 0..local.choices.sets.len();
        let nobody = Move { players: [usize::MAX; 2], strength: 0.0 };
        let mut room = Room::default();
        local.log_sums = all.map(|set| local.set(set, &nobody, &mut room).height).collect();
        local
    }

    pub(super) fn strengths(&self) -> &[f64] {
        &self.values[..self.choices.players]
    }

    pub(super) fn information(&self, player: usize) -> f64 {
        self.diagonal[player]
    }

    /// Returns the change that a move makes.
    pub(super) fn change(&self, moved: Move) -> Change {
        let mut sum = Change::default();
        let mut room = Room::default();
        for (number, &player) in moved.players().iter().enumerate() {
            let observed = self.totals.observed[player];
            sum.height += observed * (moved.strength - self.values[player]);
            sum.slope += observed;
            // Common sets and duels count with the first.
            let is_new =
                |members: &[u32]| number == 0 || !members.contains(&(moved.players[0] as u32));
            for &set in self.sets_of.of(player) {
                if is_new(&self.choices.sets[set as usize]) {
                    self.add_set(set as usize, &moved, &mut sum, &mut room);
                }
            }
            for &duel in self.duels_of.of(player) {
                let duel = &self.duels[duel as usize];
                if is_new(&[duel.one, duel.other]) {
                    self.add_duel(duel, &moved, &mut sum);
                }
            }
        }
        sum
    }

    fn add_set(&self, set: usize, moved: &Move, sum: &mut Change, room: &mut Room) {
        let count = self.totals.counts[set];
        let now = self.set(set, moved, room);
        sum.height -= count * (now.height - self.log_sums[set]);
        sum.slope -= count * now.slope;
        sum.curvature += count * now.curvature;
    }

    fn add_duel(&self, duel: &Duel, moved: &Move, sum: &mut Change) {
        let own = |player: u32| self.values[player as usize];
        let new = |player: u32| if moved.has(player) { moved.strength } else { own(player) };
        let lead = new(duel.one) - new(duel.other);
        sum.height += duel.height(lead) - duel.height(own(duel.one) - own(duel.other));
        let direction =
            f64::from(u8::from(moved.has(duel.one))) - f64::from(u8::from(moved.has(duel.other)));
        let likely = Duel::chance(lead);
        sum.slope += direction * duel.weight * (0.5 - likely);
        sum.curvature += direction * direction * duel.weight * likely * (1.0 - likely);
    }

    /// Returns the logarithm of the sum over all choices from a set, with two derivatives.
    ///
    /// They are by the strength of the moved players.
    fn set(&self, set: usize, moved: &Move, room: &mut Room) -> Change {
        let members = &self.choices.sets[set];
        let strength = |player: u32| {
            if moved.has(player) { moved.strength } else { self.values[player as usize] }
        };
        let gamma = &self.values[self.choices.players..];
        if let [one, other] = members[..] {
            let ties =
                if self.choices.orders.get(1) == Some(&2) { libm::exp(gamma[0]) } else { 0.0 };
            return duel(
                [strength(one), strength(other)],
                [moved.has(one), moved.has(other)],
                ties,
            );
        }
        let Room { moments, theta } = room;
        theta.clear();
        theta.extend(members.iter().map(|&player| strength(player)));
        let places: Vec<usize> = (0..members.len()).filter(|&at| moved.has(members[at])).collect();
        if places.is_empty() {
            let height = moments.only_log_sum(theta, &self.choices.orders, gamma);
            return Change { height, ..Change::default() };
        }
        moments.compute(theta, &self.choices.orders, gamma);
        let size = moments.mean.len();
        let row = |&one: &usize| {
            places.iter().map(|other| moments.covariance[one * size + other]).sum::<f64>()
        };
        Change {
            height: moments.log_sum,
            slope: places.iter().map(|&at| moments.mean[at]).sum(),
            curvature: places.iter().map(row).sum(),
        }
    }

    /// Returns twice the likelihood ratio of two players' own strengths to their best common one.
    ///
    /// Also returns the variance of their difference if nobody else moves.
    pub(super) fn ratio_of_equality(&self, one: usize, other: usize) -> (f64, f64) {
        let [first, second] = [one, other].map(|player| self.values[player]);
        let [a, b] = [one, other].map(|player| self.diagonal[player]);
        let mut low = first.min(second);
        let mut high = first.max(second);
        let mut at = (a * first + b * second) / (a + b);
        let mut change = Change::default();
        for _ in 0..60 {
            change = self.change(Move::both(one, other, at));
            if change.slope > 0.0 {
                low = at
            } else {
                high = at
            }
            // Two players alone have no level: every common strength is as good.
            let step = if change.curvature > 1e-12 * (a + b) {
                change.slope / change.curvature
            } else {
                0.0
            };
            let next = at + step;
            at = if next >= low && next <= high { next } else { (low + high) / 2.0 };
            if step.abs() < 1e-7 {
                break;
            }
        }
        ((-2.0 * change.height).max(0.0), self.variance_alone(one, other))
    }

    /// Returns the variance of the difference of two players if nobody else moves.
    fn variance_alone(&self, one: usize, other: usize) -> f64 {
        let [a, b] = [one, other].map(|player| self.diagonal[player]);
        let key = (one.min(other) as u32, one.max(other) as u32);
        let found = self.between.binary_search_by_key(&key, |entry| (entry.0, entry.1));
        let between = found.map_or(0.0, |at| self.between[at].2);
        let about_level = a + b + 2.0 * between;
        // Two players who met nobody else have no level.
        if about_level <= 1e-9 * (a + b) {
            1.0 / a.max(b)
        } else {
            about_level / (a * b - between * between)
        }
    }
}

/// Returns the change of a choice between two, with the odds of a tie.
fn duel(strengths: [f64; 2], moved: [bool; 2], ties: f64) -> Change {
    let top = strengths[0].max(strengths[1]);
    let [one, other] = strengths.map(|strength| libm::exp(strength - top));
    let tie = ties * (one * other).sqrt();
    let sum = one + other + tie;
    let height = top + libm::log(sum);
    let (slope, curvature) = match moved {
        [true, true] => (1.0, 0.0),
        [false, false] => (0.0, 0.0),
        [first, _] => {
            let own = if first { one } else { other };
            let mean = (own + tie / 2.0) / sum;
            (mean, (own + tie / 4.0) / sum - mean * mean)
        }
    };
    Change { height, slope, curvature }
}

/// A list of numbers for each of 0, 1, …, one after another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lists {
    ends: Vec<usize>,
    numbers: Vec<u32>,
}

impl Lists {
    /// Lists for each of the `count` members the numbers of the sets that contain it.
    pub(crate) fn new<S, I>(count: usize, sets: I) -> Lists
    where
        S: Iterator<Item = u32>,
        I: Iterator<Item = S> + Clone,
    {
        let mut ends = vec![0; count];
        sets.clone().flatten().for_each(|member| ends[member as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        let mut numbers = vec![0; sum];
        let mut next: Vec<usize> =
            (0..count).map(|at| if at == 0 { 0 } else { ends[at - 1] }).collect();
        for (number, set) in sets.enumerate() {
            for member in set {
                numbers[next[member as usize]] = number as u32;
                next[member as usize] += 1;
            }
        }
        Lists { ends, numbers }
    }

    /// Returns the list of a member.
    pub(crate) fn of(&self, member: usize) -> &[u32] {
        let start = if member == 0 { 0 } else { self.ends[member - 1] };
        &self.numbers[start..self.ends[member]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_know_their_sets() {
        let sets = [vec![0, 2], vec![2, 3], vec![0, 2, 3]];
        let lists = Lists::new(4, sets.iter().map(|set| set.iter().copied()));
        assert_eq!(
            [0, 1, 2, 3].map(|at| lists.of(at).to_vec()),
            [vec![0, 2], vec![], vec![0, 1, 2], vec![1, 2]]
        );
    }
}
