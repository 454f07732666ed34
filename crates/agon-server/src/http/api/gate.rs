//! What holds for all requests to the API: who asks, limits, headers, failures as problems.

use std::{net::IpAddr, time::Duration};

use agon_ladder::api::{PROBLEM_TYPE, Scope, TOKEN_PREFIX};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::{body::Body, extract::Request, middleware::Next};

use crate::http::{prelude::*, reply::of_status};
use crate::{accounts::token::Token, app::ApiLimits, limits::network};

/// Methods that pages of other sites may use, without cookies and tokens.
const FOREIGN_METHODS: &str = "GET, HEAD";

/// Headers that programs in pages of other sites may read.
const EXPOSED: &str = "ETag, RateLimit, RateLimit-Policy, Retry-After";

/// Returns whether a path belongs to the API.
pub(in crate::http) fn is_below(path: &str) -> bool {
    path.strip_prefix("/api").is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}

/// Answers a request to the API.
pub(in crate::http) async fn gate(
    app: &App,
    address: IpAddr,
    path: &str,
    mut request: Request,
    next: Next,
) -> Response {
    let instance = path.split('?').next().unwrap_or_default().to_owned();
    if *request.method() == Method::OPTIONS {
        return preflight(next.run(request).await);
    }
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let caller = caller(app, request.method(), request.headers(), address, path).await;
    // Whose requests are counted together.
    let key = match caller.as_ref().map(|caller| &caller.token) {
        Ok(Some(token)) => format!("token {}", token.id),
        _ => format!("address {}", network(address)),
    };
    let spent = app.api.requests.spend(&key);
    let mut response = match (spent, caller) {
        (Err(wait), _) => {
            let seconds = wait.as_secs() + 1;
            let advice = format!("Try again in {seconds} s.");
            let failure = failure(RateLimited, "There were too many requests", advice);
            failure.retry_after(seconds).into_response()
        }
        (Ok(_), Err(failure)) => failure.into_response(),
        (Ok(_), Ok(caller)) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
    };
    if let Some(failure) = failure_of(&mut response) {
        response = problem(&failure, &instance, response.headers());
    }
    if let Some(known) = known.filter(|_| is_reading) {
        response = unless_known(response, &known);
    }
    let headers = response.headers_mut();
    add_limits(headers, spent);
    if is_reading {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    headers.insert(header::VARY, HeaderValue::from_static("Authorization, Cookie"));
    response
}

/// Says what pages of other sites may ask for, and which methods a path has.
fn preflight(answered: Response) -> Response {
    let mut headers = HeaderMap::new();
    // No route has this method: the library refuses it, and names those that there are.
    if let Some(allow) = answered.headers().get(header::ALLOW) {
        headers.insert(header::ALLOW, allow.clone());
    }
    let fixed = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, FOREIGN_METHODS),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "If-None-Match, Last-Event-ID"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Returns why a request failed, if it did and its reply is not a problem yet.
fn failure_of(response: &mut Response) -> Option<Failure> {
    if let Some(failure) = response.extensions_mut().remove::<Failure>() {
        return Some(failure);
    }
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return None;
    }
    // What the library answers.
    let title = status.canonical_reason().unwrap_or("The request failed");
    let advice = match status {
        StatusCode::METHOD_NOT_ALLOWED => "The header `Allow` names the methods of this path.",
        _ => "`/api/v1/openapi.json` describes all requests.",
    };
    Some(of_status(status.as_u16(), title, advice))
}

/// Writes a failure as problem details of RFC 9457.
fn problem(failure: &Failure, instance: &str, before: &HeaderMap) -> Response {
    let problem = failure.problem(instance);
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() =
        StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(allow) = before.get(header::ALLOW) {
        headers.insert(header::ALLOW, allow.clone());
    }
    if let Some(seconds) = failure.retry_after {
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    if problem.status == 401 {
        let bearer = HeaderValue::from_static("Bearer realm=\"agon\"");
        headers.insert(header::WWW_AUTHENTICATE, bearer);
    }
    response
}

/// Answers 304 if the caller knows the reply already.
pub(in crate::http) fn unless_known(response: Response, known: &HeaderValue) -> Response {
    let tag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok());
    let (Some(tag), Ok(known)) = (tag, known.to_str()) else { return response };
    // Weak comparison, as RFC 9110 (section 13.1.2) demands.
    let is_same = |one: &str| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag;
    if response.status() != StatusCode::OK || !known.split(',').any(|one| is_same(one.trim())) {
        return response;
    }
    let mut headers = response.headers().clone();
    headers.remove(header::CONTENT_TYPE);
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::CONTENT_DISPOSITION);
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    *response.headers_mut() = headers;
    response
}

/// Says how many requests are left: draft-ietf-httpapi-ratelimit-headers-10.
fn add_limits(headers: &mut HeaderMap, spent: Result<(u64, Duration), Duration>) {
    let quota = ApiLimits::REQUESTS;
    let window = ApiLimits::WINDOW.as_secs();
    let (left, wait) = spent.unwrap_or_else(|wait| (0, wait));
    let policy = format!("\"requests\";q={quota};w={window}");
    let limit = format!("\"requests\";r={left};t={}", wait.as_secs() + 1);
    for (name, value) in [("ratelimit-policy", policy), ("ratelimit", limit)] {
        // They are plain letters and digits.
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
}

/// Finds out who sends a request: a person with the rights that this request has.
///
/// A session of a browser counts for reading only: another site cannot make a browser send a
/// token, so that requests with a token need no hidden values.
async fn caller(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
    address: IpAddr,
    path: &str,
) -> Shown<Visitor> {
    let is_reading = matches!(*method, Method::GET | Method::HEAD);
    let (mut visitor, _) = Visitor::of(app, headers, address, path).await?;
    match headers.get(header::AUTHORIZATION) {
        Some(value) => {
            let secret = value.to_str().ok().and_then(bearer).ok_or_else(not_valid)?;
            let found = app.store.token(&secret).await?;
            let (token, person) = found.ok_or_else(not_valid)?;
            visitor.session = None;
            // Without `manage`, those of an author at most change something.
            let role = match is_reading || token.scopes.contains(&Scope::Manage) {
                true => person.role,
                false => person.role.min(Role::Author),
            };
            let is_seen = !is_reading || token.scopes.contains(&Scope::Read);
            visitor.person = is_seen.then_some(Person { role, ..person });
            visitor.token = Some(token);
        }
        None => visitor.person = visitor.person.filter(|_| is_reading),
    }
    Ok(visitor)
}

impl Visitor {
    /// Returns what a request to the API may do.
    pub(super) fn scopes(&self) -> &[Scope] {
        match &self.token {
            Some(token) => &token.scopes,
            None if self.person.is_some() => &Scope::ALL,
            None => &[],
        }
    }

    /// Checks that this request may do what needs a scope.
    pub(super) fn check(&self, needed: Option<Scope>) -> Shown<()> {
        let Some(needed) = needed else { return Ok(()) };
        if self.scopes().contains(&needed) {
            return Ok(());
        }
        if self.scopes().is_empty() {
            let advice = "Send `Authorization: Bearer agon_…`. Your account's page makes tokens.";
            return Err(failure(Unauthorized, "A token is missing", advice));
        }
        let advice = format!("Use a token with the scope `{}`.", needed.name());
        Err(failure(ProblemCode::MissingScope, "The token may not do this", advice))
    }
}

/// Reads the secret of a token in a header.
fn bearer(value: &str) -> Option<Token> {
    let (scheme, rest) = value.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    rest.trim().strip_prefix(TOKEN_PREFIX)?.parse().ok()
}

fn not_valid() -> Failure {
    let advice = "It is wrong, revoked or too old. Your account's page makes another one.";
    failure(Unauthorized, "The token is not valid", advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_has_its_paths() {
        for path in ["/api", "/api/v1", "/api?x", "/api/x/y?z"] {
            assert!(is_below(path), "{path}");
        }
        for path in ["/", "/apis", "/arenas/api", "/people/api/"] {
            assert!(!is_below(path), "{path}");
        }
    }

    #[test]
    fn known_replies_are_not_sent_again() {
        let tagged = || ([(header::ETAG, "\"a\"")], "text").into_response();
        for known in ["\"a\"", "*", "\"b\", W/\"a\""] {
            let reply = unless_known(tagged(), &HeaderValue::from_static(known));
            assert_eq!(reply.status(), StatusCode::NOT_MODIFIED, "{known}");
        }
        let reply = unless_known(tagged(), &HeaderValue::from_static("\"b\""));
        assert_eq!(reply.status(), StatusCode::OK);
    }

    #[test]
    fn tokens_have_a_prefix() {
        let secret = "1234567890".repeat(4);
        assert!(bearer(&format!("Bearer agon_{secret}")).is_some());
        assert!(bearer(&format!("bearer  agon_{secret}")).is_some());
        for text in [&format!("Bearer {secret}"), &format!("Basic agon_{secret}"), "Bearer agon_1"]
        {
            assert!(bearer(text).is_none(), "{text}");
        }
    }
}
