//! Counts the blobs, for the figures.

use std::{fs, io, path::Path, time::Duration};

use tokio::{task::spawn_blocking, time::sleep};
use tracing::warn;

use crate::{metrics::whole, shared::Shared};

/// How often the blobs are counted: there may be millions.
const EVERY: Duration = Duration::from_secs(600);

/// Counts the blobs until the server stops.
pub(super) async fn count_again_and_again(shared: Shared) {
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
            () = sleep(EVERY) => {}
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
