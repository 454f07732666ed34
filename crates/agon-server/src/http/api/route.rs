//! A route: its handler, and what the OpenAPI 3.1 document says of it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use agon_ladder::api::{BASE, PROBLEM_TYPE, Problem, Scope};
use axum::extract::{FromRequestParts, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::call::{Reply, RequestBody, Sent, json_response, wrong_part};
use super::prelude::*;
use crate::http::FORM;
use crate::store::idempotency::{self, KeptReply, forget_old};

/// A route of the API.
pub(super) struct Route {
    pub(super) method: Method,
    /// Below `/api/v1`.
    pub(super) path: &'static str,
    /// The name of the operation, which stays the same.
    pub(super) id: &'static str,
    summary: &'static str,
    pub(super) rules: Rules,
    /// Describes it as OpenAPI's Operation Object.
    describe: fn(&Route, &mut Schemas) -> Value,
    pub(super) handler: MethodRouter<App>,
}

/// What holds for a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The scope that a request needs; `None` for none.
    pub(super) scope: Option<Scope>,
    /// Whether the reply has a secret, which nobody may keep.
    pub(super) has_secret: bool,
    /// Whether it takes an `Idempotency-Key`.
    pub(super) is_keyed: bool,
    /// The most bytes of a body.
    pub(super) largest: usize,
    /// The media types that a reply may have that is not JSON.
    pub(super) media: &'static [&'static str],
    /// The status code of a failure, beside those that all such routes have.
    pub(super) failure: Option<u16>,
}

impl Default for Rules {
    fn default() -> Rules {
        let scope = None;
        let failure = None;
        Rules { scope, has_secret: false, is_keyed: false, largest: FORM, media: &[], failure }
    }
}

impl Route {
    /// Makes a route. Its handler is a function of a [`Call`], and the types in it are those that
    /// the document describes.
    pub(super) fn new<P, Q, B, R, Later>(
        method: Method,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
        rules: Rules,
        handler: impl Fn(Call<P, Q, B>) -> Later + Clone + Send + Sync + 'static,
    ) -> Route
    where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        B: RequestBody + 'static,
        R: Reply + 'static,
        Later: Future<Output = Shown<R>> + Send + 'static,
    {
        let filter = MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET);
        let handler = on(filter, move |State(app): State<App>, request: Request| {
            let answered = answer(app, request, rules, handler.clone());
            async move { answered.await.unwrap_or_else(IntoResponse::into_response) }
        });
        Route { method, path, id, summary, rules, describe: operation::<P, Q, B, R>, handler }
    }
}

/// Reads a request, has it handled, and sends the reply.
async fn answer<P, Q, B: RequestBody, R: Reply, Later>(
    app: App,
    request: Request,
    rules: Rules,
    handler: impl Fn(Call<P, Q, B>) -> Later,
) -> Shown<Response>
where
    P: DeserializeOwned + Send,
    Q: DeserializeOwned + Send,
    Later: Future<Output = Shown<R>>,
{
    let (mut parts, body) = request.into_parts();
    let visitor = Visitor::of_request(&parts.extensions)?;
    visitor.check(rules.scope)?;
    let path = Path::<P>::from_request_parts(&mut parts, &app).await;
    let Path(path) = path.map_err(|error| wrong_part("The path", &error.body_text()))?;
    let query = Query::<Q>::try_from_uri(&parts.uri);
    let Query(query) = query.map_err(|error| wrong_part("The query", &error.body_text()))?;
    let (headers, uri) = (parts.headers.clone(), parts.uri.clone());
    let request = Request::from_parts(parts, body);
    let (body, digest) = B::read(request, &app, &visitor).await?;
    let begun = match rules.is_keyed {
        true => begin_keyed(&app, &visitor, &headers, &uri, digest).await?,
        false => Ok(None),
    };
    let key = match begun {
        Ok(key) => key,
        Err(known) => return Ok(known),
    };
    let store = app.store.clone();
    let call = Call { app, visitor, path, query, body, key: key.clone() };
    let mut sent = handler(call).await?.send();
    let kept = key.as_ref().and_then(|key| key.unless_kept(&sent, rules.has_secret));
    if let Some(kept) = kept {
        store.write(vec![forget_old(), kept]).await?;
    }
    if rules.has_secret {
        let none = HeaderValue::from_static("no-store");
        sent.response.headers_mut().insert(header::CACHE_CONTROL, none);
    }
    Ok(sent.response)
}

static TEXT: OnceLock<String> = OnceLock::new();

/// Writes the document. Each program has the same routes all the time, and so one document.
pub(super) fn write(routes: &[Route]) {
    TEXT.get_or_init(|| {
        serde_json::to_string_pretty(&document(routes)).expect("plain data can be written as JSON")
    });
}

/// Returns the document, which was written before.
pub(super) fn text() -> &'static str {
    TEXT.get().expect("it was written when the routes were registered")
}

/// Returns what a kind of failure means.
pub(super) fn meaning(code: ProblemCode) -> String {
    let schema = schemars::schema_for!(ProblemCode);
    let variants = schema.get("oneOf").and_then(Value::as_array);
    let is_it = |variant: &&Value| variant["const"] == code.name();
    let variant = variants.into_iter().flatten().find(is_it);
    let text = variant.and_then(|variant| variant["description"].as_str());
    text.unwrap_or_default().replace('\n', " ")
}

/// Generators of schemas: what is sent and what is taken may differ.
struct Schemas {
    requests: SchemaGenerator,
    replies: SchemaGenerator,
}

fn schemas() -> Schemas {
    let settings = || {
        SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
            settings.transforms.push(Box::new(RecursiveTransform(limit_number)));
        })
    };
    Schemas {
        requests: settings().for_deserialize().into_generator(),
        replies: settings().for_serialize().into_generator(),
    }
}

/// Says how large a whole number may be: readers of JSON Schema need not know the names of formats.
fn limit_number(schema: &mut Schema) {
    let largest = match schema.get("format").and_then(Value::as_str) {
        Some("uint8") => u64::from(u8::MAX),
        Some("uint16") => u64::from(u16::MAX),
        Some("uint32") => u64::from(u32::MAX),
        _ => return,
    };
    if schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), largest.into());
    }
}

fn document(routes: &[Route]) -> Value {
    let mut schemas = schemas();
    let mut paths = Map::new();
    let mut names = BTreeSet::new();
    for route in routes {
        assert!(names.insert(route.id), "`{}` is the name of two operations", route.id);
        let operation = (route.describe)(route, &mut schemas);
        let item = paths.entry(route.path).or_insert_with(|| json!({}));
        item[route.method.as_str().to_lowercase()] = operation;
    }
    let problem = schemas.replies.subschema_for::<Problem>();
    let mut components = schemas.requests.take_definitions(true);
    for (name, of_reply) in schemas.replies.take_definitions(true) {
        let of_request = components.get(&name);
        assert!(of_request.is_none_or(|other| *other == of_reply), "`{name}` has two forms");
        components.insert(name, of_reply);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Agon ladder",
            "version": "1",
            "description": "The JSON API of a ladder server. Times are RFC 3339 in UTC. Failures \
                are problem details of RFC 9457.",
            "license": {"name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0"},
        },
        "servers": [{"url": BASE}],
        "paths": paths,
        "components": {
            "schemas": components,
            "responses": {"Problem": {
                "description": "Why the request failed.",
                "content": {PROBLEM_TYPE: {"schema": problem}},
            }},
            "securitySchemes": {"token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A personal token: `agon_` and 40 hexadecimal digits.",
            }},
        },
    })
}

fn operation<P: JsonSchema, Q: JsonSchema, B: RequestBody, R: Reply>(
    route: &Route,
    schemas: &mut Schemas,
) -> Value {
    let mut all = parameters(&P::json_schema(&mut schemas.requests), "path");
    all.extend(parameters(&Q::json_schema(&mut schemas.requests), "query"));
    if route.rules.is_keyed {
        all.push(json!({
            "name": "Idempotency-Key",
            "in": "header",
            "description": "A key that the client chooses. The same request with the same key \
                has one effect and the same reply, within 24 hours.",
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9_.-]{1,100}$"},
        }));
    }
    let security = match route.rules.scope {
        None => json!([{}, {"token": []}]),
        Some(scope) => json!([{"token": [scope.name()]}]),
    };
    let request = B::describe(&mut schemas.requests);
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.summary,
        "parameters": all,
        "security": security,
        "responses": responses::<R>(route, request.is_some(), &mut schemas.replies),
    });
    if let Some(request) = request {
        operation["requestBody"] = request;
    }
    operation
}

/// Makes a parameter of each property of a type.
fn parameters(schema: &Schema, place: &str) -> Vec<Value> {
    let required: BTreeSet<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let parameter = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        without_null(&mut schema);
        json!({
            "name": name,
            "in": place,
            "required": place == "path" || required.contains(name.as_str()),
            "description": description,
            "schema": schema,
        })
    };
    properties.into_iter().flatten().map(parameter).collect()
}

/// A parameter that may be missing is never null.
fn without_null(schema: &mut Value) {
    if let Some(kinds) = schema.get_mut("type").and_then(Value::as_array_mut) {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            schema["type"] = kind.clone();
        }
    }
}

fn responses<R: Reply>(route: &Route, has_body: bool, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let mut reply = R::describe(generator);
    if !route.rules.media.is_empty() {
        let content = route.rules.media.iter().map(|name| ((*name).to_owned(), json!({})));
        reply["content"] = Value::Object(content.collect());
    }
    responses.insert(R::STATUS.to_string(), reply);
    if route.method == Method::GET {
        let known = json!({"description": "The client has it already."});
        responses.insert("304".to_owned(), known);
    }
    let mut failures: BTreeSet<u16> = [400, 401, 404, 429, 503].into();
    failures.extend(route.rules.scope.map(|_| 403));
    if route.method == Method::POST {
        failures.insert(409);
    }
    if has_body {
        failures.extend([408, 413, 415, 422]);
    }
    if route.rules.is_keyed {
        failures.insert(422);
    }
    failures.extend(route.rules.failure);
    for status in failures {
        let problem = json!({"$ref": "#/components/responses/Problem"});
        responses.insert(status.to_string(), problem);
    }
    Value::Object(responses)
}

/// The longest key, in bytes.
const LONGEST: usize = 100;

/// The `Idempotency-Key` of a request that is being answered. Others with the same key have to
/// wait: the same request with the same key has one effect, and the same reply.
///
/// <https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/>
#[derive(Clone)]
pub(super) struct Key(Arc<Inner>);

struct Inner {
    app: App,
    person: i64,
    key: String,
    request: blake3::Hash,
    is_kept: AtomicBool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.app.api.keys.lock().remove(&(self.person, self.key.clone()));
    }
}

/// Looks for the key of a request, if it has one; the error is the reply that it had before.
pub(super) async fn begin_keyed(
    app: &App,
    visitor: &Visitor,
    headers: &HeaderMap,
    uri: &Uri,
    body: blake3::Hash,
) -> Shown<Result<Option<Key>, Response>> {
    let Some(value) = headers.get("idempotency-key") else { return Ok(Ok(None)) };
    let key = value.to_str().ok().and_then(read_key).ok_or_else(|| {
        wrong(format!("`Idempotency-Key` has 1 to {LONGEST} letters, digits, `-`, `_` and `.`."))
    })?;
    let Some(person) = visitor.person.as_ref().map(|person| person.id) else {
        return Ok(Ok(None));
    };
    let request = blake3::hash(format!("{uri} {body}").as_bytes());
    let is_free = app.api.keys.lock().insert((person, key.clone()));
    if !is_free {
        return Err(failure(
            ProblemCode::IdempotencyBusy,
            "The same request is still being answered",
            "Wait for its reply, or send this one again in a few seconds.",
        )
        .retry_after(2));
    }
    let is_kept = AtomicBool::new(false);
    let own = Key(Arc::new(Inner { app: app.clone(), person, key, request, is_kept }));
    match app.store.kept_reply(person, &own.0.key).await? {
        Some(kept) => Ok(Err(kept_reply(&kept, request)?)),
        None if app.store.kept_replies(person).await? >= idempotency::MOST => Err(failure(
            RateLimited,
            "There were too many keys",
            "Use fewer keys a day, or leave `Idempotency-Key` out.",
        )
        .retry_after(3_600)),
        None => Ok(Ok(Some(own))),
    }
}

/// Reads a key, which may stand in quotes.
fn read_key(text: &str) -> Option<String> {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_key = (1..=LONGEST).contains(&inner.len()) && inner.chars().all(is_allowed);
    is_key.then(|| inner.to_owned())
}

fn kept_reply(kept: &KeptReply, request: blake3::Hash) -> Shown<Response> {
    if kept.request != request.as_bytes() {
        return Err(failure(
            ProblemCode::IdempotencyMismatch,
            "This key was used for another request",
            "Use a new `Idempotency-Key` for each request.",
        ));
    }
    let Some(body) = &kept.body else {
        let advice = "Its reply had a secret, which the server does not keep. Use a new key.";
        return Err(failure(Conflict, "This was done already", advice));
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
    fn every_problem_has_a_meaning() {
        for (code, ..) in ProblemCode::ALL {
            assert!(meaning(code).ends_with('.'), "{code:?}");
        }
    }

    #[test]
    fn keys_are_plain() {
        assert_eq!(read_key("\"a-1_b.\""), Some("a-1_b.".to_owned()));
        assert_eq!(read_key(" a "), Some("a".to_owned()));
        for text in ["", "\"", "\"\"", "a b", "ä", "\"a", &"a".repeat(101)] {
            assert_eq!(read_key(text), None, "{text}");
        }
    }
}
