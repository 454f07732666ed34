//! Writes the JSON Schema of events. `cargo xtask generate` runs it.

use std::{fs, io, path::PathBuf};

fn main() -> io::Result<()> {
    fs::write(path(), text())
}

/// Returns the path of the schema.
pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas/events.schema.json")
}

/// Returns the text of the schema.
pub fn text() -> String {
    serde_json::to_string_pretty(&agon_experiment::events::schema()).expect("a schema is JSON")
        + "\n"
}
