//! What handlers return.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

/// A successful reply, which can be sent and described.
pub(super) trait Reply: Send {
    /// The status code.
    const STATUS: u16;

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
    const STATUS: u16 = 200;

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
    const STATUS: u16 = 200;

    fn describe(_: &mut SchemaGenerator) -> Value {
        json!({"description": "The file."})
    }

    fn send(self) -> Sent {
        let headers = [
            (header::CONTENT_TYPE, self.media_type.to_owned()),
            (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", self.name)),
            (header::ETAG, tag(&self.bytes)),
        ];
        sent((headers, self.bytes).into_response())
    }
}

impl Reply for Streamed {
    const STATUS: u16 = 200;

    fn describe(_: &mut SchemaGenerator) -> Value {
        json!({"description": "The contents, while they are made."})
    }

    fn send(self) -> Sent {
        sent(self.0)
    }
}

impl Reply for Document {
    const STATUS: u16 = 200;

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

/// Returns the strong tag of a body.
fn tag(body: &[u8]) -> String {
    format!("\"{}\"", &blake3::hash(body).to_hex()[..32])
}
