//! What holds for all requests: who asks, forms only from own pages, headers, failures as pages.

use std::{net::SocketAddr, time::Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use axum::{Extension, middleware::Next, response::Redirect};
use tracing::{error, info};

use super::reply::{of_status, own_path};
use super::visitor::{FORMS, client};
use super::{api, operation, parts::layout::narrow_page, prelude::*};

/// What all pages need.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'";

/// What the page of the viewer needs: WebAssembly, and frames: matches may be shown anywhere, and
/// the viewer changes nothing here.
const VIEWER_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors *";

/// Lets requests through, and completes their replies.
///
/// A request that changes something is answered to its end, even if its sender goes away
/// meanwhile. What was written would otherwise not be told to those who act on it.
pub(super) async fn guard(
    State(app): State<App>,
    Extension(peer): Extension<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return answer(app, peer, request, next).await;
    }
    let answered = tokio::spawn(answer(app, peer, request, next)).await;
    answered.unwrap_or_else(|error| {
        error!("a request fails: {error}");
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    })
}

async fn answer(app: App, peer: SocketAddr, mut request: Request, next: Next) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let began = Instant::now();
    // Addresses would be labels without number.
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let address = client(peer, request.headers(), &app.site.proxies);
    let method = request.method().clone();
    let is_post = method == Method::POST;
    let is_own = !is_post || is_own_origin(&app, request.headers());
    let is_static =
        ["/static/", "/avatars/", "/viewer/"].iter().any(|start| path.starts_with(start))
            || matches!(path.as_str(), "/healthz" | "/readyz" | "/robots.txt");
    let mut response = if api::is_below(&path) {
        api::gate(&app, address, &path, request, next).await
    } else if is_static {
        let mut response = next.run(request).await;
        if response.extensions_mut().remove::<Failure>().is_some() {
            *response.status_mut() = StatusCode::NOT_FOUND;
        }
        response
    } else {
        match Visitor::of(&app, request.headers(), address, &path).await {
            Ok((visitor, is_new)) => {
                request.extensions_mut().insert(visitor.clone());
                let mut response = match refusal(&app, &visitor, route, is_post, is_own) {
                    Some(refusal) => refusal.into_response(),
                    None => next.run(request).await,
                };
                let failure = response.extensions_mut().remove::<Failure>();
                if let Some(failure) = failure.or_else(|| bare_failure(&response, &path)) {
                    let allowed = response.headers_mut().remove(header::ALLOW);
                    let form = is_post.then(|| form_page(route, &path)).flatten();
                    response = failure_page(&visitor, &failure, form);
                    let allowed = allowed.map(|methods| (header::ALLOW, methods));
                    response.headers_mut().extend(allowed);
                }
                if is_new {
                    set_cookie(&app, &mut response, FORMS, &visitor.forms.to_string(), None);
                }
                response
            }
            // The database does not answer. Figures are wanted then most of all.
            Err(_) if route == "/metrics" => {
                operation::metrics_of_stranger(&app, address, request.headers())
            }
            Err(_) => {
                let text = "The server's database does not answer. Nothing was changed; try again \
                            soon.\n";
                (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
            }
        }
    };
    let is_changing = !matches!(method, Method::GET | Method::HEAD | Method::OPTIONS);
    add_headers(&app, response.headers_mut(), &path, is_changing);
    let (status, took) = (response.status().as_u16(), began.elapsed());
    app.metrics.request(route, status, took);
    // No path: it may have the secret of a link.
    info!(
        target: "agon_server::request",
        %method,
        route,
        status,
        ms = took.as_millis() as u64,
        %address,
        "request"
    );
    response
}

/// Returns a failure as a page. `form` is the page with the form that was sent, if there is one.
fn failure_page(visitor: &Visitor, failure: &Failure, form: Option<&str>) -> Response {
    if let Some(elsewhere) = &failure.elsewhere {
        return to(elsewhere);
    }
    let main = html! {
        p.status { (failure.status) }
        h1 { (failure.title) }
        @if !failure.advice.is_empty() { p.lead { (sentence(&failure.advice)) } }
        p {
            @if let Some(form) = form { a.button.primary href=(form) { "Back to the form" } " " }
            a.button href="/" { "To the arenas" }
        }
    };
    failure.with_page(narrow_page(visitor, &failure.title, main))
}

/// The reply to requests for what is not there. Addresses of pages end without a slash.
pub(super) async fn nothing_here(uri: Uri) -> Response {
    let path = uri.path().trim_end_matches('/');
    let is_longer = path.len() < uri.path().len();
    // Browsers take two slashes for the beginning of another site.
    if !is_longer || path.is_empty() || own_path(path) != path || api::is_below(path) {
        return not_found("page").into_response();
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Redirect::permanent(&format!("{path}{query}")).into_response()
}

/// Returns the page with the form that is sent to a path, if it has a single one.
fn form_page<'a>(route: &str, path: &'a str) -> Option<&'a str> {
    let parent = || path.rsplit_once('/').map(|(parent, _)| parent);
    let begins = |start: &str| route.starts_with(start);
    if begins("/admin/people/") || begins("/admin/invitations") {
        Some("/admin/people")
    } else if begins("/account/") {
        Some("/account")
    } else if begins("/arenas/{arena}/bots/{bot}/")
        || begins("/arenas/{arena}/matches/{number}/")
        || begins("/arenas/{arena}/tries/{id}/")
        || begins("/admin/arenas/{arena}/")
    {
        parent()
    } else {
        None
    }
}

/// Returns why a request is not even looked at, if it is not.
fn refusal(
    app: &App,
    visitor: &Visitor,
    route: &str,
    is_post: bool,
    is_own: bool,
) -> Option<Failure> {
    if !is_own {
        let advice = "Nothing was changed. Open the page on this site and send its form.";
        return Some(failure(Forbidden, "This form comes from another site", advice));
    }
    let person = visitor.person.as_ref().map(|person| person.id);
    // Streams are limited as connections, and the API has limits of its own.
    let is_limited = !route.ends_with("/events") && !route.starts_with("/api/");
    if is_limited && let Err(wait) = app.limits.take(person, visitor.address, route) {
        app.metrics.limited.inc();
        let seconds = wait.as_secs() + 1;
        let advice = format!(
            "Wait {seconds} s. If many people share this address, sign in: each of them has a \
             limit of their own then."
        );
        let failure = failure(RateLimited, "There were too many requests", advice);
        return Some(failure.retry_after(seconds));
    }
    if person.is_none() && app.limits.is_for_members(route) {
        return Some(Failure::sign_in(&visitor.path));
    }
    // Whoever makes room may have to sign in.
    let is_accepted = !is_post || matches!(route, "/sign-in" | "/sign-out");
    (!is_accepted && app.disk.is_low()).then(|| DatabaseError::Full.into())
}

/// Returns what to say instead of a failure that axum has answered before any handler: as a line
/// of plain text, or without a word.
fn bare_failure(response: &Response, path: &str) -> Option<Failure> {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let is_bare = kind.is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"));
    if !status.is_client_error() || !is_bare {
        return None;
    }
    let (title, advice) = match status {
        StatusCode::NOT_FOUND => return Some(not_found("page")),
        StatusCode::BAD_REQUEST if path.contains('?') => (
            "This address cannot be read",
            "A part of it is not what the page expects: a number is no number, or too large. \
             Nothing was changed. Remove what follows `?`, or look for the page from the front \
             page.",
        ),
        StatusCode::BAD_REQUEST => (
            "This address cannot be read",
            "A part of it is not what the page expects: a number is no number, or too large. \
             Nothing was changed. Look for the page from the front page.",
        ),
        StatusCode::METHOD_NOT_ALLOWED => (
            "This page takes no such request",
            "Nothing was changed. Look for the page from the front page.",
        ),
        _ => (
            status.canonical_reason().unwrap_or("The request was refused"),
            "Nothing was changed. Look for the page from the front page.",
        ),
    };
    Some(of_status(status.as_u16(), title, advice))
}

/// Returns whether a form was sent by a page of this server, as far as the browser says.
fn is_own_origin(app: &App, headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(origin) = text(header::ORIGIN) else { return true };
    if origin == app.site.address {
        return true;
    }
    let host = origin.split_once("://").map(|(_, host)| host);
    host.is_some() && host == text(header::HOST)
}

/// Returns whether a page is only for one person, who may leave the browser to others.
fn has_secrets(path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    ["/account", "/admin", "/join", "/reset", "/sign-in"].iter().any(|start| {
        path.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// Completes the headers of a reply. Replies to requests that change something may have secrets.
fn add_headers(app: &App, headers: &mut HeaderMap, path: &str, is_changing: bool) {
    let is_viewer = path.starts_with("/viewer/");
    let policy = if is_viewer { VIEWER_POLICY } else { POLICY };
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if !app.site.is_indexed {
        let name = HeaderName::from_static("x-robots-tag");
        headers.insert(name, HeaderValue::from_static("noindex"));
    }
    if app.site.is_secure {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    if has_secrets(path) || is_changing {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    // Pages are about now, and about who looks at them.
    let private = HeaderValue::from_static("private, no-cache");
    headers.entry(header::CACHE_CONTROL).or_insert(private);
}

/// Sets a cookie; `None` for one that ends with the browser.
pub(super) fn set_cookie(
    app: &App,
    response: &mut Response,
    name: &str,
    value: &str,
    seconds: Option<i64>,
) {
    let secure = if app.site.is_secure { "; Secure" } else { "" };
    let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
    let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax{secure}{age}");
    // Names and secrets are plain letters.
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}
