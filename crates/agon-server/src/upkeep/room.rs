//! Follows the room on the disk with the server's folder.

use std::time::Duration;

use tokio::time::sleep;
use tracing::{info, warn};

use crate::shared::Shared;

/// How often the room is looked up.
const EVERY: Duration = Duration::from_secs(1);

/// Follows the room until the server stops.
pub(super) async fn watch(shared: Shared) {
    let (mut was_low, mut is_told) = (false, false);
    loop {
        let disk = &shared.disk;
        if let Ok(room) = disk.room() {
            let is_low = disk.note(room);
            if is_low && !was_low {
                warn!("{}", disk.warning());
                shared.problems.note("disk", crate::disk::FULL);
            } else if was_low && !is_low {
                info!("there is room on the disk again");
            }
            was_low = is_low;
            if let Err(error) = disk.fill_reserve(room)
                && !is_told
            {
                // Some file systems do not reserve room.
                info!("no room can be reserved: {error}");
                is_told = true;
            }
        }
        tokio::select! {
            () = sleep(EVERY) => {}
            () = shared.ended() => return,
        }
    }
}
