//! Plays many matches side by side.
//!
//! | module | noun |
//! | --- | --- |
//! | `bot_entry` | [`BotEntry`]: a bot that will play often |
//! | `job` | [`Job`]: a match to be played; [`Finished`]: how it ended |
//! | `job_source` | [`JobSource`]: says what is played next |
//! | `runner` | [`Runner`]: workers, each on a core |
//! | `worker` | what a worker does with a job |
//!
//! ```
//! use std::{convert::Infallible, sync::{Arc, atomic::AtomicBool}};
//!
//! use agon_core::Seed;
//! use agon_games::cluster::Cluster;
//! use agon_match::Control;
//! use agon_runner::{BotEntry, Finished, Job, JobSource, RunError, Runner, RunnerOptions};
//!
//! /// Ten matches of the same two bots.
//! struct Ten {
//!     bots: Vec<Arc<BotEntry>>,
//!     begun: u64,
//!     points: u64,
//! }
//!
//! impl JobSource for Ten {
//!     type Error = RunError;
//!
//!     fn next(&mut self) -> Result<Option<Job>, RunError> {
//!         self.begun += 1;
//!         let (ticket, seed) = (self.begun, Seed(self.begun));
//!         let job = Job { ticket, seed, seats: self.bots.clone(), record: false };
//!         Ok((self.begun <= 10).then_some(job))
//!     }
//!
//!     fn over(&mut self, finished: Finished) -> Result<Control, RunError> {
//!         self.points += u64::from(finished.result.standing.players[0].place == 1);
//!         Ok(Control::Continue)
//!     }
//! }
//!
//! let bots = ["builtin:greedy", "builtin:random"].map(|text| text.parse().expect("names a bot"));
//! let bots = bots.into_iter().map(BotEntry::of).collect::<Result<_, _>>();
//! let bots = bots.expect("they are there");
//! let mut ten = Ten { bots, begun: 0, points: 0 };
//! let runner = Runner::<Cluster>::new(Default::default(), RunnerOptions::default());
//! runner.run(&mut ten, &AtomicBool::new(false))?;
//! assert!(ten.points > 5);
//! # Ok::<(), RunError>(())
//! ```

mod bot_entry;
mod error;
mod job;
mod job_source;
mod runner;
mod worker;

pub use bot_entry::BotEntry;
pub use error::RunError;
pub use job::{Finished, Job};
pub use job_source::JobSource;
pub use runner::{End, Runner, RunnerOptions};
