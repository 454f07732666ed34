//! The built-in bot `feeder`: spreads fast, presses against enemies, and feeds its front from
//! behind.
//!
//! On a full board the interior has nothing to do with its energy. Every cell remembers where it
//! was heading or last saw an enemy, and feeds the cell there. So front cells outlast their
//! opponents, and the front moves.

use agon_core::{Builtin, Param, Policy, Rng};

use super::{
    directions::{roomiest, sees_enemy},
    tactics::{Cell, heading},
};
use crate::cellhack::{Answer, Cellhack, View};

/// The energy from which on a cell splits that sees no enemy. With the default rules it is the
/// least that allows a split.
pub(super) const RICH: Param = Param {
    name: "rich",
    default: "41",
    summary: "energy from which on a cell splits that sees no enemy, 0 to 255",
};

pub(super) const BUILTIN: Builtin<Cellhack> = Builtin {
    name: "feeder",
    version: 1,
    summary: "Spreads fast, closes in on enemies, bites with its kin, and feeds its front from \
        behind.",
    params: &[
        RICH,
        Param {
            name: "strong",
            default: "60",
            summary: "energy from which on a cell splits that sees an enemy, 0 to 255",
        },
        Param {
            name: "full",
            default: "40",
            summary: "energy from which on a cell without a free place feeds the one ahead, 0 to \
                255",
        },
    ],
    make: |params| {
        Ok(Box::new(Feeder {
            rich: params.number("rich", 0..=255)?,
            strong: params.number("strong", 0..=255)?,
            full: params.number("full", 0..=255)?,
        }))
    },
};

struct Feeder {
    rich: u8,
    strong: u8,
    full: u8,
}

impl Policy<Cellhack> for Feeder {
    /// The memory holds the heading.
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let cell = Cell { env: view.env(), energy: view.energy(), heading: heading(view.memory()) };
        let (action, heading) = if sees_enemy(&cell.env) {
            cell.fight(self.strong)
        } else if let Some((way, room)) = roomiest(&cell.env, rng) {
            cell.grow(self.rich, way, room == 3)
        } else {
            cell.feed(self.full, cell.heading)
        };
        let memory = heading.map_or(0, |heading| heading as u64);
        Answer { action, memory: (memory != view.memory()).then_some(memory) }
    }
}
