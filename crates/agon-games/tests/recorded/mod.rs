//! Reads the recordings of amoebas in `data/`, for the tests beside it.

use serde_json::Value;

const SPECIES: [&str; 3] = ["red", "blue", "green"];

pub(crate) fn number(value: &Value) -> u32 {
    value.as_u64().expect("a number") as u32
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

pub(crate) fn species(value: &Value) -> u32 {
    SPECIES.iter().position(|name| *name == text(value)).expect("a known species") as u32
}
