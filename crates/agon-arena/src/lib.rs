//! The arena: plays matches that are described as plain data.
//!
//! The unit of work is a [`MatchSpec`](agon_match::spec::MatchSpec). Playing it makes a
//! [`MatchOutcome`](agon_match::spec::MatchOutcome). A [`Pool`] plays many of them side by side for
//! any number of clients, such as comparisons and tournaments. [`MatchSetup`] plays one match with
//! observers, as for `agon play`.
//!
//! | module | contents |
//! | --- | --- |
//! | `play` | [`MatchSetup`]: one match, its void attempts and its replay |
//! | `pool`, `worker` | [`Pool`]: workers that live on, and their [`Client`]s |
//! | `match_queue` | [`MatchQueue`]: where [`Job`]s are played; the loop that plays all of a [`JobSource`] |
//! | `log` | [`LogFolder`]: an observer that writes what bots cost and say |
//! | `cores` | [`CoreLease`]: shares processor cores out |
//! | `bot_entry` | [`BotEntry`]: a bot that plays many matches; opens it by a match's settings |
//! | `store`, `bundle` | [`BlobStore`]: files by their content; bots as one file |
//! | `recheck` | [`recheck()`]: asks a bot its recorded questions again |
//! | `resolve` | [`resolve()`]: the bots of a spec that came from elsewhere |
//! | `drawn_seed` | a seed from the system's random numbers, if nobody names one |
//! | `notice` | [`Notice`]: what people should know while matches are played |
//!
//! ```
//! use std::sync::Arc;
//!
//! use agon_arena::{ArenaError, BotEntry, Job, JobSource, Next, Pool};
//! use agon_core::Seed;
//! use agon_games::GameId;
//! use agon_match::Control;
//! use agon_match::spec::{MatchOutcome, MatchSettings, MatchSpec};
//!
//! /// Ten matches of the same two bots.
//! struct Ten {
//!     spec: MatchSpec,
//!     bots: Vec<Arc<BotEntry>>,
//!     begun: u64,
//!     wins: u64,
//! }
//!
//! impl JobSource for Ten {
//!     type Error = ArenaError;
//!
//!     fn next(&mut self) -> Result<Next, ArenaError> {
//!         if self.begun == 10 {
//!             return Ok(Next::Done);
//!         }
//!         self.begun += 1;
//!         let seed = Seed(self.begun);
//!         Ok(Next::Job(Job::new(self.begun, &self.spec, seed, self.bots.clone())))
//!     }
//!
//!     fn over(
//!         &mut self,
//!         _: u64,
//!         outcome: MatchOutcome,
//!         _: Option<Vec<u8>>,
//!     ) -> Result<Control, ArenaError> {
//!         self.wins += u64::from(outcome.result.standing.players[0].place == 1);
//!         Ok(Control::Continue)
//!     }
//! }
//!
//! let bots = ["builtin:greedy", "builtin:random"].map(|text| text.parse().expect("names a bot"));
//! let bots: Vec<_> = bots.into_iter().map(BotEntry::of).collect::<Result<_, _>>()?;
//! let rules = GameId::Cluster.kind().default_rules();
//! let spec = MatchSpec::new(GameId::Cluster, rules, MatchSettings::default());
//! let mut ten = Ten { spec, bots, begun: 0, wins: 0 };
//! Pool::new(Default::default()).client(Arc::default()).run(&mut ten)?;
//! assert!(ten.wins > 5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bot_entry;
mod bundle;
mod cores;
mod drawn_seed;
mod error;
mod log;
mod match_queue;
mod notice;
mod play;
mod pool;
mod recheck;
mod resolve;
mod store;
mod worker;

pub use bot_entry::{BotEntry, Hosts, Opener, host_options, try_open};
pub use bundle::{Bundle, BundleError};
pub use cores::{CoreLease, core_for};
pub use drawn_seed::drawn_seed;
pub use error::ArenaError;
pub use log::{LogError, LogFolder};
pub use match_queue::{End, Finished, Job, JobSource, MatchQueue, Next, SlotCounts, play_all};
pub use notice::{Notice, Tell};
pub use play::{MatchSetup, PlayedMatch, ReplayTarget, play_opened};
pub use pool::{Client, Pool, PoolOptions, Submitter};
pub use recheck::{AnswerDifference, Recheck, Seated, answer_json, recheck};
pub use resolve::{ResolveError, resolve, unpacked};
pub use store::BlobStore;
pub use worker::WaitWatcher;
