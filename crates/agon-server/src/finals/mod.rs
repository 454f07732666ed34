//! Finals: tournaments on the versions that play when a season is over.
//!
//! A final is played in an arena of its own, with copies of the versions: so it has all pages that
//! other arenas have, and a table of its own. [`agon_ladder::ledger::Draw`] says how its
//! seed is drawn.
//!
//! | module | contents |
//! | --- | --- |
//! | `promise` | the settings of a final, and the server's secret |
//! | `close` | fixes what the seed is made of |
//! | `open` | makes the arena in which the final is played |

mod close;
mod open;
pub(crate) mod promise;

use std::time::Duration;

use agon_ladder::ledger::{Draw, LINKS, chain, from_hex, to_hex};
use anyhow::{Context, Result};
use tokio::{
    task::{JoinHandle, spawn_blocking},
    time::sleep,
};
use tracing::{error, info};

use crate::{
    arena_handle::ArenaHandle,
    play::Orders,
    shared::Shared,
    store::{finals, now},
};

/// How often the server looks whether a season is over.
const LOOKS_EVERY: Duration = Duration::from_secs(1);

/// How long it waits after a failure.
const REST: Duration = Duration::from_secs(10);

/// How often a draw's hashes are written, in parts.
const KEPT_EVERY: usize = 4;

/// How far a final is.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// There is nothing to do yet.
    Waits,
    /// Something was done, and the next thing can be.
    Next,
    /// The final is played in its own arena: nothing is left to do here.
    Done,
}

/// Has the final of an arena drawn and played, once its season is over.
pub(crate) fn watch(shared: Shared, orders: Orders, arena: ArenaHandle) -> JoinHandle<()> {
    tokio::spawn(async move {
        loop {
            let pause = match step(&shared, &orders, &arena).await {
                Ok(Step::Done) => return,
                Ok(Step::Next) => Duration::ZERO,
                Ok(Step::Waits) => LOOKS_EVERY,
                Err(problem) => {
                    error!("the final of an arena cannot be drawn: {problem:#}");
                    shared.problems.note("final", &format!("{problem:#}"));
                    REST
                }
            };
            tokio::select! {
                () = sleep(pause) => {}
                () = shared.ended() => return,
            }
        }
    })
}

async fn step(shared: &Shared, orders: &Orders, arena: &ArenaHandle) -> Result<Step> {
    let of = arena.get();
    let Some(settings) = of.settings.finals else { return Ok(Step::Waits) };
    let drawn = shared.store.final_draw(arena.id()).await?;
    let drawn = drawn.context("the secret of the final is missing")?;
    if drawn.played_in.is_some() {
        return Ok(Step::Done);
    }
    match drawn.draw {
        None => match of.settings.season.is_over(now()) && close::is_quiet(shared, arena).await? {
            true => close::close(shared, arena, &settings, drawn.secret).await,
            false => Ok(Step::Waits),
        },
        Some(draw) if draw.links.len() < LINKS => hash(shared, arena, draw).await,
        Some(draw) => open::open(shared, orders, arena, &draw).await,
    }
}

/// Computes the next parts of a draw's hashes.
async fn hash(shared: &Shared, arena: &ArenaHandle, mut draw: Draw) -> Result<Step> {
    let steps = draw.inputs.steps_of_part()?;
    while draw.links.len() < LINKS {
        for _ in 0..KEPT_EVERY.min(LINKS - draw.links.len()) {
            let last = match draw.links.last() {
                None => draw.inputs.start(),
                Some(last) => from_hex(last).context("the hashes of a final are damaged")?,
            };
            let next = spawn_blocking(move || chain(last, steps)).await?;
            draw.links.push(to_hex(&next));
            if shared.is_ending() {
                return Ok(Step::Waits);
            }
        }
        shared.store.write(vec![finals::keep_links(arena.id(), &draw.links)]).await?;
    }
    info!(arena = arena.get().slug, "the seed of a final is computed");
    Ok(Step::Next)
}
