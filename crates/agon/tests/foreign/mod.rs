//! Untrusted texts do no harm: they are shown as they are, and endless files are refused.
#![allow(clippy::unwrap_used)]

mod limits;
mod streams;
#[path = "../../../agon-replay/tests/support/mod.rs"]
mod support;
mod surfaces;
mod test_dir;
