//! Makes the JSON schema of events. `examples/event-schema.rs` writes it to a file.

use schemars::{Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::Value;

use crate::events::Event;

/// Returns the JSON schema of events as they are printed.
///
/// It requires each key that is always printed, also those that may be `null`.
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(describe_json));
    settings.into_generator().into_root_schema_for::<Event<'static>>()
}

/// Replaces the words of Rust in a description: links between types, and `None`.
fn describe_json(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace("[`", "`").replace("`]", "`").replace("`None`", "`null`");
    }
}
