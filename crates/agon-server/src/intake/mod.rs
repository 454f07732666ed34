//! From what an author sends to a version that plays.
//!
//! | module | contents |
//! | --- | --- |
//! | `files` | the files of a bot in memory, with limits |
//! | `archive` | unpacks zip and tar archives, which may be hostile |
//! | `complete` | adds what a starter kit has and the author left out |
//! | `build` | builds a bot in the sandbox, and examines it |
//! | `queue` | builds one version after another |

pub(crate) mod archive;
pub(crate) mod build;
pub(crate) mod complete;
pub(crate) mod files;
pub(crate) mod queue;
