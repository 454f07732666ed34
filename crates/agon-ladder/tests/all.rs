//! All tests of this crate that need no program of their own.

mod edges;
