//! The options of a comparison, as `agon compare` takes them from the command line.

use std::path::PathBuf;

use agon_core::Seed;
use agon_rating::EloModel;

use super::Design;

/// The default size of an improvement, in Elo points and in score per match.
const ELO1: f64 = 20.0;
const SCORE1: f64 = 0.05;

/// Options of a comparison beside the bots and the settings of the game.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions {
    /// Players in a match; `None` for two, or as many as the game needs.
    pub players: Option<usize>,
    /// The test.
    pub test: TestOptions,
    /// The seed from which those of all matches follow; `None` for that of the journal in `out`, or
    /// for a new one.
    pub seed: Option<Seed>,
    /// The folder for replays of the matches that count.
    pub replays: Option<PathBuf>,
    /// The folder for the results, with which the comparison can be continued.
    pub out: Option<PathBuf>,
}

/// The question of a comparison and the required certainty. Fields have the names of the flags.
#[derive(Clone, Debug, PartialEq)]
pub struct TestOptions {
    /// This many Elo points or fewer are no improvement; `None` for 0.
    pub elo0: Option<f64>,
    /// This many Elo points or more are an improvement; `None` for 20.
    pub elo1: Option<f64>,
    /// Whether Elo points are normalised ones.
    pub normalized: bool,
    /// In a field or against a pool, this much more score is an improvement; `None` for 0.05.
    pub score1: Option<f64>,
    /// The greatest probability of calling something an improvement that is none.
    pub alpha: f64,
    /// The greatest probability of missing an improvement.
    pub beta: f64,
    /// The most matches; `None` for as many as it takes.
    pub max: Option<u64>,
}

impl Default for TestOptions {
    fn default() -> TestOptions {
        TestOptions {
            elo0: None,
            elo1: None,
            normalized: false,
            score1: None,
            alpha: 0.05,
            beta: 0.05,
            max: None,
        }
    }
}

impl TestOptions {
    /// Returns the greatest difference that is no improvement, and the least one that is an
    /// improvement.
    ///
    /// They are in Elo points, or in score per match.
    pub fn bounds(&self, design: Design) -> (f64, f64) {
        match design {
            Design::Mirror => (self.elo0.unwrap_or(0.0), self.elo1.unwrap_or(ELO1)),
            Design::Field { .. } | Design::Pool { .. } => (0.0, self.score1.unwrap_or(SCORE1)),
        }
    }

    /// Returns the scale of Elo points.
    pub fn model(&self) -> EloModel {
        if self.normalized { EloModel::Normalized } else { EloModel::Logistic }
    }
}
