//! Writes the JSON Schemas of reports and events. `cargo xtask generate` runs it.

use std::{fs, io, path::PathBuf};

use agon_contest::{events, report::Report};
use schemars::{Schema, schema_for};

fn main() -> io::Result<()> {
    [reports(), events()].into_iter().try_for_each(|(path, text)| fs::write(path, text))
}

/// Returns the path and the text of the schema of reports.
pub fn reports() -> (PathBuf, String) {
    file("tournament-report.schema.json", &schema_for!(Report<'static>))
}

/// Returns the path and the text of the schema of events.
pub fn events() -> (PathBuf, String) {
    file("events.schema.json", &events::schema())
}

fn file(name: &str, schema: &Schema) -> (PathBuf, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas").join(name);
    (path, serde_json::to_string_pretty(schema).expect("a schema is JSON") + "\n")
}
