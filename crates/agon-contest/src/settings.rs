//! Reads a game's settings from `--preset NAME`, `--rules FILE.toml` and `--set KEY=VALUE`.
//!
//! All commands of `agon` with these flags use it. A tournament has its settings in its plan.

use std::path::Path;

use agon_core::Game;
use agon_files::input::read_text;
use agon_games::settings::{set, set_text, to_map};
use agon_games::{GameId, Presets, presets, with_game};
use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value;

/// Where a command's settings come from, in the order in which each changes those before it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// The preset to start from; without one, the documents' defaults.
    pub preset: Option<&'a str>,
    /// A TOML file.
    pub file: Option<&'a Path>,
    /// Single settings, as `KEY=VALUE`.
    pub sets: &'a [String],
}

/// Returns the settings of a preset or the defaults, changed by the file and then by each of `sets`
/// in order.
///
/// # Errors
/// Names the file or flag, the setting and what would fit.
pub fn load<G: Presets>(from: Sources<'_>) -> Result<G::Rules> {
    let mut rules = match from.preset {
        Some(name) => presets::rules::<G>(name).context("--preset")?,
        None => G::Rules::default(),
    };
    if let Some(path) = from.file {
        agon_files::protect(path);
        let text = read_text(path)?;
        let table: toml::Table = toml::from_str(&text)
            .map_err(|e| anyhow!("{} is no TOML file: {e}", path.display()))?;
        for (key, value) in table {
            let value = serde_json::to_value(value)?;
            set::<G>(&mut rules, &key, value).with_context(|| format!("in {}", path.display()))?;
        }
    }
    change::<G>(rules, &[], from.sets)
}

/// Returns what [`load`] does, as JSON.
pub fn load_json(game: GameId, from: Sources<'_>) -> Result<Value> {
    with_game!(game, G => Ok(to_map::<G>(&load::<G>(from)?).into()))
}

/// Changes settings by `--set`.
///
/// A classic command line has already set some of them from its own arguments. `given` lists these,
/// each with the words that gave it.
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
        set_text::<G>(&mut rules, key, value.trim()).with_context(|| format!("in --set {text}"))?;
    }
    Ok(rules)
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
        let load = |set: &str| {
            let sets = [set.to_owned()];
            load::<Cluster>(Sources { sets: &sets, ..Sources::default() })
        };
        let error = |set: &str| format!("{:#}", load(set).unwrap_err());
        let end = "setting `side`: invalid value: integer `-1`, expected a whole number from 0 to \
            4294967295";
        assert!(error("side=-1").ends_with(end), "{}", error("side=-1"));
        assert!(error("side").contains("expected key=value"));
    }

    #[test]
    fn files_and_flags_change_a_preset() {
        let sets = ["run_length=5".to_owned()];
        let from = Sources { preset: Some("short"), file: None, sets: &sets };
        let short = presets::rules::<Cluster>("short").unwrap();
        assert_ne!(short, Rules::default());
        assert_eq!(load::<Cluster>(from).unwrap(), Rules { run_length: 5, ..short });
        let classic = Sources { preset: Some("classic"), ..Sources::default() };
        assert_eq!(load::<Cluster>(classic).unwrap(), Rules::default());
        let wrong = Sources { preset: Some("shrt"), ..Sources::default() };
        let error = format!("{:#}", load::<Cluster>(wrong).unwrap_err());
        assert_eq!(error, "--preset: cluster has no preset `shrt`; did you mean `short`?");
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
