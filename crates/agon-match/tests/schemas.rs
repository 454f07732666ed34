//! The JSON Schemas in the documentation are those of the code.

#[path = "../examples/schemas.rs"]
#[allow(dead_code, unreachable_pub, reason = "it belongs to the example")]
mod schema_files;

#[test]
fn schemas_are_up_to_date() {
    for (path, text) in schema_files::files() {
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, text, "{}: run `cargo xtask generate`", path.display());
    }
}

#[test]
fn no_bot_of_this_machine_is_in_the_schema() {
    let [(_, spec), ..] = schema_files::files();
    assert!(spec.contains("BuiltinSeat") && spec.contains("BlobSeat"));
    assert!(!spec.contains("Local"), "{spec}");
    assert!(spec.contains("\"additionalProperties\": false"));
}
