//! What others wrote does no harm: texts are shown as they are, files without end are refused.
#![allow(clippy::unwrap_used)]

mod limits;
mod streams;
#[path = "../../../agon-replay/tests/support/mod.rs"]
mod support;
mod surfaces;
mod test_dir;
