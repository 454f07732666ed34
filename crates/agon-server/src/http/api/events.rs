//! Server-sent events: the table has changed, a match is over, a version has another state.

use std::{collections::BTreeMap, convert::Infallible, time::Duration};

use agon_ladder::api::{MatchEvent, TableEvent, VersionEvent, VersionState};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::{broadcast, watch};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{call::Streamed, prelude::*};
use crate::{store::Stored, store::versions::State};

/// How often the states of the caller's own versions are looked at, and the most tables a second.
const LOOK: Duration = Duration::from_secs(1);

/// The latest versions whose states are looked at.
const LATEST: u32 = 10;

/// What somebody follows.
struct Follower {
    app: App,
    arena: ArenaHandle,
    /// The person whose versions are looked at.
    person: Option<i64>,
    board: watch::Receiver<std::sync::Arc<Board>>,
    matches: broadcast::Receiver<u64>,
    look: Interval,
    /// The states of the person's versions, by bot and number.
    states: Option<BTreeMap<(String, u32), VersionState>>,
    /// Events that are to be sent.
    waiting: Vec<Event>,
}

pub(super) async fn events(call: Call<ArenaPath>) -> Shown<Streamed> {
    let Call { app, visitor, path, .. } = call;
    let arena = views::arena(&app, &path.arena)?;
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut board = arena.boards.subscribe();
    // The first event says what is there now.
    board.mark_changed();
    let follower = Follower {
        person: visitor.person.as_ref().map(|person| person.id),
        board,
        matches: arena.over.subscribe(),
        look,
        states: None,
        waiting: Vec::new(),
        app,
        arena,
    };
    let stream = stream::unfold(follower, |mut follower| async move {
        let event = follower.next().await?;
        Some((Ok::<Event, Infallible>(event), follower))
    });
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Streamed(Sse::new(stream).keep_alive(alive).into_response()))
}

fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).data(crate::store::to_json(data))
}

impl Follower {
    /// Waits for the next event; `None` if the server stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.waiting.pop() {
                return Some(event);
            }
            tokio::select! {
                over = self.matches.recv() => match over {
                    Ok(number) => return Some(event("match", &MatchEvent { number })),
                    // It reads too slowly: the list of matches has what it missed.
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return None,
                },
                _ = self.look.tick() => self.look().await,
                // The caller connects again when the server is back.
                () = self.app.ended() => return None,
            }
        }
    }

    /// Looks for a new table, and for new states of versions.
    async fn look(&mut self) {
        if self.board.has_changed().unwrap_or(false) {
            let board = self.board.borrow_and_update();
            let table = TableEvent { as_of: time(board.made), matches: board.matches };
            self.waiting.push(event("table", &table));
        }
        // A database that does not answer is asked again.
        let Ok(states) = self.own_states().await else { return };
        if let Some(before) = &self.states {
            for ((bot, number), state) in &states {
                if before.get(&(bot.clone(), *number)) != Some(state) {
                    let changed = VersionEvent { bot: bot.clone(), number: *number, state: *state };
                    self.waiting.push(event("version", &changed));
                }
            }
        }
        self.states = Some(states);
    }

    async fn own_states(&self) -> Stored<BTreeMap<(String, u32), VersionState>> {
        let Some(person) = self.person else { return Ok(BTreeMap::new()) };
        let own = self.app.store.own_bot(self.arena.id(), person).await?;
        let Some(bot) = own else { return Ok(BTreeMap::new()) };
        let versions = self.app.store.latest_states(bot.id, LATEST).await?;
        let state = |(id, number, state, matches): (i64, u32, State, u64)| {
            let state = views::version_state(state, bot.active == Some(id), matches > 0);
            ((bot.slug.clone(), number), state)
        };
        Ok(versions.into_iter().map(state).collect())
    }
}
