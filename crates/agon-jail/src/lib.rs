//! Starts programs so that they can do no harm, and ends them with all that they have started.
#![allow(dead_code)] // until the keeper is there

mod confine;
mod confinement;
mod doctor;
mod order;

pub use confinement::{Confinement, Mechanism, Missing};
pub use doctor::{Report, examine};
pub use order::{Limits, Order, Sandbox};
