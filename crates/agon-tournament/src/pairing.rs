//! Pairings of entrants, and the matches that follow from them, with seats and seeds.
//!
//! Formats choose pairings, and the schedule makes matches of them.

use std::{fmt, str::FromStr};

use agon_core::Seed;
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
}
