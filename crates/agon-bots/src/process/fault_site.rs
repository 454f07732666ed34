//! The player and the step of a fault, from which hosts make their faults.

use agon_core::{Evidence, Fault, FaultKind, Game, Player};

use crate::BatchPart;

/// The player and the step that a fault concerns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultSite {
    /// The bot's player.
    pub(crate) player: Player,
    /// The step of the match.
    pub(crate) step: u64,
}

impl<G: Game> From<BatchPart<'_, G>> for FaultSite {
    fn from(part: BatchPart<'_, G>) -> FaultSite {
        FaultSite { player: part.player, step: part.step }
    }
}

impl FaultSite {
    /// Returns the site of faults before the first step.
    pub(crate) fn start(player: Player) -> FaultSite {
        FaultSite { player, step: 0 }
    }

    /// Makes a fault without evidence.
    pub(crate) fn fault(self, kind: FaultKind, detail: impl Into<String>) -> Fault {
        let detail = detail.into();
        let evidence = Evidence::default();
        Fault { player: self.player, step: self.step, kind, detail, evidence, count: 1 }
    }
}
