//! Finds out whether the new version of a bot is better than the old one, for `agon compare`.
//!
//! | module | noun |
//! | --- | --- |
//! | `options` | what the user asked for |
//! | `game` | the game, if the command line names none |
//! | `bots` | both versions and their opponents |
//! | `design` | which matches each seed has |
//! | `judge` | the statistical test |
//! | `trial` | the matches in planned order: what is next, what counts; all of it without playing |
//! | `simulation` | tests that trials err as rarely as they promise |
//! | `setup` | preparations before the first match |
//! | `played` | what is kept of a match |
//! | `journal` | the file of results |
//! | `replays` | the folder of replays |
//! | `job_source` | hands the matches of a trial to a pool, and takes the results |
//! | `faults`, `sameness` | what else is noted of the matches that count |
//! | `verdict` | how a comparison ended |

mod bots;
mod design;
mod faults;
mod game;
mod job_source;
mod journal;
mod judge;
mod options;
mod played;
mod replays;
mod sameness;
mod setup;
#[cfg(test)]
mod simulation;
mod trial;
mod verdict;

pub use bots::Bots;
pub use design::{Design, NEW, OLD};
pub use faults::{BotFaults, FaultCase, FaultList};
pub use game::game;
pub use job_source::{Comparison, Results, Standing, Watcher};
pub use judge::{Judge, Question, Report, Tally};
pub use options::{CompareOptions, TestOptions};
pub use played::{Arrival, Played, SeatFaults};
pub use replays::Replays;
pub use sameness::Sameness;
pub use setup::{Files, Setup};
pub use trial::{Counted, Trial};
pub use verdict::Verdict;
