//! Untrusted texts do no harm: they are shown as they are, and endless files are refused.

mod limits;
mod shown;
mod streams;
#[path = "../../../agon-match/tests/support/mod.rs"]
mod support;
mod surfaces;
