#![allow(clippy::unwrap_used, reason = "a test that finds nothing should fail")]

use serde_json::json;

use super::*;

#[test]
fn files_of_the_kits_are_up_to_date() {
    check().unwrap();
}

#[test]
fn schemas_that_kits_cannot_express_are_refused() {
    for (definition, expected) in [
        (
            json!({ "properties": { "x": { "type": "number" } } }),
            "no type of the kits for `number`",
        ),
        (json!({ "properties": { "x": { "$ref": "#/$defs/Y" } } }), "`$defs` lacks `Y`"),
        (json!({ "properties": { "x": { "type": "array" } } }), "for `anything`"),
        (json!({ "oneOf": [{ "type": "object" }] }), "need one constant each"),
    ] {
        let mut definition = definition;
        definition["type"] = "object".into();
        let error = schema::read("toy", &json!({ "$defs": { "X": definition } })).unwrap_err();
        let error = format!("{error:#}");
        assert!(error.starts_with("type `X`: ") && error.contains(expected), "{error}");
    }
}

#[test]
fn names_are_those_of_the_languages() {
    for name in ["MOVE_UP", "move_up", "MoveUp"] {
        assert_eq!(text::pascal(name), "MoveUp");
        assert_eq!(text::camel(name), "moveUp");
        assert_eq!(text::upper(name), "MOVE_UP");
    }
    assert_eq!(text::lowered("All cells."), "all cells.");
    assert_eq!(text::lowered("EAT or FEED."), "EAT or FEED.");
}
