//! From what an author sends to a version that plays.
//!
//! | module | contents |
//! | --- | --- |
//! | `complete` | adds what a starter kit has and the author left out; the files as one blob |
//! | `build` | builds a bot in the sandbox, and examines it |
//! | `queue` | builds versions, several at a time |
//! | `lanes` | shares out the places for builds and trial matches |

pub(crate) mod build;
pub(crate) mod complete;
pub(crate) mod lanes;
pub(crate) mod queue;
