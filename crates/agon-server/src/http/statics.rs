//! Files that are the same for everybody: style, script, avatars, the viewer.

use std::sync::LazyLock;

use agon_web::bundle;
use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::reply::{file, tag};
use super::{api::unless_known, parts::names::avatar_svg};

/// A static file, to be served at its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StaticFile {
    /// The path: `/static/ladder.css`.
    path: &'static str,
    /// The value of `Content-Type`.
    media_type: &'static str,
    /// The contents.
    text: &'static str,
}

impl StaticFile {
    /// Returns the address that pages use: `/static/ladder.css?v=0123456789abcdef`. It has a hash
    /// of the contents, so that browsers may keep files.
    pub(super) fn address(&self) -> String {
        let hash = blake3::hash(self.text.as_bytes()).to_hex();
        format!("{}?v={}", self.path, &hash[..16])
    }
}

/// The style of all pages.
pub(super) const STYLE: StaticFile = StaticFile {
    path: "/static/ladder.css",
    media_type: "text/css; charset=utf-8",
    text: include_str!("../../static/ladder.css"),
};

/// The script of all pages.
pub(super) const SCRIPT: StaticFile = StaticFile {
    path: "/static/ladder.js",
    media_type: "text/javascript; charset=utf-8",
    text: include_str!("../../static/ladder.js"),
};

/// The icon.
pub(super) const ICON: StaticFile = StaticFile {
    path: "/static/icon.svg",
    media_type: "image/svg+xml",
    text: include_str!("../../static/icon.svg"),
};

/// All static files.
const FILES: [StaticFile; 3] = [STYLE, SCRIPT, ICON];

/// Their addresses change with their contents.
pub(super) const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// For files whose address stays: asked for again after an hour.
const AN_HOUR: &str = "public, max-age=3600";

/// For files that may change with the program.
const ASK: &str = "public, no-cache";

/// The tags of the viewer's files, which change with their contents.
static VIEWER_TAGS: LazyLock<Vec<String>> =
    LazyLock::new(|| bundle::FILES.iter().map(|file| tag(file.contents)).collect());

pub(super) async fn static_file(Path(name): Path<String>) -> Response {
    let path = format!("/static/{name}");
    match FILES.iter().find(|file| file.path == path) {
        Some(of) => file(of.media_type, FOR_EVER, of.text),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(super) async fn avatar(Path(name): Path<String>) -> Response {
    match name.strip_suffix(".svg") {
        Some(name) => file("image/svg+xml", AN_HOUR, avatar_svg(name)),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(super) async fn viewer_page(headers: HeaderMap) -> Response {
    viewer(Path("index.html".to_owned()), headers).await
}

/// A file of the viewer. Browsers ask each time whether it has changed: files of different versions
/// do not fit each other.
pub(super) async fn viewer(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(at) = bundle::FILES.iter().position(|file| file.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let of = &bundle::FILES[at];
    let tagged = ([(header::ETAG, VIEWER_TAGS[at].as_str())], of.contents);
    let response = file(of.media_type, ASK, tagged);
    match headers.get(header::IF_NONE_MATCH) {
        Some(known) => unless_known(response, known),
        None => response,
    }
}

pub(super) async fn robots() -> Response {
    // Lists have many pages, and replays and the log are large: crawlers learn nothing from them.
    let text = "User-agent: *\nDisallow: /admin\nDisallow: /viewer\nDisallow: /api/\n\
        Disallow: /log/\n\
        Disallow: /metrics\nDisallow: /arenas/*/matrix\nDisallow: /arenas/*/matches\n\
        Disallow: /*replay.agon\nDisallow: /*events\nDisallow: /*?page=\n";
    file("text/plain; charset=utf-8", AN_HOUR, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_makes_no_code_of_texts() {
        for harm in ["eval(", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"] {
            assert!(!SCRIPT.text.contains(harm), "{harm}");
        }
    }
}
