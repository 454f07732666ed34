//! Tasks that keep the server well as long as it runs: they follow the room on the disk, count the
//! blobs, remove what is old, and complete erasures of people.

use std::time::{Duration, Instant};
use std::{fs, io, path::Path, sync::Arc};

use agon_arena::SlotCounts;
use anyhow::{Context, Result};
use tokio::{task::spawn_blocking, time::sleep};
use tracing::{info, warn};

use crate::database::{DatabaseError, Statement};
use crate::store::erasure::Erasure;
use crate::store::retention::{self, Aged, remove_logs, remove_replays};
use crate::store::{audit, erasure, links, now, sessions};
use crate::{
    backup::may_remove_blobs, health::FULL, metrics::whole, play::SlotUse, shared::Shared,
};

/// How often the room on the disk is looked up.
const ROOM_EVERY: Duration = Duration::from_secs(1);

/// How often the blobs are counted: there may be millions.
const BLOBS_EVERY: Duration = Duration::from_secs(600);

/// Starts all tasks.
pub(crate) fn start(shared: &Shared, slots: &Arc<SlotUse>, keep: Keep) {
    drop(tokio::spawn(watch_room(shared.clone())));
    drop(tokio::spawn(count_again_and_again(shared.clone())));
    drop(tokio::spawn(complete_erasures(shared.clone())));
    drop(tokio::spawn(remove_old(shared.clone(), Arc::clone(slots), keep)));
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
                shared.problems.note("disk", FULL);
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

/// How long things are kept, in days; `None` for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep {
    pub(crate) replays: Option<u32>,
    pub(crate) logs: Option<u32>,
}

/// A day in milliseconds.
const DAY: i64 = 24 * 3600 * 1000;

/// So many of the newest matches of an arena keep their replays, whatever their age.
const NEWEST: u64 = 1_000;

/// The most matches, or blobs, of a step.
const STEP: u32 = 64;

/// The pause after a step.
const PAUSE: Duration = Duration::from_secs(1);

/// The pause if nothing is old.
const LONG_PAUSE: Duration = Duration::from_secs(60);

/// How long it waits for a slot without a match. A server that is busy for longer always is.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often the other tables are cleaned.
const CLEAN_EVERY: Duration = Duration::from_secs(3600);

/// Removes what is old until the server stops: replays, what bots wrote, sessions, links, entries
/// of the audit log.
///
/// It goes in small steps, each of which can be interrupted: a step that was is done again. While
/// all slots play, and while a backup is made, it waits.
async fn remove_old(shared: Shared, slots: Arc<SlotUse>, keep: Keep) {
    let mut cleaned: Option<Instant> = None;
    let mut idle = Instant::now();
    loop {
        if cleaned.is_none_or(|at| at.elapsed() > CLEAN_EVERY) {
            cleaned = Some(Instant::now());
            clean(&shared).await;
        }
        let SlotCounts { all, playing, .. } = slots.get();
        if playing < all {
            idle = Instant::now();
        }
        let is_free = playing < all || idle.elapsed() > PATIENCE;
        let pause = match is_free {
            true => remove_old_step(&shared, keep).await,
            false => PAUSE,
        };
        tokio::select! {
            () = sleep(pause) => {}
            () = shared.ended() => return,
        }
    }
}

/// Forgets rows that nobody needs any more.
async fn clean(shared: &Shared) {
    let old = vec![
        sessions::forget_old(),
        sessions::forget_networks(),
        links::forget_old(),
        audit::forget_old(),
    ];
    if let Err(error) = shared.store.write(old).await {
        warn!("old rows cannot be removed: {error}");
    }
}

/// Does a step in each arena, and returns how long to pause.
async fn remove_old_step(shared: &Shared, keep: Keep) -> Duration {
    let mut pause = LONG_PAUSE;
    for arena in shared.arenas() {
        match remove_old_in(shared, arena.id(), keep).await {
            Ok(false) => {}
            Ok(true) => pause = PAUSE,
            Err(error) => {
                warn!("old replays cannot be removed: {error:#}");
                shared.problems.note("retention", &format!("{error:#}"));
            }
        }
    }
    pause
}

/// Does a step in an arena, and returns whether there may be more.
async fn remove_old_in(shared: &Shared, arena: i64, keep: Keep) -> Result<bool> {
    let before = shared.store.removed(arena).await?;
    let last = shared.store.last_match(arena).await?;
    let oldest = |days: u32| now() - i64::from(days) * DAY;
    let mut after = before;
    if let Some(days) = keep.replays {
        let newest = last.saturating_sub(NEWEST);
        after.replays = replay_step(shared, arena, before.replays, newest, oldest(days)).await?;
    }
    if let Some(days) = keep.logs.filter(|_| before.logs < last) {
        let old = old_after(shared, arena, before.logs, last, oldest(days)).await?;
        if let Some(last) = old.last() {
            after.logs = last.number;
            let logs = vec![remove_logs(arena, before.logs, last.number)];
            shared.store.write(logs).await?;
        }
    }
    if after == before {
        return Ok(false);
    }
    // Only now: until then the same matches are looked at again.
    shared.store.write(vec![after.note(arena)]).await?;
    Ok(true)
}

/// Returns the matches of a step: those behind `after`, up to `last`, that ended before a time.
async fn old_after(
    shared: &Shared,
    arena: i64,
    after: u64,
    last: u64,
    oldest: i64,
) -> Result<Vec<Aged>> {
    let mut old = shared.store.aged_after(arena, after, STEP).await?;
    let is_old = |aged: &&Aged| aged.number <= last && aged.ended.is_some_and(|at| at < oldest);
    let count = old.iter().take_while(is_old).count();
    old.truncate(count);
    Ok(old)
}

/// Removes replays; returns the last match whose replay is removed.
async fn replay_step(
    shared: &Shared,
    arena: i64,
    after: u64,
    newest: u64,
    oldest: i64,
) -> Result<u64> {
    let data = shared.site.data.clone();
    // A backup needs all blobs that its copy of the database names.
    let Some(_may) = spawn_blocking(move || may_remove_blobs(&data)).await?? else {
        return Ok(after);
    };
    let old = old_after(shared, arena, after, newest, oldest).await?;
    let Some(last) = old.last().map(|aged| aged.number) else { return Ok(after) };
    // First the rows, so that no page offers what is gone.
    shared.store.write(vec![remove_replays(arena, after, last, now())]).await?;
    let mut removed = 0;
    for digest in old.iter().filter_map(|aged| aged.replay) {
        if shared.store.is_named(digest).await? {
            continue;
        }
        let blobs = shared.blobs.clone();
        removed += u64::from(spawn_blocking(move || blobs.remove(digest)).await??);
    }
    shared.metrics.removed_replays.inc_by(removed);
    info!(removed, last, "old replays were removed");
    Ok(last)
}

/// How often erasures are looked for, if nobody says that there is something to do.
const ERASURES_EVERY: Duration = Duration::from_secs(10);

/// Requests that had begun before an erasure have ended after this time, in milliseconds: an upload
/// may take two minutes.
const GRACE: i64 = 150 * 1000;

/// Completes erasures of people, and removes blobs that nothing names any more, until the server
/// stops. What is to be done is in the database, so a crash interrupts nothing for good.
async fn complete_erasures(shared: Shared) {
    loop {
        if let Err(problem) = erasure_step(&shared).await {
            warn!("an erasure cannot be completed: {problem:#}");
            shared.problems.note("erasure", &format!("{problem:#}"));
        }
        tokio::select! {
            () = shared.doomed.notified() => {}
            () = sleep(ERASURES_EVERY) => {}
            () = shared.ended() => return,
        }
    }
}

async fn erasure_step(shared: &Shared) -> Result<()> {
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
    shared.store.database.forget().await?;
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
