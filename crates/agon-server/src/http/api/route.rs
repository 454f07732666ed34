//! A route: its handler, and what the OpenAPI document says of it.

use agon_ladder::api::Scope;
use axum::{
    extract::{Request, State},
    http::Method,
    response::{IntoResponse, Response},
    routing::{MethodFilter, MethodRouter, on},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    body::RequestBody,
    call::{Call, read_path, read_query},
    caller::Caller,
    idempotency::{self, Begun},
    reply::Reply,
};
use crate::{
    app::App,
    http::reply::{Shown, failure},
    store::idempotency::forget_old,
};

/// A route of the API.
pub(super) struct Route {
    pub(super) method: Method,
    /// Below `/api/v1`.
    pub(super) path: &'static str,
    /// The name of the operation, which stays the same.
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) rules: Rules,
    /// The status code of a failure, beside those that all such routes have.
    pub(super) failure: Option<u16>,
    pub(super) types: Types,
    pub(super) handler: Box<dyn FnOnce(Rules) -> MethodRouter<App>>,
}

/// What holds for a route.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rules {
    /// The scope that a request needs; `None` for none.
    pub(super) scope: Option<Scope>,
    /// Whether the reply has a secret, which nobody may keep.
    pub(super) has_secret: bool,
    /// Whether it takes an `Idempotency-Key`.
    pub(super) is_keyed: bool,
    /// The most bytes of a body.
    pub(super) largest: Option<usize>,
}

/// The types of a route's handler.
#[derive(Clone, Copy)]
pub(super) struct Types {
    pub(super) path: fn(&mut SchemaGenerator) -> Schema,
    pub(super) query: fn(&mut SchemaGenerator) -> Schema,
    pub(super) request: fn(&mut SchemaGenerator) -> Option<Value>,
    pub(super) reply: fn(&mut SchemaGenerator) -> Value,
    pub(super) status: u16,
}

/// What answers the requests of a route: a function of a [`Call`]. `T` are the types in it.
pub(super) trait Handler<T> {
    /// Returns what the document says of its types.
    fn types() -> Types;

    /// Returns what takes the requests.
    fn router(self, filter: MethodFilter, rules: Rules) -> MethodRouter<App>;
}

impl<P, Q, B, R, F, Later> Handler<(P, Q, B, R, Later)> for F
where
    P: DeserializeOwned + JsonSchema + Send + 'static,
    Q: DeserializeOwned + JsonSchema + Send + 'static,
    B: RequestBody + 'static,
    R: Reply + 'static,
    F: Fn(Call<P, Q, B>) -> Later + Clone + Send + Sync + 'static,
    Later: Future<Output = Shown<R>> + Send + 'static,
{
    fn types() -> Types {
        Types {
            path: P::json_schema,
            query: Q::json_schema,
            request: B::describe,
            reply: R::describe,
            status: R::STATUS,
        }
    }

    fn router(self, filter: MethodFilter, rules: Rules) -> MethodRouter<App> {
        on(filter, move |State(app): State<App>, request: Request| {
            let handler = self.clone();
            async move {
                let answered = answer(app, request, rules, handler).await;
                answered.unwrap_or_else(IntoResponse::into_response)
            }
        })
    }
}

impl Route {
    /// Makes a route.
    pub(super) fn new<T, H: Handler<T> + 'static>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        handler: H,
    ) -> Route {
        let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET);
        let types = H::types();
        let rules = Rules::default();
        let handler = Box::new(move |rules: Rules| handler.router(filter, rules));
        Route { method, path, id, summary, rules, failure: None, types, handler }
    }

    /// Demands a scope.
    pub(super) fn needs(mut self, scope: Scope) -> Route {
        self.rules.scope = Some(scope);
        self
    }

    /// Adds the status code of a failure.
    pub(super) fn fails(self, failure: u16) -> Route {
        Route { failure: Some(failure), ..self }
    }

    /// Notes that the reply has a secret.
    pub(super) fn secret(mut self) -> Route {
        self.rules.has_secret = true;
        self
    }

    /// Takes an `Idempotency-Key`.
    pub(super) fn keyed(mut self) -> Route {
        self.rules.is_keyed = true;
        self
    }

    /// Takes larger bodies than others.
    pub(super) fn takes(mut self, largest: usize) -> Route {
        self.rules.largest = Some(largest);
        self
    }
}

/// Reads a request, has it handled, and sends the reply.
async fn answer<P, Q, B, R, F, Later>(
    app: App,
    request: Request,
    rules: Rules,
    handler: F,
) -> Shown<Response>
where
    P: DeserializeOwned + Send,
    Q: DeserializeOwned + Send,
    B: RequestBody,
    R: Reply,
    F: Fn(Call<P, Q, B>) -> Later,
    Later: Future<Output = Shown<R>>,
{
    let (mut parts, body) = request.into_parts();
    let missing = || failure(500, "The server has failed", "Try again.");
    let caller = parts.extensions.get::<Caller>().cloned().ok_or_else(missing)?;
    caller.check(rules.scope)?;
    let path = read_path(&mut parts, &app).await?;
    let query = read_query(&parts.uri)?;
    let (headers, uri) = (parts.headers.clone(), parts.uri.clone());
    let request = Request::from_parts(parts, body);
    let (body, digest) = B::read(request, &app, &caller).await?;
    let begun = match rules.is_keyed {
        true => idempotency::begin(&app, &caller, &headers, &uri, digest).await?,
        false => Begun::None,
    };
    let key = match begun {
        Begun::Again(response) => return Ok(response),
        Begun::New(key) => Some(key),
        Begun::None => None,
    };
    let store = app.store.clone();
    let call = Call { app, caller, path, query, body, key: key.clone() };
    let mut sent = handler(call).await?.send();
    let kept = key.as_ref().and_then(|key| key.unless_kept(&sent, rules.has_secret));
    if let Some(kept) = kept {
        store.write(vec![forget_old(), kept]).await?;
    }
    if rules.has_secret {
        let none = axum::http::HeaderValue::from_static("no-store");
        let headers = sent.response.headers_mut();
        headers.insert(axum::http::header::CACHE_CONTROL, none);
    }
    Ok(sent.response)
}
