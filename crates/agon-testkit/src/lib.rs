//! Helpers for tests: a toy game (which [`Bare`](bare::Bare) prepares for the arena), games broken
//! on purpose to prove the conformance kit, a display that nobody sees, and a browser.

pub mod bare;
pub mod broken;
pub mod browser;
pub mod display;
mod harness;
pub mod http;
mod machine;
pub mod nats;
pub mod postgres;
pub mod toy;

pub use harness::{eventually, full_name, this_program};
pub use machine::{has_programs, has_time, leave_out, leave_to_root};
