//! The built-in bot `hoarder`: grows like `feeder`, but saves its energy and fights with few
//! strong cells.
//!
//! In sight of enemies its cells split late, so a gap in the front is filled by strong cells or
//! not at all. Cells feed the one ahead only if they or an ancestor have met an enemy. All others
//! save up to the limit, and split with all they have when a place becomes free.

use agon_core::{Builtin, Param, Policy, Rng};

use super::{
    directions::{roomiest, sees_enemy},
    feeder::RICH,
    tactics::{Cell, heading},
};
use crate::cellhack::{Action, Answer, Cellhack, View};

pub(super) const BUILTIN: Builtin<Cellhack> = Builtin {
    name: "hoarder",
    version: 1,
    summary: "Spreads fast, saves energy, and fights with few strong cells. Only veterans feed \
        their front.",
    params: &[
        RICH,
        Param {
            name: "strong",
            default: "120",
            summary: "energy from which on a cell splits that sees an enemy, 0 to 255",
        },
        Param {
            name: "full",
            default: "60",
            summary: "energy from which on a veteran without a free place feeds the one ahead, 0 \
                to 255",
        },
    ],
    make: |params| {
        Ok(Box::new(Hoarder {
            rich: params.number("rich", 0..=255)?,
            strong: params.number("strong", 0..=255)?,
            full: params.number("full", 0..=255)?,
        }))
    },
};

/// Set in the memory of a cell that has met an enemy, or whose ancestor has.
const VETERAN: u64 = 8;

struct Hoarder {
    rich: u8,
    strong: u8,
    full: u8,
}

impl Policy<Cellhack> for Hoarder {
    /// The memory holds the heading and the mark of veterans.
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let cell = Cell { env: view.env(), energy: view.energy(), heading: heading(view.memory()) };
        let mut mark = view.memory() & VETERAN;
        let (action, heading) = if sees_enemy(&cell.env) {
            mark = VETERAN;
            cell.fight(self.strong)
        } else if let Some((way, room)) = roomiest(&cell.env, rng) {
            cell.grow(self.rich, way, room == 3)
        } else if mark == VETERAN {
            cell.feed(self.full, cell.heading)
        } else {
            (Action::Rest, cell.heading)
        };
        let memory = mark | heading.map_or(0, |heading| heading as u64);
        Answer { action, memory: (memory != view.memory()).then_some(memory) }
    }
}
