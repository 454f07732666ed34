//! Reads a game's settings from `--preset NAME`, `--rules FILE.toml` and `--set KEY=VALUE`.
//!
//! All commands of `agon` with these flags use it. A tournament has its settings in its plan.

use std::path::Path;

use agon_files::input::read_text;
use agon_games::{any::GameKind, settings::value_of};
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

/// Returns all settings of a game. It begins with a preset or the defaults, and applies the file,
/// then each of `sets` in order.
///
/// # Errors
/// Names the file or flag, the setting and what would fit.
pub fn load(kind: &dyn GameKind, from: Sources<'_>) -> Result<Value> {
    let mut rules = match from.preset {
        Some(name) => kind.preset_rules(name).context("--preset")?,
        None => kind.default_rules(),
    };
    if let Some(path) = from.file {
        agon_files::protect(path);
        let text = read_text(path)?;
        let table: toml::Table = toml::from_str(&text)
            .map_err(|e| anyhow!("{} is no TOML file: {e}", path.display()))?;
        for (key, value) in table {
            let value = serde_json::to_value(value)?;
            let set = kind.set_rule(&mut rules, &key, value);
            set.with_context(|| format!("in {}", path.display()))?;
        }
    }
    change(kind, rules, &[], from.sets)
}

/// Changes a full set of settings by `--set`.
///
/// A classic command line has already set some of them from its own arguments. `given` lists these,
/// each with the words that gave it.
pub fn change(
    kind: &dyn GameKind,
    mut rules: Value,
    given: &[(&str, &str)],
    sets: &[String],
) -> Result<Value> {
    for text in sets {
        let (key, value) = text.split_once('=').with_context(|| {
            format!("--set {text}: expected key=value, as in --set {}", example(kind))
        })?;
        let key = key.trim();
        if let Some((_, words)) = given.iter().find(|(name, _)| *name == key) {
            bail!("--set {text}: {words} sets `{key}` already; leave out one of them");
        }
        let set = kind.set_rule(&mut rules, key, value_of(value.trim()));
        set.with_context(|| format!("in --set {text}"))?;
    }
    Ok(rules)
}

fn example(kind: &dyn GameKind) -> String {
    let rules = kind.default_rules();
    let mut numbers =
        rules.as_object().into_iter().flatten().filter(|(_, value)| value.is_number());
    numbers.next().map_or_else(String::new, |(key, value)| format!("{key}={value}"))
}

#[cfg(test)]
mod tests {
    use agon_games::GameId;

    use super::*;

    fn cluster() -> &'static dyn GameKind {
        GameId::Cluster.kind()
    }

    #[test]
    fn what_does_not_fit_is_told_without_names_of_types() {
        let load = |set: &str| {
            let sets = [set.to_owned()];
            load(cluster(), Sources { sets: &sets, ..Sources::default() })
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
        let mut short = cluster().preset_rules("short").unwrap();
        assert_ne!(short, cluster().default_rules());
        short["run_length"] = 5.into();
        assert_eq!(load(cluster(), from).unwrap(), short);
        let classic = Sources { preset: Some("classic"), ..Sources::default() };
        assert_eq!(load(cluster(), classic).unwrap(), cluster().default_rules());
        let wrong = Sources { preset: Some("shrt"), ..Sources::default() };
        let error = format!("{:#}", load(cluster(), wrong).unwrap_err());
        assert_eq!(error, "--preset: cluster has no preset `shrt`; did you mean `short`?");
    }

    #[test]
    fn a_setting_is_given_in_one_way() {
        let rules = |sets: &[&str]| cluster().changed_rules(sets).unwrap();
        let change = |set: &str| {
            change(cluster(), rules(&["side=5"]), &[("side", "SIDE")], &[set.to_owned()])
        };
        assert_eq!(change("run_length=5").unwrap(), rules(&["side=5", "run_length=5"]));
        let error = change(" side = 6").unwrap_err().to_string();
        assert_eq!(error, "--set  side = 6: SIDE sets `side` already; leave out one of them");
        assert!(format!("{:#}", change("sides=6").unwrap_err()).contains("did you mean `side`"));
    }
}
