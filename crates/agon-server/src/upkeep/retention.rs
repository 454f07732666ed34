//! Removes what is old: replays, what bots wrote, sessions, links, entries of the log.
//!
//! It goes in small steps, each of which can be interrupted: a step that was is done again. While
//! all slots play, and while a backup is made, it waits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agon_arena::SlotCounts;
use tokio::{task::spawn_blocking, time::sleep};
use tracing::{info, warn};

use crate::store::retention::{Aged, remove_logs, remove_replays};
use crate::store::{audit, links, now, sessions};
use crate::{backup::may_remove_blobs, play::SlotUse, shared::Shared};

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

/// The most matches of a step.
const STEP: u32 = 64;

/// The pause after a step.
const PAUSE: Duration = Duration::from_secs(1);

/// The pause if nothing is old.
const LONG_PAUSE: Duration = Duration::from_secs(60);

/// How long it waits for a slot without a match. A server that is busy for longer always is.
const PATIENCE: Duration = Duration::from_secs(600);

/// How often the other tables are cleaned.
const CLEAN_EVERY: Duration = Duration::from_secs(3600);

/// Removes what is old until the server stops.
pub(super) async fn run(shared: Shared, slots: Arc<SlotUse>, keep: Keep) {
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
            true => step(&shared, keep).await,
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
async fn step(shared: &Shared, keep: Keep) -> Duration {
    let mut pause = LONG_PAUSE;
    for arena in shared.arenas() {
        match step_in(shared, arena.id(), keep).await {
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
async fn step_in(shared: &Shared, arena: i64, keep: Keep) -> anyhow::Result<bool> {
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
) -> anyhow::Result<Vec<Aged>> {
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
) -> anyhow::Result<u64> {
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
