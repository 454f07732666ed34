//! Plays a tournament in its folder, from where it ended.
//!
//! | module | noun |
//! | --- | --- |
//! | `bots` | the bots of a plan, ready to play |
//! | `folder` | the folder of a tournament |
//! | `known` | results that are known already |
//! | `held` | which results of earlier runs still hold |
//! | `job_source` | plays the matches of the schedule and keeps their results |
//! | `run` | [`Tournament`]: from a plan and a folder to the last result |

mod bots;
mod folder;
mod held;
mod job_source;
mod known;
mod run;

pub use bots::Bots;
pub use folder::Folder;
pub use job_source::Watcher;
pub use run::{KeepReplays, RunOptions, Tournament};
