//! Tests that confine a real program: this test executable, started again.
//!
//! It runs three times. The test starts a *stage*, with the order in its environment. The stage
//! forks supervisor, first process and program, as in real use. The program becomes a *prober*,
//! which reports its abilities.

mod folders;
mod probes;
mod runtimes;
mod setups;
mod stage;

pub(super) use stage::{Setup, TestDir, run};
