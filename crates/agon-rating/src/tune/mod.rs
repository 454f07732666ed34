//! Finds good values of a bot's parameters from wins and losses.
//!
//! `agon tune` plays the matches (`agon_contest::tune`); this module chooses the values to try.
//!
//! All functions are pure: they depend only on results, without I/O, clock or threads. Random
//! numbers are drawn from a [`Seed`](struct@agon_core::Seed). Results count in the planned order of
//! their matches, so the number of matches at a time does not matter.
//!
//! - [`Param`]: a parameter and the values that it may take
//! - [`Tuner`]: duels out, results in, in any order; the method (SPSA) with its [`Gains`]
//! - [`Verdict`]: how much better one version is than another, with an interval
//!
//! ```
//! use agon_core::Seed;
//! use agon_rating::tune::{Gains, Param, Tuner};
//!
//! let low: Param = "low=5..40".parse()?;
//! let mut tuner = Tuner::new(vec![low], vec![30], Gains::default(), 500, Seed(1));
//! // The version nearer to 12 wins.
//! let distance = |values: &[i64]| (values[0] - 12).abs();
//! while let Some(duel) = tuner.next_duel() {
//!     let (plus, minus) = (distance(&duel.plus), distance(&duel.minus));
//!     tuner.result(duel.number, (minus - plus).signum() as f64);
//! }
//! assert!((9..=15).contains(&tuner.best()[0]), "{:?}", tuner.best());
//! # Ok::<(), agon_rating::tune::ParseParamError>(())
//! ```

mod param;
mod tuner;

pub use param::{Param, ParseParamError};
pub use tuner::{Duel, Gains, Tuner, Verdict, WINDOW};
