//! Matchmakers, which choose the groups of a ladder: the trait, and one that draws at random.
//!
//! `adaptive` has the other one.

use std::fmt::Debug;

use agon_core::Rng;

use crate::{Entrant, History, Pairing};

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
