//! The bodies of requests.

use agon_ladder::api::ProblemCode;
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::header,
};
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    caller::Caller,
    failures::{unusable, wrong},
};
use crate::{
    app::App,
    http::{
        form::SHORT,
        reply::{Failure, Shown, coded, failure},
    },
};

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
#[derive(Debug)]
pub(super) struct NoBody;

/// JSON.
#[derive(Debug)]
pub(super) struct JsonBody<T>(pub(super) T);

/// JSON, or nothing for the value that the type has by default.
#[derive(Debug)]
pub(super) struct OptionalBody<T>(pub(super) T);

impl RequestBody for NoBody {
    fn describe(_: &mut SchemaGenerator) -> Option<Value> {
        None
    }

    async fn read(_: Request, _: &App, _: &Caller) -> Shown<(NoBody, blake3::Hash)> {
        Ok((NoBody, blake3::hash(b"")))
    }
}

impl<T: JsonSchema + DeserializeOwned + Send> RequestBody for JsonBody<T> {
    fn describe(generator: &mut SchemaGenerator) -> Option<Value> {
        let schema = generator.subschema_for::<T>();
        Some(json!({"required": true, "content": {"application/json": {"schema": schema}}}))
    }

    async fn read(request: Request, app: &App, _: &Caller) -> Shown<(Self, blake3::Hash)> {
        check_json(&request)?;
        let bytes = read_bytes(request, app).await?;
        Ok((JsonBody(parse(&bytes)?), blake3::hash(&bytes)))
    }
}

impl<T: JsonSchema + DeserializeOwned + Default + Send> RequestBody for OptionalBody<T> {
    fn describe(generator: &mut SchemaGenerator) -> Option<Value> {
        let schema = generator.subschema_for::<T>();
        Some(json!({"required": false, "content": {"application/json": {"schema": schema}}}))
    }

    async fn read(request: Request, app: &App, _: &Caller) -> Shown<(Self, blake3::Hash)> {
        let is_json = check_json(&request);
        let bytes = read_bytes(request, app).await?;
        if bytes.is_empty() {
            return Ok((OptionalBody(T::default()), blake3::hash(b"")));
        }
        is_json?;
        Ok((OptionalBody(parse(&bytes)?), blake3::hash(&bytes)))
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

fn check_json(request: &Request) -> Shown<()> {
    match media_type(request).as_str() {
        "application/json" => Ok(()),
        _ => Err(unsupported("`application/json`")),
    }
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
}
