//! Plays a tournament in its folder, for `agon tournament`. A stopped one continues from its
//! results.
//!
//! | module | contents |
//! | --- | --- |
//! | `bots` | the bots of a plan: which can play, which are left out; results of other runs |
//! | `folder` | the folder of a tournament |
//! | `run` | [`Tournament`]: from a plan and a folder to the last result |

mod bots;
mod folder;
mod run;

pub use bots::Bots;
pub use folder::{Folder, Shard};
pub use run::{KeepReplays, RunOptions, Tournament, Watcher};
