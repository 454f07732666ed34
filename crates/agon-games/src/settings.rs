//! Changes single settings of a game by name, with errors that people understand. `--set
//! KEY=VALUE`, tournament plans and tunings use it.

use agon_core::{Game, did_you_mean};
use serde_json::{Map, Value};
use thiserror::Error;

/// Why a setting cannot be set, and what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SettingError(pub String);

/// Settings with their values, in the order of their declaration.
///
/// # Panics
/// If the game's settings are no JSON object, which would be a mistake in the game.
pub fn to_map<G: Game>(rules: &G::Rules) -> Map<String, Value> {
    match serde_json::to_value(rules) {
        Ok(Value::Object(map)) => map,
        other => panic!("settings are a JSON object, not {other:?}"),
    }
}

/// Sets one setting. An error is about this setting alone.
///
/// # Errors
/// Names the setting and the values that would fit; `rules` stays unchanged.
pub fn set<G: Game>(rules: &mut G::Rules, key: &str, value: Value) -> Result<(), SettingError> {
    let mut map = to_map::<G>(rules);
    let Some(old) = map.get_mut(key) else {
        let game = G::META.id;
        let hint = match did_you_mean(key, map.keys().map(String::as_str)) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("`agon rules {game}` lists all"),
        };
        return Err(SettingError(format!("{game} has no setting `{key}`; {hint}")));
    };
    *old = value;
    *rules = serde_json::from_value(Value::Object(map))
        .map_err(|error| SettingError(format!("setting `{key}`: {}", plain(&error.to_string()))))?;
    Ok(())
}

/// Reads the value of a setting from text: numbers, booleans and lists are read as JSON, everything
/// else is a string.
pub fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// Replaces the names of Rust types in an error of serde by words.
pub fn plain(error: &str) -> String {
    let Some((found, expected)) = error.rsplit_once(", expected ") else { return error.to_owned() };
    // Errors in a text have a place behind.
    let (expected, place) = match expected.find(" at ") {
        Some(at) => expected.split_at(at),
        None => (expected, ""),
    };
    let expected = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    };
    format!("{found}, expected {expected}{place}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::{Cluster, Rules};

    #[test]
    fn one_setting_is_set_or_all_stay_as_they_are() {
        let mut rules = Rules::default();
        set::<Cluster>(&mut rules, "side", json!(4)).unwrap();
        assert_eq!(rules.side, 4);
        let before = rules.clone();
        let error = set::<Cluster>(&mut rules, "side", json!(-1)).unwrap_err().to_string();
        let expected = "integer `-1`, expected a whole number from 0 to 4294967295";
        assert_eq!(error, format!("setting `side`: invalid value: {expected}"));
        let found = "invalid type: string \"x\", expected";
        let plain = plain(&format!("{found} u8 at line 1 column 4"));
        assert_eq!(plain, format!("{found} a whole number from 0 to 255 at line 1 column 4"));
        let error = set::<Cluster>(&mut rules, "sides", json!(4)).unwrap_err().to_string();
        assert_eq!(error, "cluster has no setting `sides`; did you mean `side`?");
        assert_eq!(rules, before);
    }
}
