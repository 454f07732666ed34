//! Reports: their numbers, files and pages.

pub(crate) mod common;
mod numbers;
mod page;
