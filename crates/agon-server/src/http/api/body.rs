//! The bodies of requests.

use agon_ladder_api::ProblemCode;
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
    call::{unusable, wrong},
    caller::Caller,
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
    serde_json::from_slice(bytes).map_err(|error| {
        let why = error.to_string();
        let why = agon_text::escape(agon_text::name::cut(&why, 500));
        match error.is_data() {
            true => unusable(format!("The body does not fit: {why}.")),
            false => wrong(format!("The body is not JSON: {why}.")),
        }
    })
}
