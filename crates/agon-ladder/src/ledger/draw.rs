//! The draw of a final: who plays in it, and a seed that nobody can choose.
//!
//! A final is a round robin of versions that cannot change any more. Its seed decides who has which
//! seat when, and the seeds of the matches. Whoever could foresee or choose it could prepare a bot
//! for it, so it is made of things that different people decide, one after the other:
//!
//! 1. The server logs the digest of a secret ([`Entry::Pledge`](super::Entry::Pledge)) before the
//!    deadline.
//! 2. Authors hand in. With a version comes the digest of a secret number of its author, a *nonce*.
//! 3. After the deadline the authors reveal their nonces ([`Entry::Nonce`](super::Entry::Nonce)).
//! 4. At the freeze the server logs the digest of [`Inputs`]
//!    ([`Entry::Closed`](crate::ledger::Entry::Closed)): its secret, all versions and all nonces.
//! 5. It hashes them many times, one after the other, which takes about ten minutes on any
//!    machine. So nobody, the server included, can try what another version or another nonce would
//!    give while that is still possible. The last hash is the seed
//!    ([`Entry::Drawn`](crate::ledger::Entry::Drawn)).

use std::fmt::Write;

use agon_contest::{Entrant, Games, Schedule, format::RoundRobin};
use agon_core::{Purpose, Seed};
use agon_match::spec::Digest;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// The parts in which the hashes of a draw are published, so that each part can be checked alone.
pub const LINKS: usize = 256;

/// The most matches that a final may have.
pub const MOST_MATCHES: u64 = 200_000;

/// The most hashes of a draw: about those of a day. A lying server must not keep a check busy.
pub const MOST_STEPS: u64 = 1_500_000_000_000;

/// A hash of the chain.
pub type Link = [u8; 32];

/// What the seed of a final is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// The arena whose season is over.
    pub arena: u64,
    /// The server's secret: 64 hexadecimal digits.
    pub secret: String,
    /// How many hashes are made, one after the other; a multiple of [`LINKS`].
    pub steps: u64,
    /// How many bots play in a match.
    pub players: usize,
    /// How often those meet who play together.
    pub games: u32,
    /// The versions that play, in order of their ids.
    pub entrants: Vec<FinalEntrant>,
}

/// A version that plays in a final.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinalEntrant {
    /// Its id during the season.
    pub version: u64,
    /// The digest of its files as they came; none for a built-in bot.
    pub source: Option<Digest>,
    /// Its author's nonce, if it was revealed: 64 hexadecimal digits.
    pub nonce: Option<String>,
}

/// What the terms of an arena say of its final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalTerms {
    /// How often those meet who play together.
    pub games: u32,
    /// How many hashes make its seed.
    pub steps: u64,
}

/// What the server shows of a draw: `log/finals/ARENA.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    /// What the seed is made of.
    pub inputs: Inputs,
    /// The hash after each of the [`LINKS`] parts, as hexadecimal digits; fewer while it is made.
    pub links: Vec<String>,
}

/// What is wrong with a draw.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "each has its text")]
pub enum DrawError {
    #[error("the number of hashes must be a multiple of {LINKS}, and at most {MOST_STEPS}")]
    Steps,
    #[error("its hashes are not complete")]
    Incomplete,
    #[error("part {0} of its hashes is wrong")]
    Link(usize),
    #[error("{entrants} bots in matches of {players} make no final")]
    Size { entrants: usize, players: usize },
}

impl Inputs {
    /// Returns the inputs as text.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written as JSON")
    }

    /// Returns the digest that the log holds.
    pub fn digest(&self) -> Digest {
        Digest::of(self.text().as_bytes())
    }

    /// Returns the hash before the first step.
    pub fn start(&self) -> Link {
        Sha256::digest(self.text().as_bytes()).into()
    }

    /// Returns the matches that a seed gives, in order of their numbers.
    pub fn matches(&self, seed: Seed) -> Result<Vec<FinalMatch>, DrawError> {
        final_matches(self.entrants.len(), self.players, self.games, seed)
    }

    /// Returns the hashes of each part.
    ///
    /// # Errors
    /// If their number is none, too large, or no multiple of [`LINKS`].
    pub fn steps_of_part(&self) -> Result<u64, DrawError> {
        let parts = LINKS as u64;
        let is_whole = (1..=MOST_STEPS).contains(&self.steps) && self.steps.is_multiple_of(parts);
        if is_whole { Ok(self.steps / parts) } else { Err(DrawError::Steps) }
    }
}

impl Draw {
    /// Returns the last hash: the seed is made of it.
    pub fn last(&self) -> Result<Link, DrawError> {
        let last = self.links.last().filter(|_| self.links.len() == LINKS);
        last.and_then(|text| from_hex(text)).ok_or(DrawError::Incomplete)
    }

    /// Returns the digest of all links, which the log holds.
    pub fn digest(&self) -> Digest {
        Digest::of(self.links.join("\n").as_bytes())
    }

    /// Returns the seed of the final.
    pub fn seed(&self) -> Result<Seed, DrawError> {
        let last = self.last()?;
        let first: [u8; 8] = last[..8].try_into().expect("there are 32 bytes");
        Ok(Seed::plain(u64::from_be_bytes(first)))
    }

    /// Computes a part again, from 0, and compares it.
    pub fn check_part(&self, part: usize) -> Result<(), DrawError> {
        let link = |part: usize| self.links.get(part).and_then(|text| from_hex(text));
        let before = match part.checked_sub(1) {
            None => self.inputs.start(),
            Some(before) => link(before).ok_or(DrawError::Incomplete)?,
        };
        let after = link(part).ok_or(DrawError::Incomplete)?;
        let steps = self.inputs.steps_of_part()?;
        if chain(before, steps) == after { Ok(()) } else { Err(DrawError::Link(part)) }
    }
}

/// Hashes a hash `steps` times.
pub fn chain(mut hash: Link, steps: u64) -> Link {
    for _ in 0..steps {
        hash = Sha256::digest(hash).into();
    }
    hash
}

/// Returns a hash as 64 hexadecimal digits.
pub fn to_hex(hash: &Link) -> String {
    hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads 64 hexadecimal digits, in lower case.
pub fn from_hex(text: &str) -> Option<Link> {
    // A digest is written in the same way, in one spelling only.
    text.parse::<Digest>().ok()?;
    let digit = |at: usize| text.get(2 * at..2 * at + 2);
    let mut hash = [0; 32];
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digit(at)?, 16).ok()?;
    }
    Some(hash)
}

/// A match of a final.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalMatch {
    /// The seed: 53 bits, so that JavaScript can read it.
    pub seed: u64,
    /// Who plays, in order of seats: indices of [`Inputs::entrants`].
    pub seats: Vec<usize>,
}

/// Returns the matches of a final, in order of their numbers.
///
/// With two players a match, all pairs meet `games` times, rounded up so that both have each seat
/// equally often. With more, groups of a balanced design meet so often.
fn final_matches(
    entrants: usize,
    players: usize,
    games: u32,
    seed: Seed,
) -> Result<Vec<FinalMatch>, DrawError> {
    let size = DrawError::Size { entrants, players };
    if players < 2 || entrants < players || games == 0 {
        return Err(size);
    }
    // Pairs alone are as many as this, and groups of more have more.
    let pairs = (entrants as u64).saturating_mul(entrants as u64 - 1) / 2;
    if pairs.saturating_mul(u64::from(games)) > MOST_MATCHES {
        return Err(size);
    }
    let games = Games { matches: games, mirrored: true };
    let format = RoundRobin::groups(entrants, players, None, games, seed.derive(0));
    let schedule = Schedule::new(Box::new(format), seed.derive(1));
    if schedule.planned().is_none_or(|planned| planned > MOST_MATCHES) {
        return Err(size);
    }
    // The plan is the same for all seeds but for the names: the seed says who is who.
    let mut order: Vec<usize> = (0..entrants).collect();
    seed.stream(Purpose::Order, 0).shuffle(&mut order);
    let matches = schedule.missing().into_iter().map(|game| FinalMatch {
        seed: game.seed.number() >> 11,
        seats: game.seats.iter().map(|&Entrant(seat)| order[seat as usize]).collect(),
    });
    Ok(matches.collect())
}

/// Returns which match of a final's plan is played as the one with this place, from 0.
///
/// After all of them, those that could not be played are played again in the order in which they
/// were given up, which `given_up` has with their numbers, from 1. `None`: the final is over, or
/// waits for a result.
pub fn planned_place(mut place: usize, planned: usize, given_up: &[u64]) -> Option<usize> {
    // A server that cannot play at all must end some time.
    if place >= planned.saturating_mul(2) {
        return None;
    }
    while place >= planned {
        let number = usize::try_from(*given_up.get(place - planned)?).ok()?;
        // Only what was planned before can be given up.
        place = number.checked_sub(1).filter(|earlier| *earlier < place)?;
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_digits_have_one_spelling() {
        let hash: Link = std::array::from_fn(|at| at as u8 * 7);
        assert_eq!(from_hex(&to_hex(&hash)), Some(hash));
        for wrong in ["", "zz", &to_hex(&hash)[1..], &to_hex(&hash).to_uppercase(), "é"] {
            assert_eq!(from_hex(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn all_meet_equally_often() {
        let matches = final_matches(5, 2, 4, Seed(3)).unwrap();
        assert_eq!(matches.len(), 10 * 4);
        for one in 0..5 {
            for other in (0..5).filter(|other| *other != one) {
                let met = matches.iter().filter(|game| game.seats == [one, other]).count();
                assert_eq!(met, 2, "{one} {other}");
            }
        }
        // Four players of nine.
        let matches = final_matches(9, 4, 1, Seed(3)).unwrap();
        for bot in 0..9 {
            let seats: Vec<usize> = (0..4)
                .map(|seat| matches.iter().filter(|g| g.seats[seat] == bot).count())
                .collect();
            assert!(seats.iter().all(|count| *count == seats[0] && *count > 0), "{seats:?}");
        }
        assert_eq!(matches, final_matches(9, 4, 1, Seed(3)).unwrap());
        assert_ne!(matches, final_matches(9, 4, 1, Seed(4)).unwrap());
    }

    #[test]
    fn what_was_given_up_is_played_again() {
        let place = |place| planned_place(place, 3, &[2, 4, 1]);
        assert_eq!([0, 1, 2, 3].map(place), [Some(0), Some(1), Some(2), Some(1)]);
        assert_eq!(place(4), Some(1), "match 4 was match 2 again");
        assert_eq!(place(5), Some(0));
        assert_eq!(place(6), None, "enough");
        assert_eq!(planned_place(3, 3, &[]), None);
        assert_eq!(planned_place(3, 3, &[9]), None);
        assert_eq!(planned_place(0, 0, &[]), None);
    }

    #[test]
    fn finals_that_cannot_be_are_refused() {
        for (entrants, players, games) in
            [(0, 2, 1), (1, 2, 1), (3, 4, 1), (5, 2, 0), (2_000, 2, 2), (usize::MAX / 2, 2, 1)]
        {
            let found = final_matches(entrants, players, games, Seed(1));
            assert_eq!(found, Err(DrawError::Size { entrants, players }));
        }
    }
}
