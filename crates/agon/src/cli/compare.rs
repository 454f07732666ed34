//! The arguments of `agon compare`.

use std::path::PathBuf;

use agon_contest::compare::{CompareOptions, TestOptions};
use clap::Args;

use super::SeriesArgs;

/// Flags of a test whether a new version is better than an old one.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Two versions play each seed twice, with exchanged seats. The test looks at the results after each \
pair and stops as soon as they decide. --elo0 and --elo1 are what it tells apart: the closer \
together, the more matches it takes. Differences between them may come out either way. The errors \
and the interval hold at the stop; with --normalized the errors are approximate.

With --against both versions play the same seeds in the same seats against the same bots, drawn \
from the pool, \
and the difference of their scores counts; with --players above 2 and no pool the new version \
plays in a field of \
copies of the old one. The score of a match is the part of the others that are left behind (ties \
count half), and \
--score1 is how much more of it is hoped for.

With --out all results go to a folder. If the comparison is stopped, by Ctrl-C or otherwise, the \
same command continues it; -j, --max and --json may change.

Examples:
  agon compare --game cluster \"python3 new.py\" \"python3 old.py\"
  agon compare --game cellhack new.c old.c --elo0 -5 --elo1 5 --alpha 0.01 --beta 0.1
  agon compare --game rezzo ./new ./old --against builtin:raider \"bots/*.py\" --players 4
  agon compare --game cluster builtin:searcher builtin:greedy --set side=6 --max 500 --json
  agon compare --game cluster \"python3 new.py\" \"python3 old.py\" --out new-or-old

Exit codes: 0 the new version is better, 1 it is not, or that is not decided after --max matches, \
2 error, \
130 interrupted.")]
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
    pub(crate) test: TestArgs,
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
}

/// What is asked of the results, and how surely it is to be answered.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct TestArgs {
    /// No improvement: so many Elo points or fewer [default: 0].
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, help_heading = "Test")]
    pub(crate) elo0: Option<f64>,
    /// An improvement: so many Elo points or more [default: 20].
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, help_heading = "Test")]
    pub(crate) elo1: Option<f64>,
    /// Take --elo0 and --elo1 as normalised Elo, so that many ties do not make the test longer.
    #[arg(long, help_heading = "Test")]
    pub(crate) normalized: bool,
    /// An improvement with --against or --players: so much more score in a match [default: 0.05].
    #[arg(long, value_name = "SCORE", value_parser = share, help_heading = "Test")]
    pub(crate) score1: Option<f64>,
    /// The probability with which a version that is no improvement may be called better.
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.05,
        value_parser = share,
        help_heading = "Test"
    )]
    pub(crate) alpha: f64,
    /// The probability with which an improvement may be called none.
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.05,
        value_parser = share,
        help_heading = "Test"
    )]
    pub(crate) beta: f64,
    /// Stop undecided after so many matches [default: play until it is decided].
    #[arg(long, value_name = "N", help_heading = "Test")]
    pub(crate) max: Option<u64>,
}

impl CompareArgs {
    /// What is asked.
    pub(crate) fn options(&self) -> CompareOptions {
        CompareOptions {
            players: self.players.map(usize::from),
            test: self.test.options(),
            seed: self.series.seed,
            replays: self.replays.clone(),
            out: self.out.clone(),
        }
    }
}

impl TestArgs {
    fn options(&self) -> TestOptions {
        let TestArgs { elo0, elo1, normalized, score1, alpha, beta, max } = *self;
        TestOptions { elo0, elo1, normalized, score1, alpha, beta, max }
    }
}

fn share(text: &str) -> Result<f64, &'static str> {
    let value: f64 = text.parse().map_err(|_| "expected a number between 0 and 1, such as 0.05")?;
    let fits = value > 0.0 && value < 1.0;
    fits.then_some(value).ok_or("expected a number between 0 and 1, such as 0.05")
}
