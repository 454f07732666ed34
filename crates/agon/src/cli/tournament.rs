//! The arguments of `agon tournament`.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    sync::Arc,
};

use agon_contest::{
    series::Place,
    tournament::{KeepReplays, RunOptions, Shard},
};
use agon_files::WriteError;
use agon_remote::RemoteArgs;
use clap::{Args, Subcommand, ValueEnum};

use super::ReportArgs;
use crate::output::RemoteBoard;

#[derive(Args, Clone, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
A plan is a TOML file that names a game, bots and a format; `agon help plan` \
describes it, and \
examples/tournaments in Agon's source has some. Journal, replays and the plan \
are kept in the \
tournament's folder. \
Whatever ends a run, `resume` goes on where it ended: no match that is over is lost, and none \
counts twice. The \
same plan again in the same folder reuses all results that still hold, so that after a change to \
one bot only its \
matches are played.

Ctrl-C once ends the matches that have begun, twice gives them up.

Examples:
  agon tournament examples/tournaments/cluster-round-robin.toml
  agon tournament league.toml --out league-2026 --jobs 4
  agon tournament resume league-2026
  agon tournament report league-2026
  agon tournament league.toml --shard 2/3 --out part-2
  agon tournament league.toml --reuse part-1 --reuse part-2 --reuse part-3

Exit codes: 0 done, 2 error, 130 interrupted."
)]
pub(crate) struct TournamentArgs {
    #[command(subcommand)]
    pub(crate) command: Option<TournamentCommand>,
    /// The plan.
    #[arg(value_name = "FILE.toml", required = true)]
    pub(crate) file: Option<PathBuf>,
    /// The tournament's folder [default: the plan's name with `-results` in this folder].
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Play all matches anew, also those whose results are known.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Take results that are known from this folder of another tournament as well; may be given
    /// several times.
    #[arg(long, value_name = "DIR", conflicts_with = "fresh")]
    pub(crate) reuse: Vec<PathBuf>,
    /// Play one part of a round robin or a gauntlet here, such as the second of five; other
    /// machines play the others, with the same plan. `--reuse` merges them.
    #[arg(long, value_name = "K/N", conflicts_with = "on")]
    pub(crate) shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Clone, Debug, Subcommand)]
pub(crate) enum TournamentCommand {
    /// Go on with a tournament that was interrupted.
    #[command(after_help = "\
Examples:
  agon tournament resume league-results
  agon tournament resume league-results --jobs 4")]
    Resume {
        /// The tournament's folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        #[command(flatten)]
        run: RunArgs,
    },
    Report(ReportArgs),
}

/// How the matches of a tournament are played.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct RunArgs {
    /// Play so many matches at a time, each on a processor core of its own
    /// [default: as the plan says, or one on each core].
    #[arg(
        short,
        long,
        value_name = "N",
        value_parser = super::series::jobs,
        conflicts_with = "on"
    )]
    pub(crate) jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    /// Which matches' replays to keep.
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) replays: Replays,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunArgs {
    /// What is asked of a tournament in a folder; with `fresh` all is played anew.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn options(&self, fresh: bool, folder: &Path) -> Result<RunOptions, WriteError> {
        let replays = match self.replays {
            Replays::All => KeepReplays::All,
            Replays::Faults => KeepReplays::Faults,
            Replays::None => KeepReplays::None,
        };
        let remote = self.remote.options_in(folder, Arc::new(RemoteBoard))?;
        let place = Place { workers: self.jobs, remote };
        Ok(RunOptions { fresh, replays, shard: None, place })
    }
}

/// Which matches' replays are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Replays {
    /// Those of all matches.
    #[default]
    All,
    /// Those of matches in which a bot did something wrong.
    Faults,
    /// None.
    None,
}
