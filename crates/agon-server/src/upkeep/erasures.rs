//! Completes erasures of people, and removes blobs that nothing names any more.
//!
//! What is to be done is in the database, so a crash interrupts nothing for good.

use std::{fs, io, path::Path, time::Duration};

use anyhow::{Context, Result};
use tokio::{task::spawn_blocking, time::sleep};
use tracing::{info, warn};

use crate::database::{DatabaseError, Statement};
use crate::store::erasure::Erasure;
use crate::store::{erasure, now, retention};
use crate::{backup::may_remove_blobs, shared::Shared};

/// How often it looks, if nobody says that there is something to do.
const EVERY: Duration = Duration::from_secs(10);

/// The most blobs of a step.
const STEP: u32 = 64;

/// Requests that had begun before an erasure have ended after this time, in milliseconds: an upload
/// may take two minutes.
const GRACE: i64 = 150 * 1000;

/// Completes erasures until the server stops.
pub(super) async fn run(shared: Shared) {
    loop {
        if let Err(problem) = step(&shared).await {
            warn!("an erasure cannot be completed: {problem:#}");
            shared.problems.note("erasure", &format!("{problem:#}"));
        }
        tokio::select! {
            () = shared.doomed.notified() => {}
            () = sleep(EVERY) => {}
            () = shared.ended() => return,
        }
    }
}

async fn step(shared: &Shared) -> Result<()> {
    let is_clean = remove_blobs(shared).await?;
    for erasure in shared.store.erasures().await? {
        // Requests do not survive the server.
        let is_quiet = erasure.at < shared.site.since || erasure.at + GRACE < now();
        if is_clean && is_quiet {
            complete(shared, &erasure).await?;
        }
    }
    Ok(())
}

/// Removes all blobs that are to be removed; returns whether none is left.
async fn remove_blobs(shared: &Shared) -> Result<bool> {
    loop {
        let all = shared.store.doomed(STEP).await?;
        if all.is_empty() {
            return Ok(true);
        }
        let data = shared.site.data.clone();
        // A backup needs all blobs that its copy of the database names.
        let Some(_may) = spawn_blocking(move || may_remove_blobs(&data)).await?? else {
            return Ok(false);
        };
        let mut removed = 0_u32;
        for &digest in &all {
            // Nobody may begin to name it meanwhile.
            let _alone = shared.erasing.write().await;
            if !shared.store.is_named(digest).await? {
                let blobs = shared.blobs.clone();
                removed += u32::from(spawn_blocking(move || blobs.remove(digest)).await??);
            }
        }
        let blobs = shared.blobs.clone();
        spawn_blocking(move || blobs.sync()).await??;
        let done: Vec<Statement> = all.into_iter().map(retention::removed).collect();
        shared.store.write(done).await?;
        info!(removed, "blobs that nobody needs were removed");
    }
}

/// Removes what requests have written that had begun before a person was erased, and all other
/// traces.
async fn complete(shared: &Shared, erasure: &Erasure) -> Result<()> {
    {
        let _alone = shared.erasing.write().await;
        let person = shared.store.person_of(erasure.person).await?;
        let person = person.context("a person who was erased is missing")?;
        let traces = shared.store.traces(&person).await?;
        shared.store.write(erasure.statements(&traces)).await?;
    }
    erase_matches(shared, erasure).await?;
    if !remove_blobs(shared).await? {
        return Ok(());
    }
    let cache = shared.site.data.join("cache");
    spawn_blocking(move || empty(&cache)).await?.context("the cache cannot be emptied")?;
    shared.store.forget().await?;
    shared.store.write(vec![erasure::complete(erasure.person)]).await?;
    info!(person = erasure.person, "an erasure is complete");
    Ok(())
}

/// Removes what a person's bots wrote in their matches, a part after the other.
pub(crate) async fn erase_matches(shared: &Shared, erasure: &Erasure) -> Result<(), DatabaseError> {
    for version in shared.store.versions_of(erasure.person).await? {
        let mut after = 0;
        loop {
            // Nobody may change one of these matches meanwhile.
            let _alone = shared.erasing.write().await;
            match shared.store.erase_part(version, after, erasure.at).await? {
                Some(last) => after = last,
                None => break,
            }
        }
    }
    Ok(())
}

/// Removes compiled bots from the cache: nobody can tell whose they are. Those that play are
/// compiled again.
fn empty(cache: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(cache) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
