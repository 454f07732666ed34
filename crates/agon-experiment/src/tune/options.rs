//! The options of a tuning, as `agon tune` takes them from the command line.

use std::path::PathBuf;

use agon_core::Seed;
use agon_rating::tune::Param;

/// Options of a tuning beside the settings of the game.
#[derive(Clone, Debug)]
pub struct TuneOptions {
    /// The text of the bot. Unless it is built in, it has a place such as `{low}` for each value.
    pub bot: String,
    /// The parameters with their ranges.
    pub params: Vec<Param>,
    /// Starting values, each as `NAME=VALUE`.
    pub starts: Vec<String>,
    /// Bots that both versions play against; empty if they play each other.
    pub against: Vec<String>,
    /// Players in a match; `None` for two.
    pub players: Option<usize>,
    /// Matches of the tuning.
    pub matches: u64,
    /// Matches of the verification after it; `None` for a quarter of the tuning's.
    pub verify: Option<u64>,
    /// The folder for the results.
    pub out: PathBuf,
    /// The seed from which those of all matches follow; `None` for that of the journal in `out`, or
    /// for a new one.
    pub seed: Option<Seed>,
}
