//! Writes the JSON Schema of reports. `cargo xtask generate` runs it.

use std::{fs, io, path::PathBuf};

use agon_tournament::report::Report;

fn main() -> io::Result<()> {
    fs::write(path(), text())
}

/// Returns the path of the schema.
pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/schemas/tournament-report.schema.json")
}

/// Returns the text of the schema.
pub fn text() -> String {
    let schema = schemars::schema_for!(Report<'static>);
    serde_json::to_string_pretty(&schema).expect("a schema is JSON") + "\n"
}
