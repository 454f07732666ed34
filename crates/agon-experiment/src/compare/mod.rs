//! Is the new version of a bot better than the old one?
//!
//! | module | noun |
//! | --- | --- |
//! | `options` | what is asked |
//! | `design` | which matches each seed has |
//! | `judge` | the test, and what it says of the results |
//! | `trial` | the matches in order: what is next, what counts; all of it without playing |
//! | `simulation` | proof that trials err as rarely as they say |
//! | `setup` | what a comparison needs before its first match |
//! | `played` | a match that is over |
//! | `journal` | the file of results |
//! | `job_source` | a trial that a pool plays |
//! | `faults`, `sameness` | what else is noted of the matches that count |

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
pub use judge::{Judge, Report, Tally};
pub use options::{CompareOptions, TestOptions};
pub use played::{Arrival, Played, SeatFaults};
pub use replays::Replays;
pub use sameness::Sameness;
pub use setup::{Files, Setup};
pub use trial::{Counted, Trial};
pub use verdict::Verdict;
