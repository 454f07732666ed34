//! Server-sent events: a page hears when its arena's table has changed, and fetches it again.

use std::{convert::Infallible, time::Duration};

use axum::{
    extract::{Path, State},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::stream;
use tokio::time::{Instant, sleep_until};

use super::{reply::Shown, views};
use crate::app::App;

/// How often a page hears of a new table at most.
const AT_MOST_EVERY: Duration = Duration::from_secs(1);

/// How often the front page looks for something new.
const SITE_EVERY: Duration = Duration::from_secs(2);

/// How often a stream says that it lives.
const ALIVE: Duration = Duration::from_secs(15);

/// Tells the front page when something has changed in any arena.
pub(super) async fn of_site(State(app): State<App>) -> Response {
    let made = |app: &App| app.arenas().iter().map(|arena| arena.board().made).max();
    let seen = made(&app);
    let place = app.metrics.stream();
    let stream = stream::unfold((app, place, seen), move |(app, place, seen)| async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(SITE_EVERY) => {}
                () = app.ended() => return None,
            }
            let now = made(&app);
            if now != seen {
                let event = Event::default().event("table").data(now.unwrap_or(0).to_string());
                return Some((Ok::<Event, Infallible>(event), (app, place, now)));
            }
        }
    });
    let alive = KeepAlive::new().interval(ALIVE);
    Sse::new(stream).keep_alive(alive).into_response()
}

pub(super) async fn events(State(app): State<App>, Path(slug): Path<String>) -> Shown<Response> {
    let arena = views::arena(&app, &slug)?;
    let board = arena.follow();
    let begin = Instant::now();
    let place = (arena, app.metrics.stream());
    let stream =
        stream::unfold((app, place, board, begin), |(app, place, mut board, at)| async move {
            sleep_until(at).await;
            tokio::select! {
                changed = board.changed() => changed.ok()?,
                // The page connects again when the server is back.
                () = app.ended() => return None,
            }
            let made = board.borrow_and_update().made;
            let event = Event::default().event("table").data(made.to_string());
            let next = Instant::now() + AT_MOST_EVERY;
            Some((Ok::<Event, Infallible>(event), (app, place, board, next)))
        });
    let alive = KeepAlive::new().interval(ALIVE);
    Ok(Sse::new(stream).keep_alive(alive).into_response())
}
