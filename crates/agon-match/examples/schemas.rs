//! Writes the JSON Schemas of match specs, match outcomes and manifests of bots.
//!
//! `cargo xtask generate` runs it.

use std::{fs, io, path::PathBuf};

use agon_match::spec::{BotManifest, MatchOutcome, MatchSpec};
use schemars::{JsonSchema, schema_for};

fn main() -> io::Result<()> {
    files().into_iter().try_for_each(|(path, text)| fs::write(path, text))
}

/// The files with their texts.
pub fn files() -> [(PathBuf, String); 3] {
    [
        file::<MatchSpec>("match-spec"),
        file::<MatchOutcome>("match-outcome"),
        file::<BotManifest>("bot-manifest"),
    ]
}

fn file<T: JsonSchema>(name: &str) -> (PathBuf, String) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/schemas");
    let text = serde_json::to_string_pretty(&schema_for!(T)).expect("a schema is JSON");
    (folder.join(format!("{name}.schema.json")), text + "\n")
}
