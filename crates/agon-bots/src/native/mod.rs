//! Native libraries: cellhack's C functions.
//!
//! A library never runs in the arena's own process. A child process loads it, gets whole batches of cells
//! through shared memory, and is woken up through pipes, so that the arena can wait with a deadline and notices
//! when the child dies.

mod bot;
mod child;
pub(crate) mod compile;
mod host;
mod memory;

pub use bot::RESTARTS;
pub use child::child_main;
