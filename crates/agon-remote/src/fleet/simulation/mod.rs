//! A run on many machines as a simulation: the real coordinator and real workers, with a carrier
//! that loses, repeats, reorders and forgets.
//!
//! All happens in virtual time, in an order that depends on the seed alone.

mod carrier;
mod machine;
mod report;
mod scenario;
mod world;

pub use report::{Report, Spread};
pub use scenario::Scenario;
pub use world::simulate;
