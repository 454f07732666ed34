//! Helpers for tests: the conformance kit for games, games broken on purpose to prove it, a toy
//! game (which [`Bare`](bare::Bare) prepares for the arena), a display that nobody sees, and a
//! browser.
//!
//! A game's test needs one call:
//!
//! ```
//! use agon_testkit::{conformance, toy::{Toy, ToyRules}};
//!
//! conformance::check::<Toy>(&ToyRules::default(), 2, 0..5, 1_000);
//! ```

pub mod bare;
pub mod broken;
pub mod browser;
pub mod conformance;
pub mod display;
mod harness;
pub mod http;
mod machine;
pub mod nats;
pub mod postgres;
pub mod toy;

pub use harness::{eventually, full_name, this_program};
pub use machine::{has_programs, has_time, leave_out, leave_to_root};
