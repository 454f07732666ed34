//! Pairings of entrants, the matches that follow from them, with seats and seeds, and the results
//! of a tournament so far, in the order of the schedule.
//!
//! Formats choose pairings by the results and make their tables from them, and the schedule makes
//! matches of pairings.

use std::{cmp::Ordering, collections::BTreeMap, fmt, str::FromStr};

use agon_core::Seed;
use agon_rating::Record;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

/// A bot of a tournament: its number in the plan, from 0. The order of the plan is the seeding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Entrant(pub u32);

impl Entrant {
    /// Returns the entrant with this number.
    ///
    /// # Panics
    /// With more than 2³² entrants.
    pub fn from_index(index: usize) -> Entrant {
        Entrant(u32::try_from(index).expect("there are fewer than 2³² entrants"))
    }

    /// Returns its number, for lists.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the entrants `0..count`.
    pub fn all(count: usize) -> Vec<Entrant> {
        (0..count).map(Entrant::from_index).collect()
    }
}

/// Where a pairing stands in its tournament. It never depends on when matches finish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PairingId {
    /// The round, from 0.
    pub round: u32,
    /// The group of the round, or the part of a bracket, from 0.
    pub group: u32,
    /// The pairing in the group, from 0.
    pub pairing: u32,
}

/// Which match of a tournament it is; written as `r2.g0.p7.m1`: round, group, pairing, match, all
/// from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId {
    /// The pairing.
    pub pairing: PairingId,
    /// The number of the match in its pairing, from 0.
    pub number: u32,
}

impl PairingId {
    /// Returns the seeds of the pairing at this place of a tournament with `seed`.
    pub(crate) fn seeds(self, seed: Seed) -> PairingSeeds {
        let parts = [self.round, self.group, self.pairing];
        PairingSeeds::Place(parts.into_iter().fold(seed, |seed, part| seed.derive(part.into())))
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PairingId { round, group, pairing } = self.pairing;
        write!(f, "r{round}.g{group}.p{pairing}.m{}", self.number)
    }
}

/// A text that names no match.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` names no match; they are written like r2.g0.p7.m1")]
pub struct ParseMatchIdError(String);

impl FromStr for MatchId {
    type Err = ParseMatchIdError;

    fn from_str(text: &str) -> Result<MatchId, ParseMatchIdError> {
        let read = || {
            let mut parts = text.split('.');
            let mut part = |letter: char| {
                let digits = parts.next()?.strip_prefix(letter)?;
                // One way to write each: no sign, no leading zeros.
                let plain = digits.bytes().all(|b| b.is_ascii_digit())
                    && (digits == "0" || !digits.starts_with('0'));
                if plain { digits.parse().ok() } else { None }
            };
            let pairing = PairingId { round: part('r')?, group: part('g')?, pairing: part('p')? };
            let id = MatchId { pairing, number: part('m')? };
            parts.next().is_none().then_some(id)
        };
        read().ok_or_else(|| ParseMatchIdError(text.to_owned()))
    }
}

impl Serialize for MatchId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for MatchId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MatchId, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// How many matches a pairing plays, and on which seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Games {
    /// Matches of a pairing, at least 1.
    pub matches: u32,
    /// Whether each seed is played once with every rotation of the seats.
    pub mirrored: bool,
}

impl Games {
    /// Returns the matches of a pairing of `seats` entrants. With mirrored seeds, `matches` is
    /// rounded up to whole rotations. One entrant alone has none: it is a bye.
    pub fn count(self, seats: usize) -> u32 {
        let seats = seats as u32;
        match self.mirrored {
            _ if seats < 2 => 0,
            true => self.matches.div_ceil(seats) * seats,
            false => self.matches,
        }
    }
}

/// Entrants that meet. One entrant alone has a bye.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Where in the tournament.
    pub id: PairingId,
    /// Who meets, in order of seats of match 0.
    pub entrants: Vec<Entrant>,
    /// The number of the first match; above 0 where ties are broken with more matches.
    pub first: u32,
    /// The matches from there on.
    pub count: u32,
    /// Whether each seed is played once with every rotation of the seats.
    pub mirrored: bool,
    /// What the seeds of its matches follow from. The schedule sets it.
    pub seeds: PairingSeeds,
}

/// What the seeds of a pairing's matches follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairingSeeds {
    /// From where the pairing stands in its tournament, as in plans of [version 1](crate::Plan).
    Place(Seed),
    /// From who meets, and how often they have met. Such seeds are below 2⁵³, so that no program
    /// loses digits of them.
    Bots(Seed),
}

impl PairingSeeds {
    /// Returns the seeds of a pairing of bots with these names that have met `meetings` times.
    pub(crate) fn of_bots<'a>(
        seed: Seed,
        names: impl Iterator<Item = &'a str>,
        meetings: u64,
    ) -> PairingSeeds {
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        // No name holds a line break.
        let hash = blake3::hash(names.join("\n").as_bytes());
        let (first, _) = hash.as_bytes().split_first_chunk().expect("a hash has 32 bytes");
        PairingSeeds::Bots(seed.derive(u64::from_le_bytes(*first)).derive(meetings))
    }

    /// Returns seed `board` of the pairing, from 0.
    fn seed(self, board: u32) -> Seed {
        match self {
            PairingSeeds::Place(base) => base.derive(board.into()),
            PairingSeeds::Bots(base) => {
                let seed = base.derive(board.into());
                seed.with_number(seed.number() >> 11)
            }
        }
    }
}

/// A match to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// Which one.
    pub id: MatchId,
    /// Who plays, in order of player number.
    pub seats: Vec<Entrant>,
    /// Its seed.
    pub seed: Seed,
}

impl Pairing {
    /// Makes a pairing of entrants that meet for the first time under this id.
    pub fn new(id: PairingId, entrants: Vec<Entrant>, games: Games) -> Pairing {
        let count = games.count(entrants.len());
        let seeds = PairingSeeds::Place(Seed(0));
        Pairing { id, entrants, first: 0, count, mirrored: games.mirrored, seeds }
    }

    /// Makes more matches of the same entrants on new seeds, after `played` ones.
    #[must_use]
    pub fn again(&self, played: u32, games: Games) -> Pairing {
        Pairing { first: played, count: games.count(self.entrants.len()), ..self.clone() }
    }

    /// Returns the ids of its matches.
    pub fn ids(&self) -> impl Iterator<Item = MatchId> + use<> {
        let pairing = self.id;
        (self.first..self.first + self.count).map(move |number| MatchId { pairing, number })
    }

    /// Returns who sits where in match `number`. The seats move on by one from match to match.
    pub fn seats(&self, number: u32) -> Vec<Entrant> {
        let mut seats = self.entrants.clone();
        if !seats.is_empty() {
            let by = number as usize % seats.len();
            seats.rotate_left(by);
        }
        seats
    }

    /// Returns which seed of the pairing match `number` is played on, from 0.
    pub(crate) fn board(&self, number: u32) -> u32 {
        if self.mirrored { number / self.entrants.len() as u32 } else { number }
    }

    /// Returns the matches.
    pub fn matches(&self) -> impl Iterator<Item = Match> + '_ {
        (self.first..self.first + self.count).map(move |number| {
            let id = MatchId { pairing: self.id, number };
            Match { id, seats: self.seats(number), seed: self.seeds.seed(self.board(number)) }
        })
    }
}

/// How a match ended, in order of seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Places: 1 for the best, equal ones share a place.
    pub places: Vec<u32>,
    /// The game's scores.
    pub scores: Vec<i64>,
    /// Whether it was not played, because a bot forfeited it. Points count, but it tells nothing
    /// of how strong the bots are.
    #[serde(default)]
    pub forfeited: bool,
}

impl Outcome {
    /// Makes the outcome of a match that was played.
    pub fn new(places: Vec<u32>, scores: Vec<i64>) -> Outcome {
        Outcome { places, scores, forfeited: false }
    }

    /// Returns the half points of each seat: 2 for each opponent left behind, and 1 for each one
    /// with the same place. With two seats a win is 2, a tie 1, a loss 0.
    pub fn half_points(&self) -> impl Iterator<Item = u32> + '_ {
        // Minus 1, since each seat is level with itself.
        self.places
            .iter()
            .map(move |&own| self.places.iter().map(|&other| taken(own, other)).sum::<u32>() - 1)
    }
}

/// Returns the half points that a place takes from another one.
pub(crate) fn taken(own: u32, other: u32) -> u32 {
    match own.cmp(&other) {
        Ordering::Less => 2,
        Ordering::Equal => 1,
        Ordering::Greater => 0,
    }
}

/// A pairing and as many of its matches as are over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The pairing.
    pub pairing: Pairing,
    /// Numbers of matches and how they ended, in order of numbers.
    pub outcomes: Vec<(u32, Outcome)>,
}

impl Played {
    /// Returns the half points of the entrants in these matches, in their order in the pairing.
    pub fn half_points(&self) -> Vec<u32> {
        let mut points = vec![0; self.pairing.entrants.len()];
        for (number, outcome) in &self.outcomes {
            for (seat, gained) in outcome.half_points().enumerate() {
                points[self.member(*number, seat)] += gained;
            }
        }
        points
    }

    /// Returns the scores of the entrants in these matches, in their order in the pairing.
    pub fn scores(&self) -> Vec<i64> {
        let mut sums = vec![0i64; self.pairing.entrants.len()];
        for (number, outcome) in &self.outcomes {
            for (seat, &score) in outcome.scores.iter().enumerate() {
                let sum = &mut sums[self.member(*number, seat)];
                *sum = sum.saturating_add(score);
            }
        }
        sums
    }

    /// Returns those that were played in the form that ratings need. `pairing` is the number of the
    /// pairing among all.
    pub fn records(&self, pairing: u64) -> impl Iterator<Item = Record> + '_ {
        let played = self.outcomes.iter().filter(|(_, outcome)| !outcome.forfeited);
        played.map(move |(number, outcome)| {
            let players: Vec<usize> =
                self.pairing.seats(*number).iter().map(|seat| seat.index()).collect();
            Record::new(&players, &outcome.places)
                .clustered(pairing << 32 | u64::from(self.pairing.board(*number)))
        })
    }

    /// Returns which entrant of the pairing had a seat: the inverse of [`Pairing::seats`].
    fn member(&self, number: u32, seat: usize) -> usize {
        let seats = self.pairing.entrants.len();
        (seat + number as usize % seats) % seats
    }
}

/// Waves of pairings, oldest first. All but the last one are complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The waves.
    pub waves: Vec<Vec<Played>>,
}

/// All matches under one pairing id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The pairing as it was first made.
    pub pairing: Pairing,
    /// Half points, in order of its entrants.
    pub points: Vec<u32>,
    /// Completed matches.
    pub played: u32,
    /// Scheduled matches.
    pub called: u32,
}

impl Tally {
    /// Returns whether all scheduled matches are over.
    pub fn is_complete(&self) -> bool {
        self.played == self.called
    }
}

impl History {
    /// Returns all pairings in order.
    pub fn all(&self) -> impl Iterator<Item = &Played> {
        self.waves.iter().flatten()
    }

    /// Returns the results by pairing. Further matches after ties are added to the first ones.
    pub fn tallies(&self) -> BTreeMap<PairingId, Tally> {
        let mut tallies = BTreeMap::new();
        for played in self.all() {
            let tally = tallies.entry(played.pairing.id).or_insert_with(|| Tally {
                pairing: played.pairing.clone(),
                points: vec![0; played.pairing.entrants.len()],
                played: 0,
                called: 0,
            });
            for (sum, points) in tally.points.iter_mut().zip(played.half_points()) {
                *sum += points;
            }
            tally.played += played.outcomes.len() as u32;
            tally.called += played.pairing.count;
        }
        tallies
    }

    /// Returns all completed matches in the form that ratings need. Players are numbers of
    /// entrants, and matches on the same seed depend on each other.
    pub fn records(&self) -> Vec<Record> {
        (0..).zip(self.all()).flat_map(|(number, played)| played.records(number)).collect()
    }

    /// Returns how many matches were scheduled for each of the `entrants`.
    pub fn calls(&self, entrants: usize) -> Vec<u32> {
        let mut calls = vec![0; entrants];
        for Played { pairing, .. } in self.all() {
            for entrant in &pairing.entrants {
                calls[entrant.index()] += pairing.count;
            }
        }
        calls
    }
}

/// Returns all ordered pairs of opponents in a pairing.
pub(crate) fn opponents(entrants: &[Entrant]) -> impl Iterator<Item = (Entrant, Entrant)> + '_ {
    entrants
        .iter()
        .flat_map(move |&a| entrants.iter().filter(move |&&b| b != a).map(move |&b| (a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_and_have_one_spelling() {
        let id = MatchId { pairing: PairingId { round: 2, group: 0, pairing: 17 }, number: 1 };
        assert_eq!(id.to_string(), "r2.g0.p17.m1");
        assert_eq!("r2.g0.p17.m1".parse(), Ok(id));
        for bad in [
            "",
            "r2.g0.p17",
            "r2.g0.p17.m1.x",
            "r02.g0.p17.m1",
            "r+2.g0.p17.m1",
            "r2.g0.p17.m99999999999",
        ] {
            assert!(bad.parse::<MatchId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn mirrored_seeds_are_played_from_every_seat() {
        let games = Games { matches: 6, mirrored: true };
        let pairing = Pairing::new(PairingId::default(), Entrant::all(3), games);
        let matches: Vec<Match> = pairing.matches().collect();
        assert_eq!(matches.len(), 6);
        for seat in 0..3 {
            for entrant in Entrant::all(3) {
                let here = matches.iter().filter(|m| m.seats[seat] == entrant).count();
                assert_eq!(here, 2);
            }
        }
        assert!(matches[..3].iter().all(|m| m.seed == matches[0].seed));
        assert!(
            matches[3..].iter().all(|m| m.seed == matches[3].seed && m.seed != matches[0].seed)
        );
        let more: Vec<Match> = pairing.again(6, games).matches().collect();
        assert_eq!(more[0].id.number, 6);
        assert!(matches.iter().all(|m| m.seed != more[0].seed), "ties are broken on new seeds");
    }

    #[test]
    fn points_and_scores_follow_the_entrants_through_the_seats() {
        let games = Games { matches: 3, mirrored: true };
        let pairing = Pairing::new(PairingId::default(), Entrant::all(3), games);
        // Entrant 0 always wins with 10, the others are level with 1.
        let outcomes = (0..3).map(|number| {
            let seats = pairing.seats(number);
            let best = |e: &Entrant| e.0 == 0;
            let places = seats.iter().map(|e| if best(e) { 1 } else { 2 }).collect();
            let scores = seats.iter().map(|e| if best(e) { 10 } else { 1 }).collect();
            (number, Outcome::new(places, scores))
        });
        let played = Played { outcomes: outcomes.collect(), pairing };
        assert_eq!(played.half_points(), [12, 3, 3]);
        assert_eq!(played.scores(), [30, 3, 3]);
    }
}
