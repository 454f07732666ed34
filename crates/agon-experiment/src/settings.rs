//! Reads a game's settings from `--rules FILE.toml` and `--set KEY=VALUE`.
//!
//! All commands of `agon` with these flags use it. A tournament has its settings in its plan.

use std::path::Path;

use agon_core::Game;
use agon_games::{
    GameId,
    settings::{set, to_map},
    with_game,
};
use agon_text::read_text;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

/// Returns the defaults, changed by the file and then by each of `sets` in order.
///
/// # Errors
/// Names the file or flag, the setting and what would fit.
pub fn load<G: Game>(file: Option<&Path>, sets: &[String]) -> Result<G::Rules> {
    let mut rules = G::Rules::default();
    if let Some(path) = file {
        agon_files::protect(path);
        let text = read_text(path)?;
        let table: toml::Table = toml::from_str(&text)
            .map_err(|e| anyhow!("{} is no TOML file: {e}", path.display()))?;
        for (key, value) in table {
            let value = serde_json::to_value(value)?;
            set::<G>(&mut rules, &key, value).with_context(|| format!("in {}", path.display()))?;
        }
    }
    change::<G>(rules, &[], sets)
}

/// Returns what [`load`] does, as JSON.
///
/// # Errors
/// As [`load`].
pub fn load_json(game: GameId, file: Option<&Path>, sets: &[String]) -> Result<Value> {
    with_game!(game, G => Ok(to_map::<G>(&load::<G>(file, sets)?).into()))
}

/// Changes settings by `--set`.
///
/// A classic command line has already set some of them from its own arguments. `given` lists these,
/// each with the words that gave it.
///
/// # Errors
/// As [`load`], and if a setting is also in `given`.
pub fn change<G: Game>(
    mut rules: G::Rules,
    given: &[(&str, &str)],
    sets: &[String],
) -> Result<G::Rules> {
    for text in sets {
        let (key, value) = text.split_once('=').with_context(|| {
            format!("--set {text}: expected key=value, as in --set {}", example::<G>())
        })?;
        let key = key.trim();
        if let Some((_, words)) = given.iter().find(|(name, _)| *name == key) {
            bail!("--set {text}: {words} sets `{key}` already; leave out one of them");
        }
        set::<G>(&mut rules, key, from_text(value.trim()))
            .with_context(|| format!("in --set {text}"))?;
    }
    Ok(rules)
}

/// Reads numbers, booleans and lists as JSON, and everything else as a string.
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
    use agon_games::cluster::{Cluster, Rules};

    use super::*;

    #[test]
    fn what_does_not_fit_is_told_without_names_of_types() {
        let error =
            |set: &str| format!("{:#}", load::<Cluster>(None, &[set.to_owned()]).unwrap_err());
        let end = "setting `side`: invalid value: integer `-1`, expected a whole number from 0 to \
            4294967295";
        assert!(error("side=-1").ends_with(end), "{}", error("side=-1"));
        assert!(error("side").contains("expected key=value"));
    }

    #[test]
    fn a_setting_is_given_in_one_way() {
        let change = |set: &str| {
            change::<Cluster>(
                Rules { side: 5, ..Rules::default() },
                &[("side", "SIDE")],
                &[set.to_owned()],
            )
        };
        assert_eq!(
            change("run_length=5").unwrap(),
            Rules { side: 5, run_length: 5, ..Rules::default() }
        );
        let error = change(" side = 6").unwrap_err().to_string();
        assert_eq!(error, "--set  side = 6: SIDE sets `side` already; leave out one of them");
        assert!(format!("{:#}", change("sides=6").unwrap_err()).contains("did you mean `side`"));
    }
}
