//! The event of a tuning. `agon tune` prints it at the end.

use agon_core::Seed;
use schemars::JsonSchema;
use serde::Serialize;

/// A tuning that is over or was interrupted.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TunedBot<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The seed that the seeds of all matches follow from.
    pub seed: Seed,
    /// The bot with the best values.
    pub bot: String,
    /// The parameters.
    pub params: Vec<TunedParam<'a>>,
    /// Completed matches, with the verification.
    pub matches: u64,
    /// Matches in which the tuned bot committed a fault.
    pub faulty_matches: u64,
    /// Matches that the best values follow from.
    pub tuned_with: u64,
    /// Whether the tuning was interrupted.
    pub interrupted: bool,
    /// How the best values played against the starting ones; `null` before they did.
    pub verdict: Option<TuningVerdict>,
}

/// A parameter. Values are texts, as the bot takes them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TunedParam<'a> {
    /// Its name.
    pub name: &'a str,
    /// The parameter with its range, as `--param` takes it.
    pub range: String,
    /// The starting value.
    pub start: String,
    /// The best value.
    pub best: String,
    /// The mean value in the last quarter of the tuning.
    pub mean: String,
    /// Always `null`: one run does not show how far other runs would end from this one.
    pub deviation: (),
}

/// How the best values played against the starting ones.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TuningVerdict {
    /// Duels between the two versions.
    pub duels: usize,
    /// Matches in these duels.
    pub matches: u64,
    /// The mean difference in points per match, from -1 to 1; above 0 the best values are better.
    pub difference: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end of its 95 % interval.
    pub high: f64,
    /// The difference in Elo points. The key is absent if the versions played against other bots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo: Option<EloDifference>,
}

/// A difference in Elo points. An infinite number is written as `null`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EloDifference {
    /// The mean; `null` if one version won all matches.
    #[schemars(with = "Option<f64>")]
    pub mean: f64,
    /// The lower end of its 95 % interval.
    #[schemars(with = "Option<f64>")]
    pub low: f64,
    /// The upper end of its 95 % interval.
    #[schemars(with = "Option<f64>")]
    pub high: f64,
}
