//! What all packages of a release have in common.

use clap::Args;

/// The short description of all packages.
pub(crate) const SUMMARY: &str =
    "Arena for programming games: write bots, play them, prove results";

/// The licences, as an SPDX expression.
pub(crate) const LICENCE: &str = "MIT OR Apache-2.0";

/// A release for one kind of machine.
#[derive(Args, Clone, Debug)]
pub(crate) struct Release {
    /// The version, such as `0.1.0`.
    #[arg(long)]
    pub(crate) release: String,
    /// The time of all files in packages, in seconds since 1970.
    #[arg(long)]
    pub(crate) time: u64,
    /// The lowest version of glibc with which the dynamic programs run, such as `2.34`.
    #[arg(long)]
    pub(crate) glibc: String,
}

#[cfg(test)]
pub(crate) fn some() -> Release {
    Release { release: "1.2.3".to_owned(), time: 1_700_000_000, glibc: "2.34".to_owned() }
}
