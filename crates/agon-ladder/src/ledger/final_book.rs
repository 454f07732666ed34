//! What the log says of the final of an arena.

use agon_core::Seed;
use agon_match::spec::Digest;

use crate::ledger::{Contradiction, Pairing, from_hex};

/// What the log says of the final of an arena; and, for the arena in which a final is played, what
/// was planned there.
#[derive(Clone, Debug, Default)]
pub struct FinalBook {
    /// The digest of the server's secret.
    pub pledge: Option<Digest>,
    /// The digest of what the seed is made of.
    pub inputs: Option<Digest>,
    /// What came of it.
    pub drawn: Option<Drawn>,
    /// The arena whose final is played here.
    pub of: Option<u64>,
    /// The matches that were planned here, if it is a final.
    pub(crate) planned: Vec<Pairing>,
    /// Those of them that could not be played.
    pub(crate) given_up: Vec<u64>,
}

/// A draw, as the log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The arena in which the final is played.
    pub into: u64,
    /// The digest of the hashes.
    pub links: Digest,
    /// The seed.
    pub seed: Seed,
}

impl FinalBook {
    /// Returns whether no nonce can be revealed any more.
    pub fn is_closed(&self) -> bool {
        self.inputs.is_some()
    }

    pub(crate) fn pledge(&mut self, arena: u64, pledge: Digest) -> Result<(), Contradiction> {
        let is_new = self.pledge.replace(pledge).is_none() && !self.is_closed();
        is_new.then_some(()).ok_or(Contradiction::Final(arena))
    }

    pub(crate) fn close(&mut self, arena: u64, inputs: Digest) -> Result<(), Contradiction> {
        let is_due = self.pledge.is_some() && self.inputs.replace(inputs).is_none();
        is_due.then_some(()).ok_or(Contradiction::Final(arena))
    }

    pub(crate) fn draw(
        &mut self,
        arena: u64,
        into: u64,
        links: Digest,
        seed: &str,
    ) -> Result<(), Contradiction> {
        let wrong = Contradiction::Final(arena);
        let seed = Seed::plain(seed.parse().map_err(|_| wrong.clone())?);
        let is_due = self.is_closed() && self.drawn.is_none() && into != arena;
        self.drawn = Some(Drawn { into, links, seed });
        is_due.then_some(()).ok_or(wrong)
    }

    pub(crate) fn is_final_of(&mut self, own: u64, arena: u64) -> Result<(), Contradiction> {
        let is_new = self.of.replace(arena).is_none();
        is_new.then_some(()).ok_or(Contradiction::Final(own))
    }

    pub(crate) fn planned(&mut self, pairing: &Pairing) {
        if self.of.is_some() {
            self.planned.push(pairing.clone());
        }
    }

    pub(crate) fn gave_up(&mut self, number: u64) {
        if self.of.is_some() {
            self.given_up.push(number);
        }
    }
}

/// Returns whether a nonce has the digest that came with its version.
pub(crate) fn nonce_fits(nonce: &str, pledge: Option<Digest>) -> bool {
    from_hex(nonce).is_some_and(|nonce| Some(Digest::of(&nonce)) == pledge)
}
