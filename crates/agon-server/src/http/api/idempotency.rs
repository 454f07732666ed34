//! `Idempotency-Key`: the same request with the same key has one effect, and the same reply.
//!
//! <https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>

use std::sync::{
    Arc, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use agon_ladder::api::ProblemCode;
use axum::{
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};

use super::{
    caller::Caller,
    failures::wrong,
    reply::{Sent, json_response},
};
use crate::{
    app::App,
    database::Statement,
    http::reply::{Shown, coded},
    store::idempotency::{self, KeptReply},
};

/// The longest key, in bytes.
const LONGEST: usize = 100;

/// The key of a request that is being answered. Others with the same key have to wait.
#[derive(Clone)]
pub(super) struct Key(Arc<Inner>);

struct Inner {
    app: App,
    person: i64,
    key: String,
    request: blake3::Hash,
    is_kept: AtomicBool,
}

/// What a key leads to.
pub(super) enum Begun {
    /// There is no key.
    None,
    /// The request is new.
    New(Key),
    /// The reply is known.
    Again(Response),
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Key").field(&self.0.key).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let mut keys = self.app.api().keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.remove(&(self.person, self.key.clone()));
    }
}

/// Looks for the key of a request, and for the reply that it had before.
pub(super) async fn begin(
    app: &App,
    caller: &Caller,
    headers: &HeaderMap,
    uri: &Uri,
    body: blake3::Hash,
) -> Shown<Begun> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(Begun::None) };
    let key = value.to_str().ok().and_then(key).ok_or_else(|| {
        wrong(format!("`Idempotency-Key` has 1 to {LONGEST} letters, digits, `-`, `_` and `.`."))
    })?;
    let Some(person) = caller.visitor.person.as_ref().map(|person| person.id) else {
        return Ok(Begun::None);
    };
    let request = blake3::hash(format!("{uri} {body}").as_bytes());
    let is_free = {
        let mut keys = app.api().keys.lock().unwrap_or_else(PoisonError::into_inner);
        keys.insert((person, key.clone()))
    };
    if !is_free {
        return Err(coded(
            ProblemCode::IdempotencyBusy,
            "The same request is still being answered",
            "Wait for its reply, or send this one again in a few seconds.",
        )
        .retry_after(2));
    }
    let is_kept = AtomicBool::new(false);
    let own = Key(Arc::new(Inner { app: app.clone(), person, key, request, is_kept }));
    match app.store.kept_reply(person, &own.0.key).await? {
        Some(kept) => Ok(Begun::Again(again(&kept, request)?)),
        None if app.store.kept_replies(person).await? >= idempotency::MOST => Err(coded(
            ProblemCode::RateLimited,
            "There were too many keys",
            "Use fewer keys a day, or leave `Idempotency-Key` out.",
        )
        .retry_after(3_600)),
        None => Ok(Begun::New(own)),
    }
}

/// Reads a key, which may stand in quotes.
fn key(text: &str) -> Option<String> {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_key = (1..=LONGEST).contains(&inner.len()) && inner.chars().all(is_allowed);
    is_key.then(|| inner.to_owned())
}

fn again(kept: &KeptReply, request: blake3::Hash) -> Shown<Response> {
    if kept.request != request.as_bytes() {
        return Err(coded(
            ProblemCode::IdempotencyMismatch,
            "This key was used for another request",
            "Use a new `Idempotency-Key` for each request.",
        ));
    }
    let Some(body) = &kept.body else {
        return Err(coded(
            ProblemCode::Conflict,
            "This was done already",
            "Its reply had a secret, which the server does not keep. Use a new key.",
        ));
    };
    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::OK);
    Ok(json_response(body.clone(), status, kept.location.as_deref()))
}

impl Key {
    /// Returns the statement that keeps a reply, for the transaction that the reply is about.
    pub(super) fn statement(
        &self,
        status: u16,
        location: Option<&str>,
        body: Option<String>,
    ) -> Statement {
        self.0.is_kept.store(true, Ordering::Relaxed);
        let request = self.0.request.as_bytes().to_vec();
        let location = location.map(str::to_owned);
        KeptReply { request, status, location, body }.insert(self.0.person, &self.0.key)
    }

    /// Returns the statement that keeps a reply, unless its handler did. That of a secret is kept
    /// without its body.
    pub(super) fn unless_kept(&self, sent: &Sent, has_secret: bool) -> Option<Statement> {
        if self.0.is_kept.load(Ordering::Relaxed) {
            return None;
        }
        let body = sent.body.clone().filter(|_| !has_secret);
        let status = sent.response.status().as_u16();
        Some(self.statement(status, sent.location.as_deref(), body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_plain() {
        assert_eq!(key("\"a-1_b.\""), Some("a-1_b.".to_owned()));
        assert_eq!(key(" a "), Some("a".to_owned()));
        for text in ["", "\"", "\"\"", "a b", "ä", "\"a", &"a".repeat(101)] {
            assert_eq!(key(text), None, "{text}");
        }
    }
}
