//! Tests that confine a real program: this test executable itself, started again.
//!
//! It runs three times: the test starts a *stage*, which has the order in its environment. The
//! stage forks supervisor, first process and program as in earnest, and the program becomes a
//! *prober*, which reports what it can do.

mod folders;
mod probes;
mod runtimes;
mod setups;
mod stage;

pub(super) use stage::{Setup, TestDir, run};
