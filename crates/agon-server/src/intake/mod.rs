//! From what an author sends to a version that plays.
//!
//! | module | contents |
//! | --- | --- |
//! | `packed` | the files of a bot as one blob |
//! | `complete` | adds what a starter kit has and the author left out |
//! | `build` | builds a bot in the sandbox, and examines it |
//! | `lanes` | shares out the places for builds and trial matches |
//! | `queue` | builds versions, several at a time |

pub(crate) mod build;
pub(crate) mod complete;
pub(crate) mod lanes;
pub(crate) mod packed;
pub(crate) mod queue;
