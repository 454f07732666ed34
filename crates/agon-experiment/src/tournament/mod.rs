//! Plays a tournament in its folder, for `agon tournament`. A stopped one continues from its
//! results.
//!
//! | module | noun |
//! | --- | --- |
//! | `bots` | the bots of a plan, ready to play |
//! | `roster` | which bots of a plan can play, and which are left out |
//! | `folder` | the folder of a tournament |
//! | `known` | results of other runs, which are reused |
//! | `held` | which results in the journal still hold |
//! | `job_source` | hands the matches to a pool, and keeps their results |
//! | `run` | [`Tournament`]: from a plan and a folder to the last result |

mod bots;
mod folder;
mod held;
mod job_source;
mod known;
mod roster;
mod run;

pub use bots::Bots;
pub use folder::Folder;
pub use job_source::Watcher;
pub use run::{KeepReplays, RunOptions, Shard, Tournament};
