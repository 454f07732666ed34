//! The ladder, a format of tournaments: matches without end, or until a limit is reached.
//!
//! A matchmaker chooses the groups that play together: at random, or those whose matches are
//! expected to tell most about the order of all bots.

use std::f64::consts::{LN_2, PI};
use std::{cell::RefCell, cmp::Reverse, fmt::Debug};

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Skill, Skills};

use super::{Format, Next, Row};
use crate::{Entrant, Games, History, Pairing, PairingId, Played};

/// How a ladder is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderRules {
    /// How many bots there are.
    pub entrants: usize,
    /// How many play together.
    pub size: usize,
    /// Groups of a wave: the matchmaker sees results only after each wave.
    pub wave: u32,
    /// The ladder ends when this many matches have been scheduled; `None` for never.
    pub limit: Option<u64>,
    /// A bot that is more matches than this behind the average gets into the next groups.
    pub floor: u32,
    /// Matches of a group.
    pub games: Games,
    /// The tournament's seed.
    pub seed: Seed,
}

/// A ladder in waves of a fixed number of groups.
#[derive(Debug)]
pub struct Ladder {
    rules: LadderRules,
    // It caches what it learned from earlier waves, which changes no result.
    matchmaker: RefCell<Box<dyn Matchmaker>>,
}

impl Ladder {
    /// Makes a ladder whose groups `matchmaker` chooses.
    pub fn new(rules: LadderRules, matchmaker: Box<dyn Matchmaker>) -> Ladder {
        Ladder { rules, matchmaker: RefCell::new(matchmaker) }
    }

    /// Returns the entrants that are further behind the average than the floor, furthest first.
    fn starving(&self, calls: &[u32]) -> Vec<Entrant> {
        let sum: u64 = calls.iter().map(|&calls| u64::from(calls)).sum();
        let behind = |entrant: &Entrant| {
            let own = u64::from(calls[entrant.index()]) + u64::from(self.rules.floor);
            calls.len() as u64 * own < sum
        };
        let mut starving: Vec<Entrant> =
            Entrant::all(calls.len()).into_iter().filter(behind).collect();
        starving.sort_by_key(|entrant| calls[entrant.index()]);
        starving
    }

    fn group(&self, matchmaker: &mut dyn Matchmaker, calls: &[u32], rng: &mut Rng) -> Vec<Entrant> {
        let starving = self.starving(calls);
        let field = Field { calls, starving: &starving, size: self.rules.size };
        let mut group = matchmaker.group(&field, rng);
        // Starving entrants that are left out take the places of those with the most matches.
        let mut places: Vec<usize> = (0..group.len()).collect();
        places.sort_by_key(|&place| Reverse(calls[group[place].index()]));
        let left_out: Vec<Entrant> =
            starving.into_iter().filter(|entrant| !group.contains(entrant)).collect();
        for (place, entrant) in places.into_iter().zip(left_out) {
            if calls[entrant.index()] < calls[group[place].index()] {
                group[place] = entrant;
            }
        }
        // Seats are random, since the order of a group says something about its members.
        rng.shuffle(&mut group);
        group
    }
}

impl Format for Ladder {
    fn next(&self, history: &History) -> Next {
        let LadderRules { entrants, limit, games, seed, .. } = self.rules;
        let round = history.waves.len() as u32;
        let mut called: u64 = history.all().map(|played| u64::from(played.pairing.count)).sum();
        let mut calls = history.calls(entrants);
        let mut rng = seed.stream(Purpose::Order, 0x1ADD_0000_0000 + u64::from(round));
        let mut matchmaker = self.matchmaker.borrow_mut();
        matchmaker.start(history, entrants);
        let mut wave = Vec::new();
        for pairing in 0..self.rules.wave {
            if limit.is_some_and(|limit| called >= limit) {
                break;
            }
            let group = self.group(&mut **matchmaker, &calls, &mut rng);
            let pairing = Pairing::new(PairingId { round, group: 0, pairing }, group, games);
            called += u64::from(pairing.count);
            pairing.entrants.iter().for_each(|entrant| calls[entrant.index()] += pairing.count);
            matchmaker.called(&pairing);
            wave.push(pairing);
        }
        Next::wave(wave)
    }

    /// Returns the limit, rounded up to whole pairings.
    fn planned(&self) -> Option<u64> {
        let LadderRules { limit, games, size, .. } = self.rules;
        Some(limit?.next_multiple_of(u64::from(games.count(size)).max(1)))
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        super::by_rating(history, self.rules.entrants)
    }
}

/// The entrants that a matchmaker can choose from.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The number of matches scheduled for each entrant, counting this wave.
    pub calls: &'a [u32],
    /// Entrants that are too far behind the average, furthest first. As many of them as fit will be
    /// in the group, even if the matchmaker leaves them out.
    pub starving: &'a [Entrant],
    /// How many play together.
    pub size: usize,
}

/// Chooses who plays next on a ladder.
///
/// Before each wave it gets the history. It may cache what it learned from earlier waves, but its
/// choices depend only on history, field and stream. So a resumed ladder schedules the same
/// matches.
pub trait Matchmaker: Debug + Send {
    /// A wave begins after this history, whose waves are complete.
    fn start(&mut self, _history: &History, _entrants: usize) {}

    /// Returns `field.size` different entrants, in any order.
    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant>;

    /// A pairing was scheduled, perhaps with starving entrants in it. Its results come with the
    /// next wave.
    fn called(&mut self, _pairing: &Pairing) {}
}

/// Draws among the entrants with the fewest matches, so that all play equally often, or one group
/// more or less.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomMatchmaker;

impl Matchmaker for RandomMatchmaker {
    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant> {
        let mut entrants = Entrant::all(field.calls.len());
        rng.shuffle(&mut entrants);
        entrants.sort_by_key(|entrant| field.calls[entrant.index()]);
        entrants.truncate(field.size);
        entrants
    }
}

/// Chooses the groups whose matches are expected to reveal most about the order of all entrants.
///
/// It learns the strengths with [`Skills`] from the matches of each wave. A group starts with the
/// entrant around whom the uncertainty is greatest, or with one that is starving. The others are
/// added one by one, each time the one with the greatest expected gain. For the next group of the
/// wave the results of earlier groups count as known, so that a wave does not ask the same again
/// and again. Only the order among equals is drawn by lot: gains are compared in billionths of a
/// bit.
#[derive(Clone, Debug, Default)]
pub struct AdaptiveMatchmaker {
    /// `None` before the first wave.
    learned: Option<Learned>,
    /// The uncertainty, given the groups of the wave that is being made.
    uncertainty: Uncertainty,
}

impl AdaptiveMatchmaker {
    /// Returns the factor by which intervals of ratings must be wider than those of random matches.
    ///
    /// A pair plays until one of the two is ahead, which draws ratings apart. The more bots there
    /// are, the stronger the effect. The factor was measured (`docs/ratings.md`): 12 bots need 1.2,
    /// 40 need 1.4, and 100 need 1.6.
    pub fn widening(bots: usize) -> f64 {
        1.0 + 0.2 * libm::log(bots as f64 / 4.0).max(0.0)
    }
}

/// The skills after the waves so far. Each wave is learned once, not again for each wave after it.
#[derive(Clone, Debug)]
struct Learned {
    skills: Skills,
    waves: usize,
    /// The last learned wave. A history that does not continue from it starts from zero.
    last: Vec<Played>,
}

impl Learned {
    fn new(entrants: usize) -> Learned {
        Learned { skills: Skills::new(entrants), waves: 0, last: Vec::new() }
    }

    fn fits(&self, history: &History, entrants: usize) -> bool {
        let last = self.waves.checked_sub(1);
        self.skills.all().len() == entrants
            && last
                .is_none_or(|last| history.waves.get(last).is_some_and(|wave| *wave == self.last))
    }

    fn learn(&mut self, wave: &[Played]) {
        for record in (0..).zip(wave).flat_map(|(number, played)| played.records(number)) {
            self.skills
                .update(&record)
                .expect("groups have two or more different entrants of the field");
        }
        self.waves += 1;
        self.last = wave.to_vec();
    }
}

impl Matchmaker for AdaptiveMatchmaker {
    fn start(&mut self, history: &History, entrants: usize) {
        let learned = self.learned.take().filter(|learned| learned.fits(history, entrants));
        let mut learned = learned.unwrap_or_else(|| Learned::new(entrants));
        for wave in &history.waves[learned.waves..] {
            learned.learn(wave);
        }
        self.uncertainty = Uncertainty::new(learned.skills.all());
        self.learned = Some(learned);
    }

    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant> {
        // Among equals the one with the fewest matches comes first, and then the lot decides.
        let mut left: Vec<usize> = (0..field.calls.len()).collect();
        rng.shuffle(&mut left);
        let best = |left: &[usize], worth: &dyn Fn(usize) -> f64| {
            left.iter()
                .copied()
                .max_by_key(|&one| (billionths(worth(one)), Reverse(field.calls[one])))
        };
        let mut group: Vec<usize> = Vec::new();
        while group.len() < field.size {
            let next = match (group.is_empty(), field.starving.first()) {
                (true, Some(starving)) => Some(starving.index()),
                (true, None) => best(&left, &|one| self.uncertainty.around(one)),
                (false, _) => best(&left, &|one| {
                    group.iter().map(|&other| self.uncertainty.gain(one, other)).sum()
                }),
            };
            let Some(next) = next else { break };
            left.retain(|&one| one != next);
            group.push(next);
        }
        group.into_iter().map(Entrant::from_index).collect()
    }

    fn called(&mut self, pairing: &Pairing) {
        let group: Vec<usize> = pairing.entrants.iter().map(|entrant| entrant.index()).collect();
        self.uncertainty.expect(&group, pairing.count);
    }
}

/// Bits as whole numbers, so that the last digits of a float do not choose.
fn billionths(bits: f64) -> u64 {
    (bits.max(0.0) * 1e9) as u64
}

/// How quickly the weight of a pair's uncertainty falls with the square of the lead.
///
/// The lead is in standard deviations. With 0.4 the weight falls as entropy does. Let P be the
/// probability that the first is the stronger one. The entropy of the order is concave in P with
/// curvature 1 / (P (1 - P) ln 2), and P moves by the normal density. Half the curvature times the
/// square of the density is within a fifth of exp(-0.4 z²) / (π ln 2) up to three standard
/// deviations.
const FALL: f64 = 0.4;

/// Pairs whose weight is less than the greatest one divided by e to this power count as certain.
/// That saves most of the time.
const CERTAIN: f64 = 20.0;

/// The believed strengths, each a normal distribution on its own, and the share of each entrant in
/// the uncertainty about the order.
///
/// The uncertainty of a pair is the entropy of "which is stronger": one bit when the believed
/// strengths are equal, none where they lie several standard deviations apart. A match changes the
/// believed strengths of its players, and so bears on their order among themselves and against all
/// entrants of similar strength. The uncertainty of a pair is expected to fall by the weight of
/// that uncertainty times the expected square of the move of the pair's difference, in standard
/// deviations. The gain of a match is the sum of these bits over all pairs.
#[derive(Clone, Debug, Default)]
struct Uncertainty {
    /// Means, in units in which a lead of 1 is worth odds of e to 1 (400 / ln 10 Elo points).
    means: Vec<f64>,
    /// Variances, in the same units squared.
    variances: Vec<f64>,
    /// For each entrant the sum over all others of the weight of the pair's uncertainty divided by
    /// the variance of its difference.
    shares: Vec<f64>,
}

impl Uncertainty {
    /// Computes the uncertainty that skills leave. It takes time with the square of the number of
    /// entrants, since it looks at all pairs.
    fn new(skills: &[Skill]) -> Uncertainty {
        let means = skills.iter().map(|skill| skill.mu / Skill::NAT).collect();
        let variances = skills.iter().map(|skill| square(skill.sigma / Skill::NAT)).collect();
        let mut uncertainty = Uncertainty { means, variances, shares: vec![0.0; skills.len()] };
        for one in 0..skills.len() {
            for other in 0..one {
                let share = uncertainty.share(one, other);
                uncertainty.shares[one] += share;
                uncertainty.shares[other] += share;
            }
        }
        uncertainty
    }

    /// Returns the bits by which the uncertainty around an entrant would fall if it played an
    /// opponent of the same, known strength who revealed everything. It only serves to compare
    /// entrants.
    fn around(&self, one: usize) -> f64 {
        square(self.variances[one]) * self.shares[one]
    }

    /// Returns the bits by which a match of these two lessens the uncertainty about the order. For
    /// a group, add up its pairs.
    fn gain(&self, one: usize, other: usize) -> f64 {
        let information = self.information(one, other);
        let variance = self.variances[one] + self.variances[other];
        // The means move against each other, so that their difference moves further than each of
        // them.
        let between = 2.0 * self.variances[one] * self.variances[other] * self.share(one, other);
        (self.around(one) + self.around(other) + between) * information
            / (1.0 + information * variance)
    }

    /// Takes the results of future matches of a group as known: means stay, variances fall.
    fn expect(&mut self, group: &[usize], matches: u32) {
        let matches = f64::from(matches) * duels_worth(group.len());
        let known = |&one: &usize| {
            let others = group.iter().filter(|&&other| other != one);
            let information: f64 = others.map(|&other| self.information(one, other)).sum();
            (one, self.variances[one] / (1.0 + self.variances[one] * information * matches))
        };
        let known: Vec<(usize, f64)> = group.iter().map(known).collect();
        known.into_iter().for_each(|(one, variance)| self.learn(one, variance));
    }

    /// Returns the weight of a pair's uncertainty divided by the variance of its difference.
    fn share(&self, one: usize, other: usize) -> f64 {
        let variance = self.variances[one] + self.variances[other];
        let fall = FALL * square(self.means[one] - self.means[other]) / variance;
        if fall > CERTAIN { 0.0 } else { libm::exp(-fall) / (PI * LN_2 * variance) }
    }

    /// Returns what a match between two reveals about their difference: Fisher's information of the
    /// expected result.
    fn information(&self, one: usize, other: usize) -> f64 {
        let variance = self.variances[one] + self.variances[other];
        let lead = self.means[one] - self.means[other];
        // A logistic curve blurred by a normal distribution is about a flatter one (MacKay 1992,
        // "The evidence framework applied to classification networks").
        let chance = 1.0 / (1.0 + libm::exp(-lead / (1.0 + PI / 8.0 * variance).sqrt()));
        chance * (1.0 - chance)
    }

    /// Changes the variance of one entrant, and updates all shares.
    fn learn(&mut self, one: usize, variance: f64) {
        let others = || (0..self.means.len()).filter(|&other| other != one);
        let before: Vec<f64> = others().map(|other| self.share(one, other)).collect();
        self.variances[one] = variance;
        self.shares[one] = 0.0;
        let others = (0..self.means.len()).filter(|&other| other != one);
        for (other, before) in others.zip(before) {
            let now = self.share(one, other);
            self.shares[other] += now - before;
            self.shares[one] += now;
        }
    }
}

fn square(x: f64) -> f64 {
    x * x
}

/// Returns how much the ranking of a match reveals about each player, as a share of what duels with
/// all the others would reveal.
///
/// It is 1 for two players and less for more, since the ranking of three reveals less than three
/// duels. In the model of Plackett and Luce, for equals: n choices of the best, each with
/// information (1 - 1/k) / k for the k that are left.
fn duels_worth(players: usize) -> f64 {
    let n = players as f64;
    let choices: f64 = (2..=players).map(|left| (1.0 - 1.0 / left as f64) / n).sum();
    choices / ((n - 1.0) / 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(nats: f64, sigma: f64) -> Skill {
        Skill { mu: 25.0 + nats * Skill::NAT, sigma: sigma * Skill::NAT }
    }

    fn uncertainty(list: &[(f64, f64)]) -> Uncertainty {
        Uncertainty::new(&list.iter().map(|&(nats, sigma)| skill(nats, sigma)).collect::<Vec<_>>())
    }

    #[test]
    fn the_weight_of_doubt_is_that_of_entropy() {
        for (z, part) in [(0.0f64, 0.5), (1.0, 0.841_345), (2.0, 0.977_250), (3.0, 0.998_650)] {
            let density = libm::exp(-z * z / 2.0) / (2.0 * PI).sqrt();
            let entropy = density * density / (2.0 * LN_2 * part * (1.0 - part));
            // Variances of ½ and ½ make differences of 1.
            let uncertainty = uncertainty(&[(z, 0.5f64.sqrt()), (0.0, 0.5f64.sqrt())]);
            assert!(
                (uncertainty.share(0, 1) / entropy - 1.0).abs() < 0.2,
                "{z}: {} {entropy}",
                uncertainty.share(0, 1)
            );
        }
    }

    /// Two entrants, one match: the expected fall of the entropy, by trying both results.
    #[test]
    fn the_gain_of_a_match_is_the_entropy_that_it_is_expected_to_take() {
        for (lead, sigma) in [(0.0f64, 0.3f64), (0.2, 0.3), (0.5, 0.2)] {
            let variance = 2.0 * sigma * sigma;
            // P(stronger) and P(wins), and both, over the distribution of the true lead.
            let mut stronger = 0.0;
            let mut wins = 0.0;
            let mut both = 0.0;
            let mut all = 0.0;
            for step in -4000..4000 {
                let z = (f64::from(step) + 0.5) / 500.0;
                let truth = lead + z * variance.sqrt();
                let weight = libm::exp(-z * z / 2.0);
                let chance = 1.0 / (1.0 + libm::exp(-truth));
                let ahead = if truth > 0.0 { weight } else { 0.0 };
                all += weight;
                stronger += ahead;
                wins += weight * chance;
                both += ahead * chance;
            }
            let entropy = |p: f64| -p * libm::log2(p) - (1.0 - p) * libm::log2(1.0 - p);
            let won = wins / all;
            let after = won * entropy(both / wins)
                + (1.0 - won) * entropy((stronger - both) / (all - wins));
            let expected = entropy(stronger / all) - after;
            let gain = uncertainty(&[(lead, sigma), (0.0, sigma)]).gain(0, 1);
            assert!(
                (gain / expected - 1.0).abs() < 0.15,
                "{lead} {sigma}: {gain}, but {expected} bits"
            );
        }
    }

    #[test]
    fn what_is_expected_is_worth_less_the_next_time() {
        let list: Vec<(f64, f64)> = (0..7).map(|at| (f64::from(at) * 0.1, 0.5)).collect();
        let mut uncertainty = uncertainty(&list);
        let before = uncertainty.gain(2, 3);
        let other = uncertainty.gain(0, 6);
        assert!(before > other);
        uncertainty.expect(&[2, 3], 32);
        assert!(
            uncertainty.gain(2, 3) < before / 2.0
                && uncertainty.gain(2, 3) < uncertainty.gain(0, 6)
        );
        // The sums that are kept are those of a new start.
        let skills: Vec<Skill> = uncertainty
            .means
            .iter()
            .zip(&uncertainty.variances)
            .map(|(&mean, v)| skill(mean, v.sqrt()))
            .collect();
        for (kept, fresh) in uncertainty.shares.iter().zip(Uncertainty::new(&skills).shares) {
            assert!((kept / fresh - 1.0).abs() < 1e-9, "{kept} {fresh}");
        }
    }

    #[test]
    fn a_ranking_of_many_is_worth_fewer_duels() {
        assert!((duels_worth(2) - 1.0).abs() < 1e-12);
        assert!((duels_worth(3) - 7.0 / 9.0).abs() < 1e-12);
        assert!(duels_worth(8) < duels_worth(4) && duels_worth(8) > 0.3);
    }
}
