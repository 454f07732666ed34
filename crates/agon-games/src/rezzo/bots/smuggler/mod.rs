//! The built-in bot `smuggler`: explores in a spiral until it has seen an enemy's geyser. Then it
//! lays a wire from there past its own base to a loop, and guards its geysers until the flag comes.
//!
//! It lays the wire on its way home, because no signal runs before the wire reaches the loop. The
//! flag moves one cell a signal, so what counts is a wire with few cells (`wire_plan.rs`), without
//! any foreign wire beside it that leads signals away (`lay.rs`).

mod act;
mod area;
mod lay;
mod spiral;
mod state;
mod walk;
mod watch;
mod wire_plan;

use agon_core::Builtin;

pub(super) use state::Smuggler;

use crate::rezzo::Rezzo;

pub(super) const BOT: Builtin<Rezzo> = Builtin {
    name: "smuggler",
    version: 2,
    summary: "explores in a spiral, lays a short wire home from the first geyser it finds, then \
        guards its own geysers",
    params: &[],
    make: |_| Ok(Box::new(Smuggler::default())),
};
