//! Plays a tournament in its folder, for `agon tournament`. A stopped one continues from its
//! results.
//!
//! | module | contents |
//! | --- | --- |
//! | `bots` | the bots of a plan, ready to play, and results of other runs |
//! | `roster` | which bots of a plan can play, and which are left out |
//! | `folder` | the folder of a tournament |
//! | `run` | [`Tournament`]: from a plan and a folder to the last result |

mod bots;
mod folder;
mod roster;
mod run;

pub use bots::Bots;
pub use folder::{Folder, Shard};
pub use run::{KeepReplays, RunOptions, Tournament, Watcher};
