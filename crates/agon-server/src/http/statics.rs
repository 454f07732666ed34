//! Files that are the same for everybody: style, script, avatars, the viewer.

use agon_ladder_pages::{FILES, avatar_svg};
use agon_web::bundle;
use axum::{
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::app::App;

/// Their addresses change with their contents.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// For files whose address stays: asked for again after an hour.
const AN_HOUR: &str = "public, max-age=3600";

fn reply(kind: &'static str, lasts: &'static str, contents: impl IntoResponse) -> Response {
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, lasts)];
    (headers, contents).into_response()
}

pub(super) async fn file(Path(name): Path<String>) -> Response {
    let path = format!("/static/{name}");
    match FILES.iter().find(|file| file.path == path) {
        Some(file) => reply(file.media_type, FOR_EVER, file.text),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(super) async fn avatar(Path(name): Path<String>) -> Response {
    match name.strip_suffix(".svg") {
        Some(name) => reply("image/svg+xml", AN_HOUR, avatar_svg(name)),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(super) async fn viewer_page() -> Response {
    viewer(Path("index.html".to_owned())).await
}

pub(super) async fn viewer(Path(name): Path<String>) -> Response {
    match bundle::FILES.iter().find(|file| file.name == name) {
        Some(file) => reply(file.media_type, AN_HOUR, file.contents),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(super) async fn robots() -> Response {
    // Lists have many pages, and replays are large: crawlers learn nothing from them.
    let text = "User-agent: *\nDisallow: /admin\nDisallow: /viewer\nDisallow: /*replay.agon\n\
        Disallow: /*events\nDisallow: /*?page=\n";
    reply("text/plain; charset=utf-8", AN_HOUR, text)
}

pub(super) async fn health(State(app): State<App>) -> Response {
    let has_trouble = app.trouble.load(std::sync::atomic::Ordering::Relaxed);
    match has_trouble || app.is_ending() {
        true => (StatusCode::SERVICE_UNAVAILABLE, "not well\n").into_response(),
        false => "well\n".into_response(),
    }
}
