//! What a handler gets: path, query and body, already read. Pages of lists, and failures that many
//! handlers share.

use std::fmt::Write;

use agon_ladder::api::{ProblemCode, ReasonRequest};
use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{gate::Caller, route::Key};
use crate::{http::form::SHORT, http::prelude::*};

/// A request as its handler gets it.
pub(super) struct Call<P, Q = NoQuery, B = NoBody> {
    pub(super) app: App,
    pub(super) caller: Caller,
    pub(super) path: P,
    pub(super) query: Q,
    pub(super) body: B,
    /// The `Idempotency-Key`, if the route takes one and it was sent.
    pub(super) key: Option<Key>,
}

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
    let why = agon_core::text::escape(agon_core::text::name::cut(why, 500));
    wrong(format!("{what} is wrong: {why}."))
}

/// The body of a request, which can be read and described.
pub(super) trait RequestBody: Send + Sized {
    /// Describes it as OpenAPI's Request Body Object; `None` if there is none.
    fn describe(generator: &mut SchemaGenerator) -> Option<Value>;

    /// Reads it. Also returns its digest.
    fn read(
        request: Request,
        app: &App,
        caller: &Caller,
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

    async fn read(_: Request, _: &App, _: &Caller) -> Shown<(NoBody, blake3::Hash)> {
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

    async fn read(request: Request, app: &App, _: &Caller) -> Shown<(Self, blake3::Hash)> {
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
    coded(ProblemCode::UnsupportedMediaType, "This media type is not supported", advice)
}

/// Reads a whole body, which has the size that its route allows.
pub(super) async fn read_bytes(request: Request, app: &App) -> Shown<Bytes> {
    let read = timeout(SHORT, Bytes::from_request(request, app)).await;
    let read = read.map_err(|_| {
        coded(ProblemCode::Timeout, "The body took too long", "Nothing was changed. Send it again.")
    })?;
    read.map_err(|rejection| match rejection.status().as_u16() {
        413 => coded(
            ProblemCode::TooLarge,
            "The body is too large",
            "Nothing was changed. Leave out what is not needed.",
        ),
        status => failure(status, "The body did not arrive as a whole", "Send it again."),
    })
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Shown<T> {
    let why = |error: serde_json::Error| {
        let why = error.to_string();
        agon_core::text::escape(agon_core::text::name::cut(&why, 500)).into_owned()
    };
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
    coded(ProblemCode::BadRequest, "The request cannot be read", advice)
}

/// Makes the failure that a value of a body cannot be used.
pub(super) fn unusable(advice: impl Into<String>) -> Failure {
    coded(ProblemCode::Unprocessable, "The request cannot be used", advice)
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
    let mut text = String::new();
    for byte in format!("{list}:{place}").bytes() {
        // A `String` takes everything.
        let _ = write!(text, "{byte:02x}");
    }
    text
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
    let decoded = decode(cursor);
    let place = decoded.as_deref().and_then(|text| text.strip_prefix(list)?.strip_prefix(':'));
    match place.and_then(parse) {
        Some(place) => Ok(Some(place)),
        None => Err(coded(
            ProblemCode::InvalidCursor,
            "The cursor is not one of this list",
            "Use the `next` of the page before, or leave `cursor` out.",
        )),
    }
}

fn decode(cursor: &str) -> Option<String> {
    if !cursor.len().is_multiple_of(2) || !cursor.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let bytes = (0..cursor.len()).step_by(2);
    let bytes = bytes.map(|at| u8::from_str_radix(&cursor[at..at + 2], 16).ok());
    String::from_utf8(bytes.collect::<Option<Vec<u8>>>()?).ok()
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
