//! Tasks that keep the server well as long as it runs.
//!
//! | module | contents |
//! | --- | --- |
//! | `room` | follows the room on the disk |
//! | `blobs` | counts the blobs |
//! | `retention` | removes what is old |
//! | `erasures` | completes erasures of people, and removes blobs that nothing names |

mod blobs;
mod erasures;
mod retention;
mod room;

use std::sync::Arc;

pub(crate) use erasures::erase_matches;
pub(crate) use retention::Keep;

use crate::{play::SlotUse, shared::Shared};

/// Starts all tasks.
pub(crate) fn start(shared: &Shared, slots: &Arc<SlotUse>, keep: Keep) {
    drop(tokio::spawn(room::watch(shared.clone())));
    drop(tokio::spawn(blobs::count_again_and_again(shared.clone())));
    drop(tokio::spawn(erasures::run(shared.clone())));
    drop(tokio::spawn(retention::run(shared.clone(), Arc::clone(slots), keep)));
}
