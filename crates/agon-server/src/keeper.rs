//! Keeps the boards of arenas up to date, and publishes their tables.

use std::time::{Duration, Instant};

use agon_ladder::ledger::{Entry as LogEntry, Table};
use agon_match::spec::Digest;
use tokio::{task::JoinHandle, time::sleep};
use tracing::error;

use crate::{
    arena_handle::ArenaHandle,
    board::Board,
    play::{Order, Orders},
    shared::Shared,
    store::{counts, ledger, now},
};

/// How long a board is shown at least.
const LASTS: Duration = Duration::from_millis(300);

/// A board is not made more often than it takes this many times as long to make it.
const SHARE: u32 = 10;

/// Has an arena's pages kept up to date, and its matches played.
pub(crate) fn watch(shared: &Shared, orders: &Orders, arena: &ArenaHandle) {
    drop(keep(shared.clone(), arena.clone()));
    drop(publish(shared.clone(), arena.clone()));
    orders.send(Order::Refresh { arena: arena.id() });
}

/// Keeps the board of an arena up to date.
fn keep(shared: Shared, arena: ArenaHandle) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let began = Instant::now();
            match Board::read(&shared.store, &arena.get(), &arena.board()).await {
                Ok(board) => arena.show(board),
                Err(problem) => {
                    error!("the board of an arena cannot be made: {problem}");
                    shared.problems.note("board", &problem.to_string());
                    sleep(Duration::from_secs(1)).await;
                    continue;
                }
            }
            sleep(LASTS.max(began.elapsed() * SHARE)).await;
            tokio::select! {
                () = arena.touched() => {}
                () = shared.ended() => return,
            }
        }
    })
}

/// How long a published table stays at least.
const PUBLISHED: Duration = Duration::from_secs(10);

/// How long it stays at most if there are new results.
const PUBLISHED_MOST: Duration = Duration::from_secs(600);

/// Publishes the table of an arena again and again.
fn publish(shared: Shared, arena: ArenaHandle) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let began = Instant::now();
            if let Err(problem) = publish_once(&shared, &arena).await {
                error!("the table of an arena cannot be published: {problem:#}");
                shared.problems.note("published table", &format!("{problem:#}"));
            }
            let pause = (began.elapsed() * 50).clamp(PUBLISHED, PUBLISHED_MOST);
            tokio::select! {
                () = sleep(pause) => {}
                () = shared.ended() => return,
            }
        }
    })
}

/// Publishes the table of an arena if there are new results.
///
/// # Errors
/// If the database fails, or the results cannot be rated.
pub(crate) async fn publish_once(shared: &Shared, arena: &ArenaHandle) -> anyhow::Result<()> {
    let _alone = arena.publish_alone().await;
    let matches = shared.store.totals(arena.id()).await?.matches;
    let last = shared.store.published_when(arena.id()).await?;
    if matches == last.map_or(0, |(matches, _)| matches) {
        return Ok(());
    }
    let (size, results) = shared.store.counted_results(arena.id()).await?;
    let id = arena.id().cast_unsigned();
    let table = tokio::task::spawn_blocking(move || Table::of(id, size, results)).await??;
    let body = table.text();
    let digest = Digest::of(body.as_bytes());
    let logged = ledger::append(&LogEntry::Table { arena: id, size, digest });
    let publish = counts::publish(arena.id(), matches, now(), body);
    shared.store.write(vec![logged, publish]).await?;
    arena.touch();
    Ok(())
}
