//! A game's settings from `--rules FILE.toml` and `--set key=value`.

use std::path::Path;

use agon_core::Game;
use agon_games::settings::{set, to_map};
use anyhow::{Context, Result, anyhow};
use serde_json::Value;

/// The settings of a match: defaults, then the file, then the single settings in order.
///
/// # Errors
/// Names the file or flag, the setting and what would fit.
pub(crate) fn load<G: Game>(file: Option<&Path>, sets: &[String]) -> Result<G::Rules> {
    let mut rules = G::Rules::default();
    if let Some(path) = file {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let table: toml::Table =
            toml::from_str(&text).map_err(|e| anyhow!("{} is no TOML file: {e}", path.display()))?;
        for (key, value) in table {
            let value = serde_json::to_value(value)?;
            set::<G>(&mut rules, &key, value).with_context(|| format!("in {}", path.display()))?;
        }
    }
    for given in sets {
        let (key, text) = given
            .split_once('=')
            .with_context(|| format!("--set {given}: expected key=value, as in --set {}", example::<G>()))?;
        set::<G>(&mut rules, key.trim(), from_text(text.trim()))
            .with_context(|| format!("in --set {given}"))?;
    }
    Ok(rules)
}

/// Numbers, booleans and lists as in JSON, everything else as a string.
fn from_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn example<G: Game>() -> String {
    to_map::<G>(&G::Rules::default())
        .iter()
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
