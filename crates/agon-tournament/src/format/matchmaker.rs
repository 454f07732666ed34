//! Matchmakers, which choose the groups of a ladder.

use std::fmt::Debug;

use agon_core::Rng;

use crate::{Entrant, History, Pairing};

/// What there is to choose from.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Matches that each entrant has been called to, those of this wave included.
    pub calls: &'a [u32],
    /// Those who are too far behind the average, furthest first: as many of them as have room will
    /// be in the group, whatever the matchmaker says.
    pub starving: &'a [Entrant],
    /// How many play together.
    pub size: usize,
}

/// Chooses who plays next on a ladder.
///
/// Before each wave it is told all that was played. It may keep what it made of earlier waves, but
/// its choices depend on history, field and stream only: a ladder that is taken up again calls for
/// the same matches.
pub trait Matchmaker: Debug + Send {
    /// A wave begins after this history, whose waves are complete, in a field of so many entrants.
    fn start(&mut self, _history: &History, _entrants: usize) {}

    /// `field.size` different entrants, in any order.
    fn group(&mut self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant>;

    /// A pairing was called for, maybe with somebody in it who was starving. Its results come with
    /// the next wave.
    fn called(&mut self, _pairing: &Pairing) {}
}

/// Draws among those who have played least, so that all play equally often, or one group more or
/// less.
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
