//! The JSON Schema of a game's messages in the JSON Lines protocol. `agon rules GAME --schema`
//! prints it, and `docs/schemas` holds it.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{
    JsonGame,
    message::{Answers, Decide, End, Start},
};

/// The messages of a game as a JSON Schema (draft 2020-12): `start`, `decide`, `answers` and `end`
/// below `$defs`.
///
/// Objects may have more keys than the schema names, in either direction.
pub fn schema<G: JsonGame>() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let messages = [
        generator.subschema_for::<Start<'static, G>>(),
        generator.subschema_for::<Decide<'static, G>>(),
        generator.subschema_for::<Answers<G::Reply>>(),
        generator.subschema_for::<End>(),
    ];
    let mut definitions = generator.take_definitions(true);
    for name in ["start", "decide", "end"] {
        tag(&mut definitions, name);
    }
    definitions.values_mut().for_each(allow_more_keys);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{}: the messages of the JSON Lines protocol", G::META.id),
        "description": "The arena writes start once, decide for every question, and end; the bot \
            writes answers.",
        "oneOf": messages,
        "$defs": definitions,
    })
}

/// Puts the key `type`, which the derived schema lacks, in front of a message's others.
fn tag(definitions: &mut Map<String, Value>, name: &str) {
    let Some(Value::Object(message)) = definitions.get_mut(name) else {
        panic!("the schema of `{name}` is an object");
    };
    let kind = ("type".to_owned(), json!({ "const": name }));
    if let Some(Value::Object(properties)) = message.get_mut("properties") {
        *properties = [kind].into_iter().chain(std::mem::take(properties)).collect();
    }
    if let Some(Value::Array(required)) = message.get_mut("required") {
        required.insert(0, "type".into());
    }
}

/// People must not write unknown settings. But a bot reads them from the arena, which may be newer.
fn allow_more_keys(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.shift_remove("additionalProperties");
            map.values_mut().for_each(allow_more_keys);
        }
        Value::Array(list) => list.iter_mut().for_each(allow_more_keys),
        _ => {}
    }
}
