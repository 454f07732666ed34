//! Flags of everything that plays many matches.

use std::{num::NonZero, path::PathBuf};

use agon_core::Seed;
use clap::Args;

use super::HostArgs;

/// How many matches of one game are played.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct SeriesArgs {
    /// Play so many matches at a time, each on a processor core of its own [default: one on each core].
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZero<usize>>,
    /// The seed from which those of all matches follow, decimal or 0x hexadecimal.
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) seed: Seed,
    /// Change a setting of the game; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Read settings from a TOML file.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rules: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) host: HostArgs,
}
