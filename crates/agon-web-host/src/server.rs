//! The HTTP server: the page with its files, for browsers on this machine only.
//!
//! `main` starts it. It also streams a running match to pages, and takes the orders of people who
//! play in them.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{collections::BTreeMap, io, sync::Arc, thread};

use agon_web::dialogue::{Guest, ToArena, Verdict};
use axum::Router;
use axum::body::{self, Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::connection_limits::{ConnectionLimits, HEADER_LIMIT, Place};
use crate::{Arena, feed::Feed, websocket};

/// The contents of a site.
#[derive(Default)]
pub(crate) struct Content {
    /// Files by path: the page, replays.
    pub(crate) files: BTreeMap<String, File>,
    /// A running match.
    pub(crate) live: Option<Feed>,
    /// The receiver of the players' orders.
    pub(crate) orders: Option<Arena>,
    /// The arena, if pages may ask it for another match.
    pub(crate) rematch: Option<Arena>,
    /// A page of another site that may read.
    pub(crate) guest: Option<Guest>,
}

/// A file to serve.
#[derive(Clone, Debug)]
pub(crate) struct File {
    media_type: HeaderValue,
    contents: Bytes,
}

impl File {
    /// Makes a file of this type; if no header can name the type, it is just bytes.
    pub(crate) fn new(media_type: &str, contents: Vec<u8>) -> File {
        let media_type = HeaderValue::from_str(media_type).unwrap_or(BYTES);
        File { media_type, contents: contents.into() }
    }
}

/// The type of bytes that no browser knows.
const BYTES: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// The path for orders.
const ORDERS: &str = "/live/answer";

/// The path for the wish for another match.
const REMATCH: &str = "/live/rematch";

/// The limit for orders, more than any person makes in a turn.
const MAX_ORDERS: usize = 1 << 20;

/// The state of the handler.
struct Site {
    content: Content,
    /// Whether a page has asked for another match, so that this one is of the past.
    is_past: AtomicBool,
    /// The names of the server for browsers on this machine: host and port.
    hosts: [String; 2],
}

/// Serves on this port of 127.0.0.1 until the program ends, and returns the port.
///
/// Port 0 is any free port.
pub(crate) fn start(content: Content, port: u16) -> io::Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
    let router = Router::new().fallback(answer).with_state(Arc::new(Site {
        content,
        is_past: AtomicBool::new(false),
        hosts,
    }));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let serve = move || {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            ConnectionLimits::default().serve(listener, router).await;
            io::Result::Ok(())
        })
    };
    thread::Builder::new().name("web".to_owned()).spawn(serve)?;
    Ok(port)
}

/// Restrictions for other pages, in addition to the page's own policy.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    // A later version of this program may serve other files at the same address.
    (header::CACHE_CONTROL, "no-cache"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

async fn answer(State(site): State<Arc<Site>>, request: Request) -> Response {
    let guest = site.guest(request.headers()).cloned();
    let mut response = match site.refusal(&request) {
        Some((status, text)) => (status, text).into_response(),
        None if request.method() == Method::POST => site.take(request).await,
        None => site.read(request),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Some(origin) = guest {
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    response
}

impl Site {
    /// Returns the reason why a request is refused.
    ///
    /// Pages of other sites must not read these files. One of their names may point to this
    /// machine, so that their browser takes this server for theirs ("DNS rebinding").
    fn refusal(&self, request: &Request) -> Option<(StatusCode, &'static str)> {
        let headers = request.headers();
        let is_own = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        if !text(headers, header::HOST).is_some_and(is_own) {
            return Some((
                StatusCode::MISDIRECTED_REQUEST,
                "this server answers only to its own address\n",
            ));
        }
        let origin = headers.contains_key(header::ORIGIN).then(|| text(headers, header::ORIGIN));
        let from_own = |origin: Option<&str>| {
            origin.and_then(|o| o.strip_prefix("http://")).is_some_and(is_own)
        };
        let is_guest = self.guest(headers).is_some();
        if origin.is_some_and(|origin| !from_own(origin) && !is_guest) {
            return Some((StatusCode::FORBIDDEN, "this server answers only to its own page\n"));
        }
        let reads = [Method::GET, Method::HEAD].contains(request.method());
        let takes = match request.uri().path() {
            ORDERS => self.content.orders.is_some(),
            REMATCH => self.content.rematch.is_some(),
            _ => false,
        };
        let may = reads || (takes && !is_guest && request.method() == Method::POST);
        (!may).then_some((StatusCode::METHOD_NOT_ALLOWED, "there is nothing to be changed here\n"))
    }

    /// Returns the origin of a request, if it is that of the guest.
    fn guest<'a>(&self, headers: &'a HeaderMap) -> Option<&'a HeaderValue> {
        let guest = self.content.guest.as_ref()?;
        let is_it = text(headers, header::ORIGIN) == Some(&guest.origin);
        headers.get(header::ORIGIN).filter(|_| is_it)
    }

    /// Returns a file, or sends its lines through a WebSocket.
    fn read(&self, mut request: Request) -> Response {
        let path = request.uri().path().trim_start_matches('/');
        let guest = self.content.guest.as_ref().filter(|guest| guest.lines == path);
        let lines = guest.and_then(|guest| self.content.files.get(&guest.lines));
        let key = text(request.headers(), header::SEC_WEBSOCKET_KEY);
        let (Some(key), Some(lines)) = (key, lines) else { return self.find(path) };
        let accept = websocket::accept(key);
        let lines = lines.contents.clone();
        let place = request.extensions_mut().remove::<Place>();
        let upgrade = hyper::upgrade::on(request);
        tokio::spawn(async move {
            // The reason for the end is the client's business.
            let _ = websocket::send_lines(upgrade, lines).await;
            drop(place);
        });
        let headers = [
            (header::CONNECTION, "upgrade"),
            (header::UPGRADE, "websocket"),
            (header::SEC_WEBSOCKET_ACCEPT, accept.as_str()),
        ];
        (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
    }

    /// Takes a person's orders, or the wish for another match.
    async fn take(&self, request: Request) -> Response {
        match self.taken(request).await {
            Ok(()) => StatusCode::NO_CONTENT.into_response(),
            Err((status, text)) => (status, format!("{text}\n")).into_response(),
        }
    }

    async fn taken(&self, request: Request) -> Result<(), (StatusCode, String)> {
        let refused = |status: StatusCode, text: &str| Err((status, text.to_owned()));
        // A form of another page cannot send this type.
        if text(request.headers(), header::CONTENT_TYPE) != Some("application/json") {
            return refused(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "orders are sent as application/json",
            );
        }
        if request.uri().path() == REMATCH {
            return self.rematch();
        }
        let body =
            tokio::time::timeout(HEADER_LIMIT, body::to_bytes(request.into_body(), MAX_ORDERS))
                .await;
        let Ok(body) = body else {
            return refused(StatusCode::REQUEST_TIMEOUT, "the orders took too long to come");
        };
        let Ok(bytes) = body else {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, "no orders are that long");
        };
        let Some(arena) = &self.content.orders else {
            return refused(StatusCode::NOT_FOUND, "nobody plays here");
        };
        match arena.pass_on(bytes.into()).await {
            Ok(Verdict::Taken) => Ok(()),
            Ok(Verdict::Outdated) => refused(
                StatusCode::CONFLICT,
                "the question has been answered already, or its time is up",
            ),
            Ok(Verdict::NoOrders(why)) => refused(StatusCode::BAD_REQUEST, &why),
            Ok(Verdict::Failed) => refused(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the arena has failed to judge the orders",
            ),
            Err(error) => Err((StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
        }
    }

    /// Asks the arena for another match, once, if this one is over.
    fn rematch(&self) -> Result<(), (StatusCode, String)> {
        let (Some(arena), Some(feed)) = (&self.content.rematch, &self.content.live) else {
            return Err((StatusCode::NOT_FOUND, "there is no other match here".to_owned()));
        };
        if !feed.has_ended() {
            return Err((StatusCode::CONFLICT, "this match is not over yet".to_owned()));
        }
        if self.is_past.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        arena
            .tell(&ToArena::Rematch, &[])
            .map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
    }

    fn find(&self, path: &str) -> Response {
        let path = if path.is_empty() { "index.html" } else { path };
        if let Some(file) = self.content.files.get(path) {
            return found(file.media_type.clone(), file.contents.clone().into());
        }
        let is_past = self.is_past.load(Ordering::Relaxed);
        match &self.content.live {
            // The next match has a server of its own, which is about to start.
            Some(_) if path == "live" && is_past => {
                (StatusCode::SERVICE_UNAVAILABLE, "another match begins\n").into_response()
            }
            Some(feed) if path == "live" => found(BYTES, feed.body()),
            _ => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
        }
    }
}

fn found(media_type: HeaderValue, body: Body) -> Response {
    ([(header::CONTENT_TYPE, media_type)], body).into_response()
}

/// Returns a header that occurs once, as text.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    value.to_str().ok().filter(|_| values.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUEST: (&str, &str) = ("origin", "https://board.example");

    fn status(method: &str, path: &str, headers: &[(&str, &str)]) -> u16 {
        let hosts = ["127.0.0.1:80", "localhost:80"].map(str::to_owned);
        let files = [("index.html".to_owned(), File::new("text/html", b"page".to_vec()))].into();
        let guest = Guest { origin: GUEST.1.to_owned(), lines: String::new() };
        let content = Content { files, guest: Some(guest), ..Content::default() };
        let site = Site { content, is_past: AtomicBool::new(false), hosts };
        let mut request = axum::http::Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let response = runtime.block_on(answer(State(Arc::new(site)), request));
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        response.status().as_u16()
    }

    #[test]
    fn other_sites_get_nothing() {
        assert_eq!(status("GET", "/", &[]), 421);
        assert_eq!(status("GET", "/", &[("host", "evil.example")]), 421);
        assert_eq!(status("GET", "/", &[("host", "localhost")]), 421);
        assert_eq!(status("GET", "/", &[("host", "localhost:80"), ("host", "evil.example")]), 421);
        let own = ("host", "localhost:80");
        assert_eq!(status("GET", "/", &[own, ("origin", "http://localhost:80")]), 200);
        assert_eq!(status("GET", "/", &[own, ("origin", "https://localhost:80")]), 403);
        assert_eq!(status("GET", "/", &[own, ("origin", "http://evil.example")]), 403);
        assert_eq!(status("GET", "/", &[own, ("origin", "null")]), 403);
        assert_eq!(status("GET", "/", &[own, GUEST]), 200);
        assert_eq!(status("GET", "/", &[own, GUEST, GUEST]), 403);
        assert_eq!(status("GET", "/", &[("host", "evil.example"), GUEST]), 421);
        assert_eq!(status("POST", "/", &[own]), 405);
        assert_eq!(status("POST", ORDERS, &[own, GUEST]), 405);
        assert_eq!(status("POST", ORDERS, &[own]), 405);
    }
}
