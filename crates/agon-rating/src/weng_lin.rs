//! Ratings that follow each match at once, for matchmaking.
//!
//! The adaptive matchmaker of ladders chooses the next matches by them.

use std::cmp::Ordering;

use libm::{exp, hypot, log2};
use serde::{Deserialize, Serialize};

use crate::normal::{self, square};
use crate::{RatingError, Record};

/// The values of beginners.
const MEAN: f64 = 25.0;
const DEVIATION: f64 = MEAN / 3.0;

/// Weng & Lin's β: how much the strength shown in a match differs from the strength.
const BETA: f64 = MEAN / 6.0;

/// Weng & Lin's κ: a match leaves at least this share of a variance.
const MIN_LEFT: f64 = 1e-6;

/// The belief about one player's strength: normal with mean `mu` and deviation `sigma`.
///
/// Beginners have 25 and 25/3.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// Mean.
    pub mu: f64,
    /// Standard deviation.
    pub sigma: f64,
}

impl Default for Skill {
    fn default() -> Skill {
        Skill { mu: MEAN, sigma: DEVIATION }
    }
}

impl Skill {
    /// The lead in strength that means odds of e to 1 in a match of two.
    ///
    /// It is worth [`ELO_PER_NAT`](crate::ELO_PER_NAT) Elo points: √2 times the β of Weng &
    /// Lin, 25/6.
    pub const NAT: f64 = std::f64::consts::SQRT_2 * BETA;
}

/// The skills of all players, updated match by match.
///
/// The rule is Bradley-Terry with full pairs, for any number of players, with ties. It is
/// algorithm 1 of Weng & Lin, "A Bayesian approximation method for online ranking" (Journal of
/// Machine Learning Research 12, 2011). Updates are quick, and skills include their uncertainty,
/// which matchmaking needs. But they depend on the order of the matches. Published ratings come
/// from [`table`](crate::table()).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skills {
    players: Vec<Skill>,
}

impl Skills {
    /// Makes this many beginners, numbered from 0.
    pub fn new(players: usize) -> Skills {
        Skills { players: vec![Skill::default(); players] }
    }

    /// Starts with known skills, such as those of the last season.
    pub fn from_skills(players: Vec<Skill>) -> Skills {
        Skills { players }
    }

    /// Adds a player and returns its number.
    pub fn add(&mut self, skill: Skill) -> usize {
        self.players.push(skill);
        self.players.len() - 1
    }

    /// Returns all skills, by player number.
    pub fn all(&self) -> &[Skill] {
        &self.players
    }

    /// Learns from a match, whose weight does not count.
    pub fn update(&mut self, record: &Record) -> Result<(), RatingError> {
        record.check(0)?;
        let before = self.named(&record.players)?;
        for (at, &player) in record.players.iter().enumerate() {
            let results =
                before.iter().zip(&record.places).enumerate().filter(|&(other, _)| other != at);
            let results =
                results.map(|(_, (rival, behind))| (rival, score(record.places[at], *behind)));
            self.players[player] = before[at].after(results);
        }
        Ok(())
    }

    /// Returns how much a match would reveal of the players' order, in bits.
    ///
    /// It is the sum over the match's pairs of the mutual information between "which is stronger"
    /// and "which is placed before". It is large for close players with unknown strengths, and
    /// small for known or distant ones. Play the match with the most information next. Pairs are
    /// taken on their own, as in the update; indirect information about others is left out.
    pub fn information(&self, players: &[usize]) -> Result<f64, RatingError> {
        self.named(players)?;
        let mut sum = 0.0;
        for (at, &one) in players.iter().enumerate() {
            for &other in &players[at + 1..] {
                sum += pair_information(&self.players[one], &self.players[other]);
            }
        }
        Ok(sum)
    }

    fn named(&self, players: &[usize]) -> Result<Vec<Skill>, RatingError> {
        let skill = |&player: &usize| {
            let remedy = "name players that were added";
            let unknown = RatingError::Option { name: "a player", value: player as f64, remedy };
            self.players.get(player).copied().ok_or(unknown)
        };
        players.iter().map(skill).collect()
    }
}

impl Skill {
    /// Returns the skill after results against others, each a score of 0, ½ or 1.
    fn after<'a>(&self, results: impl Iterator<Item = (&'a Skill, f64)>) -> Skill {
        let variance = square(self.sigma);
        // Ω and Δ of the paper: the move of the mean, and the lost share of the variance.
        let mut gain = 0.0;
        let mut known = 0.0;
        for (rival, score) in results {
            let scale = (variance + square(rival.sigma) + 2.0 * square(BETA)).sqrt();
            let chance = 1.0 / (1.0 + exp((rival.mu - self.mu) / scale));
            gain += variance / scale * (score - chance);
            known += self.sigma / scale * (variance / square(scale)) * chance * (1.0 - chance);
        }
        Skill { mu: self.mu + gain, sigma: (variance * (1.0 - known).max(MIN_LEFT)).sqrt() }
    }
}

/// Returns the score of a place against another one.
fn score(place: u32, other: u32) -> f64 {
    match place.cmp(&other) {
        Ordering::Less => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Greater => 0.0,
    }
}

/// Returns the mutual information, in bits, of the order of two strengths and a match's result.
fn pair_information(one: &Skill, other: &Skill) -> f64 {
    let mean = one.mu - other.mu;
    let sigma = hypot(one.sigma, other.sigma).max(1e-9);
    // The probabilities that the first is stronger and wins, and is weaker and wins.
    let win = |from: f64, to: f64| {
        let chance = |z: f64| normal::density(z) / (1.0 + exp(-(mean + sigma * z) / Skill::NAT));
        simpson(from, to, chance)
    };
    let border = (-mean / sigma).clamp(-REACH, REACH);
    let better = normal::cdf(mean / sigma);
    let won_better = win(border, REACH);
    let won_worse = win(-REACH, border);
    let joint = [
        won_better,
        (better - won_better).max(0.0),
        won_worse,
        (1.0 - better - won_worse).max(0.0),
    ];
    let won = won_better + won_worse;
    let entropy = |parts: &[f64]| -> f64 {
        parts.iter().filter(|&&part| part > 0.0).map(|part| -part * log2(*part)).sum()
    };
    (entropy(&[better, 1.0 - better]) + entropy(&[won, 1.0 - won]) - entropy(&joint)).max(0.0)
}

/// The point at which normal distributions are cut off.
const REACH: f64 = 7.0;

/// Integrates by Simpson's rule.
fn simpson(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const PARTS: usize = 40;
    let step = (to - from) / PARTS as f64;
    let weight = |at: usize| match at {
        0 | PARTS => 1.0,
        _ if at % 2 == 1 => 4.0,
        _ => 2.0,
    };
    step / 3.0 * (0..=PARTS).map(|at| weight(at) * f(from + at as f64 * step)).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Free-for-all of beginners.
    ///
    /// The values are from the tests of openskill.js (`bradley-terry-full.test.ts`).
    #[test]
    fn updates_are_those_of_openskill() {
        let check = |players: usize, means: &[f64], sigma: f64| {
            let mut skills = Skills::new(players);
            let all: Vec<usize> = (0..players).collect();
            let places: Vec<u32> = (1..=players as u32).collect();
            skills.update(&Record::new(&all, &places)).unwrap();
            for (skill, mean) in skills.all().iter().zip(means) {
                assert!(
                    (skill.mu - mean).abs() < 1e-9 && (skill.sigma - sigma).abs() < 1e-9,
                    "{skill:?}"
                );
            }
        };
        check(2, &[27.63523138347365, 22.36476861652635], 8.065506316323548);
        check(3, &[30.2704627669473, 25.0, 19.7295372330527], 7.788474807872566);
        let four = [32.90569415042095, 27.63523138347365, 22.36476861652635, 17.09430584957905];
        check(4, &four, 7.5012190693964005);
    }

    /// The same rule in another library.
    #[test]
    fn updates_are_those_of_skillratings() {
        use skillratings::{MultiTeamOutcome, weng_lin};
        let mut rng = agon_core::Seed::plain(1).stream(agon_core::Purpose::Sample, 0);
        let mut skills = Skills::new(6);
        for _ in 0..200 {
            let mut players: Vec<usize> = (0..6).collect();
            rng.shuffle(&mut players);
            players.truncate(2 + rng.index(5));
            let places: Vec<u32> = players.iter().map(|_| 1 + rng.index(3) as u32).collect();
            let before: Vec<_> = players
                .iter()
                .map(|&player| skills.all()[player])
                .map(|skill| {
                    [weng_lin::WengLinRating { rating: skill.mu, uncertainty: skill.sigma }]
                })
                .collect();
            let outcome = |place: &u32| MultiTeamOutcome::new(*place as usize);
            let teams: Vec<_> = before
                .iter()
                .zip(&places)
                .map(|(team, place)| (team.as_slice(), outcome(place)))
                .collect();
            let expected = weng_lin::weng_lin_multi_team(&teams, &weng_lin::WengLinConfig::new());
            skills.update(&Record::new(&players, &places)).unwrap();
            for (player, team) in players.iter().zip(expected) {
                let skill = skills.all()[*player];
                assert!((skill.mu - team[0].rating).abs() < 1e-9, "{skill:?} {team:?}");
                assert!((skill.sigma - team[0].uncertainty).abs() < 1e-9, "{skill:?} {team:?}");
            }
        }
    }

    #[test]
    fn ties_between_equals_only_add_knowledge() {
        let mut skills = Skills::new(3);
        skills.update(&Record::new(&[2, 0], &[1, 1])).unwrap();
        assert!((skills.all()[0].mu - 25.0).abs() < 1e-12 && skills.all()[0] == skills.all()[2]);
        assert!(skills.all()[0].sigma < 25.0 / 3.0 && skills.all()[1] == Skill::default());
    }

    #[test]
    fn matches_of_close_and_unknown_players_tell_most() {
        let skill = |mu, sigma| Skill { mu, sigma };
        let players = vec![
            skill(25.0, 8.0),
            skill(25.0, 8.0),
            skill(25.0, 1.0),
            skill(25.0, 1.0),
            skill(60.0, 1.0),
        ];
        let skills = Skills::from_skills(players);
        let of = |players: &[usize]| skills.information(players).unwrap();
        assert!(
            of(&[0, 1]) > of(&[0, 2]) && of(&[0, 2]) > of(&[2, 3]) && of(&[2, 3]) > of(&[3, 4])
        );
        assert!(of(&[0, 1]) < 1.0 && of(&[3, 4]) < 1e-6);
        let message = skills.information(&[1, 5]).unwrap_err().to_string();
        assert_eq!(message, "a player is 5: name players that were added");
        assert!((of(&[0, 1, 2]) - of(&[0, 1]) - of(&[0, 2]) - of(&[1, 2])).abs() < 1e-12);
    }

    #[test]
    fn information_is_that_of_a_simulation() {
        use agon_core::{Purpose, Seed};
        let (one, other) = (Skill { mu: 26.0, sigma: 4.0 }, Skill { mu: 24.0, sigma: 3.0 });
        let mut rng = Seed::plain(1).stream(Purpose::Sample, 0);
        let mut counts = [0.0f64; 4];
        let n = 200_000;
        for _ in 0..n {
            let mut z = [0.0; 2];
            normal::fill(&mut rng, &mut z);
            let ahead = one.mu + one.sigma * z[0] - other.mu - other.sigma * z[1];
            let chance = 1.0 / (1.0 + exp(-ahead / (25.0 / 6.0 * 2f64.sqrt())));
            let won = normal::uniform(&mut rng) < chance;
            counts[2 * usize::from(ahead > 0.0) + usize::from(won)] += 1.0 / f64::from(n);
        }
        let marginal =
            |at: usize| (counts[at & 2] + counts[at | 1]) * (counts[at & 1] + counts[2 | at & 1]);
        let bits: f64 = (0..4).map(|at| counts[at] * log2(counts[at] / marginal(at))).sum();
        assert!((pair_information(&one, &other) - bits).abs() < 0.003, "{bits}");
    }
}
