//! Flags of everything that plays many matches.

use std::{num::NonZero, path::PathBuf, sync::Arc};

use agon_contest::plan::MAX_JOBS;
use agon_contest::{series::Place, settings::Sources};
use agon_core::Seed;
use agon_remote::RemoteArgs;
use clap::Args;

use super::HostArgs;
use crate::output::RemoteBoard;

/// How many matches of one game are played.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct SeriesArgs {
    /// Play so many matches at a time, each on a processor core of its own
    /// [default: one on each core].
    #[arg(short, long, value_name = "N", value_parser = jobs, conflicts_with = "on")]
    pub(crate) jobs: Option<NonZero<usize>>,
    /// The seed from which those of all matches follow, decimal or 0x hexadecimal
    /// [default: drawn anew, and shown; a run that continues keeps its seed].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<Seed>,
    /// Start from the settings of a preset; `agon rules GAME` lists them
    /// [default: the documents' settings].
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
    /// Change a setting of the game; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Read settings from a TOML file.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rules: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    #[command(flatten)]
    pub(crate) host: HostArgs,
}

impl SeriesArgs {
    /// Where the settings of the game come from.
    pub(crate) fn sources(&self) -> Sources<'_> {
        let SeriesArgs { preset, rules, sets, .. } = self;
        Sources { preset: preset.as_deref(), file: rules.as_deref(), sets }
    }
}

impl SeriesArgs {
    /// Where the matches are played. `title` is what people call them.
    pub(crate) fn place(&self, title: &str) -> Place {
        let remote = self.remote.options(title, Arc::new(RemoteBoard));
        Place { workers: self.jobs, remote }
    }
}

/// How many matches are played at a time, as in plans.
pub(super) fn jobs(text: &str) -> Result<NonZero<usize>, String> {
    let jobs = text.parse().ok().filter(|jobs: &NonZero<usize>| jobs.get() <= MAX_JOBS);
    jobs.ok_or_else(|| format!("a whole number from 1 to {MAX_JOBS}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_matches_at_a_time_as_plans_allow() {
        assert_eq!(["1", "4096"].map(|text| jobs(text).unwrap().get()), [1, 4096]);
        for text in ["0", "4097", "30000", "-1", "x", "99999999999999999999"] {
            assert_eq!(jobs(text).unwrap_err(), "a whole number from 1 to 4096", "{text}");
        }
    }
}
