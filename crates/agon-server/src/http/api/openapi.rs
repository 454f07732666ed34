//! The OpenAPI 3.1 document, made of the table of routes.

use std::{collections::BTreeSet, sync::OnceLock};

use agon_ladder::api::{BASE, PROBLEM_TYPE, Problem, ProblemCode};
use axum::http::Method;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value, json};

use super::route::Route;

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

/// Returns the names of types that have one form in requests and another in replies.
#[cfg(test)]
pub(super) fn ambiguous(routes: &[Route]) -> Vec<String> {
    let mut schemas = schemas();
    for route in routes {
        let _ = operation(route, &mut schemas);
    }
    let requests = schemas.requests.take_definitions(true);
    let replies = schemas.replies.take_definitions(true);
    let differs =
        |name: &&String| replies.get(*name).is_some_and(|other| *other != requests[*name]);
    requests.keys().filter(differs).cloned().collect()
}

fn document(routes: &[Route]) -> Value {
    let mut schemas = schemas();
    let mut paths = Map::new();
    for route in routes {
        let operation = operation(route, &mut schemas);
        let item = paths.entry(route.path).or_insert_with(|| json!({}));
        item[route.method.as_str().to_lowercase()] = operation;
    }
    let problem = schemas.replies.subschema_for::<Problem>();
    let mut components = schemas.requests.take_definitions(true);
    components.extend(schemas.replies.take_definitions(true));
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

fn operation(route: &Route, schemas: &mut Schemas) -> Value {
    let mut all = parameters(&mut schemas.requests, route.types.path, "path");
    all.extend(parameters(&mut schemas.requests, route.types.query, "query"));
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
    let request = (route.types.request)(&mut schemas.requests);
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.summary,
        "parameters": all,
        "security": security,
        "responses": responses(route, request.is_some(), &mut schemas.replies),
    });
    if let Some(request) = request {
        operation["requestBody"] = request;
    }
    operation
}

/// Makes a parameter of each property of a type.
fn parameters(
    generator: &mut SchemaGenerator,
    of: fn(&mut SchemaGenerator) -> Schema,
    place: &str,
) -> Vec<Value> {
    let schema = of(generator);
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

fn responses(route: &Route, has_body: bool, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let reply = (route.types.reply)(generator);
    responses.insert(route.types.status.to_string(), reply);
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
    failures.extend(route.failure);
    for status in failures {
        let problem = json!({"$ref": "#/components/responses/Problem"});
        responses.insert(status.to_string(), problem);
    }
    Value::Object(responses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_has_a_meaning() {
        for code in ProblemCode::ALL {
            assert!(meaning(code).ends_with('.'), "{code:?}");
        }
    }
}
