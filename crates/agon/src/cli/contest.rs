//! The arguments of `agon tournament`, `compare` and `tune`.

use std::path::{Path, PathBuf};
use std::{num::NonZero, sync::Arc};

use agon_contest::compare::{CompareOptions, TestOptions};
use agon_contest::tournament::{KeepReplays, RunOptions, Shard};
use agon_contest::{report::Csv, series::Place, tune::TuneOptions};
use agon_files::WriteError;
use agon_remote::RemoteArgs;
use clap::{Args, Subcommand};

use super::SeriesArgs;
use crate::output::RemoteBoard;

#[derive(Args, Clone, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "\
A plan is a TOML file that names a game, bots and a format; `agon help plan` describes it, and \
examples/tournaments in Agon's source has some. Journal, replays and the plan are kept in the \
tournament's folder. Whatever ends a run, `resume` goes on where it ended: no match that is over \
is lost, and none counts twice. The same plan again in the same folder reuses all results that \
still hold, so that after a change to one bot only its matches are played.

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
        value_parser = super::play::jobs,
        conflicts_with = "on"
    )]
    pub(crate) jobs: Option<NonZero<usize>>,
    #[command(flatten)]
    pub(crate) remote: RemoteArgs,
    /// Which matches' replays to keep.
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(crate) replays: KeepReplays,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunArgs {
    /// What is asked of a tournament in a folder; with `fresh` all is played anew.
    pub(crate) fn options(&self, fresh: bool, folder: &Path) -> Result<RunOptions, WriteError> {
        let remote = self.remote.options_in(folder, Arc::new(RemoteBoard))?;
        let place = Place { workers: self.jobs, remote };
        Ok(RunOptions { fresh, replays: self.replays, shard: None, place })
    }
}

/// Tell how a tournament stands: while it runs, when it was stopped, or at its end.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Without options a table is printed: the standing by the rules of the format, ratings with their 95 \
% intervals, what a reader should know, and faults. docs/tournaments.md in Agon's source explains \
the numbers, JSON and CSV.

Examples:
  agon tournament report cup
  agon tournament report cup --html cup/report.html
  agon tournament report cup --site public            then put the folder on any web server
  agon tournament report cup --csv standing > standing.csv
  agon tournament report cup --json | jq '.ratings[0]'")]
pub(crate) struct ReportArgs {
    /// The tournament's folder; a plan stands for the folder in which `agon tournament` plays it.
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Print everything as JSON, on one line.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print a table as CSV: standing, head-to-head, matches, faults.
    #[arg(long, value_name = "TABLE")]
    pub(crate) csv: Option<Csv>,
    /// Write a page with everything, in one file that needs no network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the page with the viewer and the replays it links to into a new folder, for any web
    /// server.
    #[arg(long, value_name = "DIR")]
    pub(crate) site: Option<PathBuf>,
}

/// Flags of a test whether a new version is better than an old one.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Two versions play each seed twice, with exchanged seats. The test looks at the results after each \
pair and stops as soon as they decide. --elo0 and --elo1 are what it tells apart: the closer \
together, the more matches it takes. Differences between them may come out either way. The errors \
and the interval hold at the stop; with --normalized the errors are approximate.

With --against both versions play the same seeds in the same seats against the same bots, drawn \
from the pool, and the difference of their scores counts; with --players above 2 and no pool the \
new version plays in a field of copies of the old one. The score of a match is the part of the \
others that are left behind (ties count half), and --score1 is how much more of it is hoped for.

With --out all results go to a folder. If the comparison is stopped, by Ctrl-C or otherwise, the \
same command continues it; -j, --max and --json may change.

Examples:
  agon compare --game cluster \"python3 new.py\" \"python3 old.py\"
  agon compare --game cellhack new.c old.c --elo0 -5 --elo1 5 --alpha 0.01 --beta 0.1
  agon compare --game rezzo ./new ./old --against builtin:raider \"bots/*.py\" --players 4
  agon compare --game cluster builtin:searcher builtin:greedy --set side=6 --max 500 --json
  agon compare --game cluster \"python3 new.py\" \"python3 old.py\" --out new-or-old

Exit codes: 0 the new version is better, 1 it is not, or that is not decided after --max matches, \
2 error, 130 interrupted.")]
pub(crate) struct CompareArgs {
    /// The new version, named as for `agon play`.
    pub(crate) new: String,
    /// The old version.
    pub(crate) old: String,
    /// The game [default: the one that these bots are for, if that can be told].
    #[arg(long)]
    pub(crate) game: Option<String>,
    /// Let both play against these bots instead of each other; quoted patterns such as "bots/*.c"
    /// stand for files.
    #[arg(long, value_name = "BOT", num_args = 1..)]
    pub(crate) against: Vec<String>,
    /// So many players in a match [default: 2].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) players: Option<u16>,
    /// Print JSON Lines: each seed as it is counted, then the verdict.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write replays of the matches that count into this new or empty folder.
    #[arg(long, value_name = "DIR")]
    pub(crate) replays: Option<PathBuf>,
    /// Keep all results in this folder: new, or that of the same comparison, which then continues.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) test: TestOptions,
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
}

impl CompareArgs {
    /// What is asked.
    pub(crate) fn options(&self) -> CompareOptions {
        CompareOptions {
            players: self.players.map(usize::from),
            test: self.test.clone(),
            seed: self.series.seed,
            replays: self.replays.clone(),
            out: self.out.clone(),
        }
    }
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Two versions of the bot play each other, and the values go a little towards the winner, again and \
again (SPSA). At the end the values found play the starting ones on new seeds, which tests whether \
they are better. Parameters of a built-in bot are set by their names; in any other bot's text \
`{NAME}` stands for the value, so that a program gets it on its command line.

All results go to a folder. If the tuning is stopped, by Ctrl-C or otherwise, the same command \
goes on with it, and \
ends as if it had not been stopped. docs/tuning.md in Agon's source explains what to expect.

Examples:
  agon tune --game amoebas builtin:slightly-brainy --param low=5..40 --param divide=30..90
  agon tune --game cluster \"python3 my_bot.py --depth {depth}\" --param depth=1..8 --matches 400
  agon tune --game rezzo \"./my_bot {x}\" --param x=0..1:0.05 --start x=0.5 \
  --against builtin:raider")]
pub(crate) struct TuneArgs {
    /// The game.
    #[arg(long, value_name = "GAME")]
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) options: TuneOptions,
    /// Print JSON Lines instead of the report.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
}
