//! Ends all that the bots of erased people do.

use tokio::sync::oneshot;

use agon_ladder::VersionId;

use super::{Given, Planned, Runner, WhyGivenUp};
use crate::play::ids::{id_of, version_id};

impl Runner {
    /// Has versions play no more. `done` hears when everything is written that they did before.
    pub(super) fn erase(&mut self, versions: Vec<i64>, done: oneshot::Sender<()>) {
        self.erased.extend(&versions);
        self.entries.forget(&versions);
        self.comparisons.forget(&versions);
        for field in self.fields.values_mut() {
            for &version in &versions {
                field.ladder.leave(version_id(version));
            }
        }
        self.take_back(&versions);
        self.recorder.tell_when_written(done);
    }

    /// Takes matches of versions back from other machines.
    fn take_back(&mut self, versions: &[i64]) {
        let is_of = |&&id: &&VersionId| versions.contains(&id_of(id));
        let of = |given: &Given| match given {
            Given::Rated(planned) => planned.players.iter().any(|id| is_of(&id)),
            // The comparison itself was forgotten: its result is dropped.
            Given::Compared(_) => false,
        };
        let tickets: Vec<u64> =
            self.playing.iter().filter(|(_, given)| of(given)).map(|(ticket, _)| *ticket).collect();
        for ticket in tickets {
            if self.place.give_up(ticket)
                && let Some(Given::Rated(planned)) = self.playing.remove(&ticket)
            {
                self.give_up(&planned, WhyGivenUp::Erased);
            }
        }
    }

    /// Returns whether the author of one of the players was erased.
    pub(super) fn is_erased(&self, planned: &Planned) -> bool {
        let field = self.fields.get(&planned.arena);
        planned.players.iter().any(|&id| {
            let known = field.and_then(|field| field.versions.get(&id_of(id)));
            self.erased.contains(&id_of(id)) || known.is_some_and(|known| known.is_erased)
        })
    }

    /// Has versions play again whose author was not erased after all.
    pub(super) fn keep(&mut self, versions: &[i64]) {
        self.erased.retain(|version| !versions.contains(version));
        let arenas: Vec<i64> = self.fields.keys().copied().collect();
        arenas.into_iter().for_each(|arena| self.refresh(arena));
    }
}
