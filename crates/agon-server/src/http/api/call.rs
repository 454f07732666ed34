//! What a handler gets: path, query and body, already read; and what it returns. Pages of lists,
//! and failures that many handlers share.

use agon_core::blob::from_hex;
use agon_ladder::api::ReasonRequest;
use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::HeaderValue;
use schemars::{JsonSchema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::route::Key;
use crate::http::reply::{of_status, tag};
use crate::http::{form::SHORT, prelude::*};

/// A request as its handler gets it.
pub(super) struct Call<P, Q = NoQuery, B = NoBody> {
    pub(super) app: App,
    /// The person with the rights that this request has.
    pub(super) visitor: Visitor,
    pub(super) path: P,
    pub(super) query: Q,
    pub(super) body: B,
    /// The `Idempotency-Key`, if the route takes one and it was sent.
    pub(super) key: Option<Key>,
}

/// A request with a body of JSON, and nothing in its query.
pub(super) type Posted<P, T, const OPTIONAL: bool = false> =
    Call<P, NoQuery, JsonBody<T, OPTIONAL>>;

/// No parameters.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoQuery {}

/// No parts of the path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NoPath {}

/// An arena.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ArenaPath {
    /// The name of the arena in addresses.
    pub(super) arena: String,
}

/// A bot of an arena.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BotPath {
    /// The name of the arena in addresses.
    pub(super) arena: String,
    /// The name of the bot in addresses.
    pub(super) bot: String,
}

/// A version of a bot.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct VersionPath {
    /// The name of the arena in addresses.
    pub(super) arena: String,
    /// The name of the bot in addresses.
    pub(super) bot: String,
    /// The number of the version.
    #[schemars(range(min = 0, max = 4_294_967_295_u32))]
    pub(super) number: u32,
}

/// A match of an arena.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MatchPath {
    /// The name of the arena in addresses.
    pub(super) arena: String,
    /// The number of the match.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub(super) number: u64,
}

/// A person.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PersonPath {
    /// The person's name, in any case.
    pub(super) name: String,
}

/// A token.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TokenPath {
    /// The id of the token.
    #[schemars(range(min = 0, max = 9_007_199_254_740_991_u64))]
    pub(super) id: u64,
}

/// A page of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageQuery {
    /// The `next` of the page before.
    #[serde(default)]
    pub(super) cursor: String,
    /// How many items the page has at most.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 200))]
    pub(super) limit: u32,
}

/// Returns how many items a page has unless somebody says it.
pub(super) fn usual() -> u32 {
    50
}

/// Checks the number of items of a page.
pub(super) fn limit(limit: u32) -> Shown<usize> {
    match limit {
        1..=200 => Ok(limit as usize),
        _ => Err(wrong("`limit` is a number from 1 to 200.")),
    }
}

/// Checks the length of a reason.
pub(super) fn reason(request: &ReasonRequest) -> Shown<&str> {
    if request.reason.chars().count() > 500 {
        return Err(unusable("A reason has at most 500 characters."));
    }
    Ok(&request.reason)
}

/// Makes the failure that a part of an address cannot be read.
pub(super) fn wrong_part(what: &str, why: &str) -> Failure {
    wrong(format!("{what} is wrong: {}.", one_line(why, 500)))
}

/// The body of a request, which can be read and described.
pub(super) trait RequestBody: Send + Sized {
    /// Describes it as OpenAPI's Request Body Object; `None` if there is none.
    fn describe(generator: &mut SchemaGenerator) -> Option<Value>;

    /// Reads it. Also returns its digest.
    fn read(
        request: Request,
        app: &App,
        visitor: &Visitor,
    ) -> impl Future<Output = Shown<(Self, blake3::Hash)>> + Send;
}

/// No body.
pub(super) struct NoBody;

/// JSON; without a body `{}`, if it is optional.
pub(super) struct JsonBody<T, const OPTIONAL: bool = false>(pub(super) T);

impl RequestBody for NoBody {
    fn describe(_: &mut SchemaGenerator) -> Option<Value> {
        None
    }

    async fn read(_: Request, _: &App, _: &Visitor) -> Shown<(NoBody, blake3::Hash)> {
        Ok((NoBody, blake3::hash(b"")))
    }
}

impl<T, const OPTIONAL: bool> RequestBody for JsonBody<T, OPTIONAL>
where
    T: JsonSchema + DeserializeOwned + Send,
{
    fn describe(generator: &mut SchemaGenerator) -> Option<Value> {
        let schema = generator.subschema_for::<T>();
        Some(json!({"required": !OPTIONAL, "content": {"application/json": {"schema": schema}}}))
    }

    async fn read(request: Request, app: &App, _: &Visitor) -> Shown<(Self, blake3::Hash)> {
        let checked = match media_type(&request).as_str() {
            "application/json" => Ok(()),
            _ => Err(unsupported("`application/json`")),
        };
        if !OPTIONAL {
            checked.clone()?;
        }
        let bytes = read_bytes(request, app).await?;
        if OPTIONAL && bytes.is_empty() {
            return Ok((JsonBody(parse(b"{}")?), blake3::hash(b"")));
        }
        checked?;
        Ok((JsonBody(parse(&bytes)?), blake3::hash(&bytes)))
    }
}

/// Returns the media type of a request's body, without parameters.
pub(super) fn media_type(request: &Request) -> String {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// Makes the failure that a route does not take a media type.
pub(super) fn unsupported(taken: &str) -> Failure {
    let advice = format!("Send the body as {taken}, and say so in `Content-Type`.");
    failure(ProblemCode::UnsupportedMediaType, "This media type is not supported", advice)
}

/// Reads a whole body, which has the size that its route allows.
pub(super) async fn read_bytes(request: Request, app: &App) -> Shown<Bytes> {
    let read = timeout(SHORT, Bytes::from_request(request, app)).await;
    let read = read.map_err(|_| {
        let advice = "Nothing was changed. Send it again.";
        failure(ProblemCode::Timeout, "The body took too long", advice)
    })?;
    read.map_err(|rejection| match rejection.status().as_u16() {
        413 => failure(
            ProblemCode::TooLarge,
            "The body is too large",
            "Nothing was changed. Leave out what is not needed.",
        ),
        status => of_status(status, "The body did not arrive as a whole", "Send it again."),
    })
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Shown<T> {
    let why = |error: serde_json::Error| one_line(&error.to_string(), 500);
    let mut value: Value = serde_json::from_slice(bytes)
        .map_err(|error| wrong(format!("The body is not JSON: {}.", why(error))))?;
    // The library would also take a list with the fields' values.
    if !value.is_object() {
        return Err(unusable("The body is no object with fields."));
    }
    make_whole(&mut value);
    serde_json::from_value(value)
        .map_err(|error| unusable(format!("The body does not fit: {}.", why(error))))
}

/// Writes numbers such as `3.0` as `3`: JSON Schema takes both for whole numbers.
fn make_whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
            // Larger ones are not exact.
            if let Some(float) = float.filter(|float| float.abs() < 9e15) {
                *value = Value::from(float as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(fields) => fields.values_mut().for_each(make_whole),
        _ => {}
    }
}

/// Makes the failure that a part of a request has a wrong value.
pub(super) fn wrong(advice: impl Into<String>) -> Failure {
    failure(ProblemCode::BadRequest, "The request cannot be read", advice)
}

/// Cuts the items of a page to the most that it has, of which one more was read; returns the cursor
/// of the next page, if there is one. `place` is that of an item in the list.
pub(super) fn cut<T>(
    list: &str,
    items: &mut Vec<T>,
    most: usize,
    place: impl FnOnce(&T) -> String,
) -> Option<String> {
    let is_more = items.len() > most;
    items.truncate(most);
    items.last().filter(|_| is_more).map(|last| cursor(list, &place(last)))
}

/// Makes a cursor of a list. It names the last item of the page before, not the number of items
/// before it. So pages neither repeat nor miss items when others are added.
fn cursor(list: &str, place: &str) -> String {
    format!("{list}:{place}").bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads a cursor of a list: the place; `None` for the beginning.
pub(super) fn place<T>(
    list: &str,
    cursor: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Shown<Option<T>> {
    if cursor.is_empty() {
        return Ok(None);
    }
    let decoded = from_hex(cursor).and_then(|bytes| String::from_utf8(bytes).ok());
    let place = decoded.as_deref().and_then(|text| text.strip_prefix(list)?.strip_prefix(':'));
    match place.and_then(parse) {
        Some(place) => Ok(Some(place)),
        None => Err(failure(
            ProblemCode::InvalidCursor,
            "The cursor is not one of this list",
            "Use the `next` of the page before, or leave `cursor` out.",
        )),
    }
}

/// A successful reply, which can be sent and described.
pub(super) trait Reply: Send {
    /// The status code.
    const STATUS: u16 = 200;

    /// Describes it as OpenAPI's Response Object.
    fn describe(generator: &mut SchemaGenerator) -> Value;

    /// Makes the response.
    fn send(self) -> Sent;
}

/// A response that is ready, with what an `Idempotency-Key` keeps of it.
pub(super) struct Sent {
    pub(super) response: Response,
    pub(super) location: Option<String>,
    /// The body if it is JSON.
    pub(super) body: Option<String>,
}

/// JSON.
pub(super) struct Json<T>(pub(super) T);

/// JSON about something that was made.
pub(super) struct Created<T> {
    pub(super) body: T,
    /// Its path; `None` if it has none.
    pub(super) location: Option<String>,
}

/// Nothing.
pub(super) struct NoContent;

/// A file of a known size. Its route names the media type.
pub(super) struct Download {
    pub(super) bytes: Vec<u8>,
    pub(super) name: String,
    pub(super) media_type: &'static str,
}

/// A reply that is made while it is sent. Its route names the media types.
pub(super) struct Streamed(pub(super) Response);

/// JSON that is made in another way.
pub(super) struct Document(pub(super) &'static str);

impl<T: Serialize + JsonSchema + Send> Reply for Json<T> {
    fn describe(generator: &mut SchemaGenerator) -> Value {
        json_content::<T>(generator, "What was asked for.")
    }

    fn send(self) -> Sent {
        json_sent(&self.0, StatusCode::OK, None)
    }
}

impl<T: Serialize + JsonSchema + Send> Reply for Created<T> {
    const STATUS: u16 = 201;

    fn describe(generator: &mut SchemaGenerator) -> Value {
        let mut described = json_content::<T>(generator, "What was made.");
        described["headers"] = json!({"Location": {
            "description": "Its path, if it has one.",
            "schema": {"type": "string"},
        }});
        described
    }

    fn send(self) -> Sent {
        json_sent(&self.body, StatusCode::CREATED, self.location)
    }
}

impl Reply for NoContent {
    const STATUS: u16 = 204;

    fn describe(_: &mut SchemaGenerator) -> Value {
        json!({"description": "It is done."})
    }

    fn send(self) -> Sent {
        sent(StatusCode::NO_CONTENT.into_response())
    }
}

impl Reply for Download {
    fn describe(_: &mut SchemaGenerator) -> Value {
        json!({"description": "The file."})
    }

    fn send(self) -> Sent {
        let tag = [(header::ETAG, tag(&self.bytes))];
        sent(attachment(self.media_type, &self.name, (tag, self.bytes)))
    }
}

impl Reply for Streamed {
    fn describe(_: &mut SchemaGenerator) -> Value {
        json!({"description": "The contents, while they are made."})
    }

    fn send(self) -> Sent {
        sent(self.0)
    }
}

impl Reply for Document {
    fn describe(_: &mut SchemaGenerator) -> Value {
        json!({"description": "The document.", "content": {
            "application/json": {"schema": {"type": "object"}},
        }})
    }

    fn send(self) -> Sent {
        let headers = [
            (header::CONTENT_TYPE, "application/json".to_owned()),
            (header::ETAG, tag(self.0.as_bytes())),
        ];
        sent((headers, self.0).into_response())
    }
}

fn sent(response: Response) -> Sent {
    Sent { response, location: None, body: None }
}

fn json_content<T: JsonSchema>(generator: &mut SchemaGenerator, what: &str) -> Value {
    let schema = generator.subschema_for::<T>();
    json!({"description": what, "content": {"application/json": {"schema": schema}}})
}

fn json_sent<T: Serialize>(value: &T, status: StatusCode, location: Option<String>) -> Sent {
    let body = serde_json::to_string(value).expect("plain data can be written as JSON");
    let response = json_response(body.clone(), status, location.as_deref());
    Sent { response, location, body: Some(body) }
}

/// Makes a response of JSON that is written already.
pub(super) fn json_response(body: String, status: StatusCode, location: Option<&str>) -> Response {
    let tag = HeaderValue::from_str(&tag(body.as_bytes()));
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let (StatusCode::OK, Ok(tag)) = (status, tag) {
        headers.insert(header::ETAG, tag);
    }
    if let Some(location) = location.and_then(|location| HeaderValue::from_str(location).ok()) {
        headers.insert(header::LOCATION, location);
    }
    response
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use agon_ladder::api::ReasonRequest;

    use super::*;

    #[test]
    fn whole_numbers_may_have_a_point() {
        let read = |text: &str| parse::<HashMap<String, u32>>(text.as_bytes()).ok();
        for (text, number) in [("3.0", 3), ("4", 4), ("1e2", 100)] {
            assert_eq!(read(&format!("{{\"of\": {text}}}")).unwrap()["of"], number);
        }
        for number in ["3.5", "-1.0", "1e300", "\"3\""] {
            assert!(read(&format!("{{\"of\": {number}}}")).is_none(), "{number}");
        }
    }

    #[test]
    fn a_body_is_an_object() {
        assert!(parse::<ReasonRequest>(b"{}").is_ok());
        for text in ["[]", "[\"copied\"]", "3", "null", "\"\"", "{", ""] {
            assert!(parse::<ReasonRequest>(text.as_bytes()).is_err(), "{text}");
        }
    }

    fn number(text: &str) -> Option<u64> {
        text.parse().ok()
    }

    #[test]
    fn cursors_are_read_by_their_list_only() {
        let of_list = cursor("matches", "17");
        assert_eq!(place("matches", &of_list, number).unwrap(), Some(17));
        assert_eq!(place("matches", "", number).unwrap(), None);
        for text in ["17", "zz", "a", "ä", &cursor("match", "17"), &cursor("matches", "x")] {
            assert!(place("matches", text, number).is_err(), "{text}");
        }
    }
}
