//! Tasks that keep the server well as long as it runs: they follow the room on the disk, count the
//! blobs, remove what is old (`retention`), and complete erasures of people (`erasures`).

mod erasures;
mod retention;

use std::{fs, io, path::Path, sync::Arc, time::Duration};

use tokio::{task::spawn_blocking, time::sleep};
use tracing::{info, warn};

use crate::{metrics::whole, play::SlotUse, shared::Shared};

pub(crate) use erasures::erase_matches;
pub(crate) use retention::Keep;

/// How often the room on the disk is looked up.
const ROOM_EVERY: Duration = Duration::from_secs(1);

/// How often the blobs are counted: there may be millions.
const BLOBS_EVERY: Duration = Duration::from_secs(600);

/// Starts all tasks.
pub(crate) fn start(shared: &Shared, slots: &Arc<SlotUse>, keep: Keep) {
    drop(tokio::spawn(watch_room(shared.clone())));
    drop(tokio::spawn(count_again_and_again(shared.clone())));
    drop(tokio::spawn(erasures::run(shared.clone())));
    drop(tokio::spawn(retention::run(shared.clone(), Arc::clone(slots), keep)));
}

/// Counts the blobs until the server stops.
async fn count_again_and_again(shared: Shared) {
    loop {
        let folder = shared.site.data.join("blobs");
        match spawn_blocking(move || count(&folder)).await {
            Ok(Ok((files, bytes))) => {
                shared.metrics.state.blobs.set(whole(files));
                shared.metrics.state.blob_bytes.set(whole(bytes));
            }
            Ok(Err(error)) => warn!("the blobs cannot be counted: {error}"),
            Err(error) => warn!("the blobs cannot be counted: {error}"),
        }
        tokio::select! {
            () = sleep(BLOBS_EVERY) => {}
            () = shared.ended() => return,
        }
    }
}

/// Returns how many files there are in the folders of a folder, and their size in bytes.
fn count(folder: &Path) -> io::Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for part in fs::read_dir(folder)? {
        let part = part?;
        if !part.file_type()?.is_dir() {
            continue;
        }
        for file in fs::read_dir(part.path())? {
            // One that was removed meanwhile does not count.
            let Ok(file) = file.and_then(|file| file.metadata()) else { continue };
            files += 1;
            bytes += file.len();
        }
    }
    Ok((files, bytes))
}

/// Follows the room until the server stops.
async fn watch_room(shared: Shared) {
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
            () = sleep(ROOM_EVERY) => {}
            () = shared.ended() => return,
        }
    }
}
