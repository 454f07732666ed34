//! A game's settings from `--rules FILE.toml` and `--set key=value`.

use std::path::Path;

use agon_core::{Game, did_you_mean};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Map, Value};

/// The settings of a match: defaults, then the file, then the single settings in order.
///
/// # Errors
/// Names the file or flag, the setting and what would fit.
pub(crate) fn load<G: Game>(file: Option<&Path>, sets: &[String]) -> Result<G::Rules> {
    let mut settings = Layers::<G>::new()?;
    if let Some(path) = file {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let table: toml::Table =
            toml::from_str(&text).map_err(|e| anyhow!("{} is no TOML file: {e}", path.display()))?;
        for (key, value) in table {
            let value = serde_json::to_value(value)?;
            settings.set(&key, value).with_context(|| format!("in {}", path.display()))?;
        }
    }
    for set in sets {
        let (key, text) = set
            .split_once('=')
            .with_context(|| format!("--set {set}: expected key=value, as in --set {}", example::<G>()))?;
        settings.set(key.trim(), from_text(text.trim())).with_context(|| format!("in --set {set}"))?;
    }
    Ok(settings.rules)
}

/// The settings with their values, as JSON, in the order of their declaration.
///
/// # Errors
/// If the settings are no JSON object, which would be a mistake in the game.
pub(crate) fn to_map<R: serde::Serialize>(rules: &R) -> Result<Map<String, Value>> {
    match serde_json::to_value(rules)? {
        Value::Object(map) => Ok(map),
        other => bail!("settings are a JSON object, not {other}"),
    }
}

struct Layers<G: Game> {
    rules: G::Rules,
}

impl<G: Game> Layers<G> {
    fn new() -> Result<Layers<G>> {
        Ok(Layers { rules: G::Rules::default() })
    }

    /// Sets one key; each is tried by itself, so that an error is about this key.
    fn set(&mut self, key: &str, value: Value) -> Result<()> {
        let mut map = to_map(&self.rules)?;
        let Some(old) = map.get_mut(key) else {
            let known: Vec<&str> = map.keys().map(String::as_str).collect();
            let hint = match did_you_mean(key, known.iter().copied()) {
                Some(name) => format!("did you mean `{name}`?"),
                None => format!("`agon rules {}` lists all", G::META.id),
            };
            bail!("{} has no setting `{key}`; {hint}", G::META.id);
        };
        *old = value;
        self.rules = serde_json::from_value(Value::Object(map))
            .map_err(|e| anyhow!("setting `{key}`: {}", plain(&e.to_string())))?;
        Ok(())
    }
}

/// The error of a setting without the names of Rust's types.
fn plain(error: &str) -> String {
    let Some((found, expected)) = error.rsplit_once(", expected ") else { return error.to_owned() };
    let expected = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" => "a whole number",
        "a sequence" => "a list",
        other => other,
    };
    format!("{found}, expected {expected}")
}

/// Numbers, booleans and lists as in JSON, everything else as a string.
fn from_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn example<G: Game>() -> String {
    let map = to_map(&G::Rules::default()).unwrap_or_default();
    map.iter()
        .find(|(_, value)| value.is_number())
        .map_or_else(String::new, |(key, value)| format!("{key}={value}"))
}

#[cfg(test)]
mod tests {
    use agon_games::cluster::Cluster;

    use super::*;

    #[test]
    fn what_does_not_fit_is_told_without_names_of_types() {
        let error = |set: &str| format!("{:#}", load::<Cluster>(None, &[set.to_owned()]).unwrap_err());
        let end = "setting `side`: invalid value: integer `-1`, expected a whole number from 0 to 4294967295";
        assert!(error("side=-1").ends_with(end), "{}", error("side=-1"));
        assert!(error("side").contains("expected key=value"));
    }
}
