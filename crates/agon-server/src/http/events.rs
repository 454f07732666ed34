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
    let alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(stream).keep_alive(alive).into_response())
}
