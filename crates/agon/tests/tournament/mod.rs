//! Tournaments from the command line.

mod absent;
mod examples;
mod folder;
mod identity;
mod kill;
mod queries;
pub(crate) mod test_dir;
