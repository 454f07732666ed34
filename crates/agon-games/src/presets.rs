//! [`Presets`]: named settings of a game, and settings for its short matches.
//!
//! `agon play`, `agon rules` and the other commands with `--preset` use the named ones. `agon
//! check`, the starter kits, tests and fuzz tests use the short ones.

use agon_core::{Game, did_you_mean};

use crate::any::GameKind;
use crate::settings::{SettingError, set, value_of};

/// The preset that `agon play` uses when nothing else is said.
pub const DEFAULT: &str = "default";

/// The preset with the settings of the game's documents, which every game has.
pub const CLASSIC: &str = "classic";

/// Named settings of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The name: lower case, no spaces.
    pub name: &'static str,
    /// One sentence that says what the preset is good for.
    pub summary: &'static str,
    /// What it changes of the documents' defaults, as `SETTING=VALUE`.
    pub settings: &'static [&'static str],
}

/// Settings of a game under a name, and for short matches.
pub trait Presets: Game {
    /// The game's own presets. If `default` is missing, it has the documents' defaults, as
    /// `classic` has.
    ///
    /// A preset changes the size and the length of a match. It leaves alone the numbers that bots
    /// may rely on, such as costs and limits.
    const PRESETS: &'static [Preset] = &[];

    /// Settings for a short match, as `SETTING=VALUE`: the preset `short`, if there are any.
    const SHORT: &'static [&'static str] = &[];

    /// Settings on top of [`Presets::SHORT`] for the matches of `agon check`.
    const CHECKED: &'static [&'static str] = &[];

    /// Settings for a tiny match of two players, as JSON. Fuzz tests use them.
    const TINY: &'static str = "{}";

    /// Options of `agon play` that keep a match against the first built-in bot short; empty if it
    /// needs none. The starter kits name them.
    const OPTIONS: &'static str = "";

    /// The setting that makes a match endless, in words; for games that have one.
    const ENDLESS: &'static str = "its settings have none";

    /// The match whose messages are recorded for `docs/protocol.md` and the starter kits; `None`
    /// for games that are not described there.
    const SAMPLE: Option<Sample> = None;

    /// Returns the game of this match, where many games share the type.
    fn kind_of_match(&self) -> Option<&'static dyn GameKind> {
        None
    }
}

/// A short match of two players with scripted answers.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The settings, as JSON.
    pub rules: &'static str,
    /// The position at the start, as JSON; `None` for the usual start.
    pub position: Option<&'static str>,
    /// The seed of the script that draws the answers.
    pub script: u64,
    /// A long reply of the JSON Lines protocol, from which fuzz tests start.
    pub reply: &'static str,
}

/// Returns all presets of a game: `default`, its other own ones, `short` if it has one, `classic`.
pub fn all<G: Presets>() -> Vec<Preset> {
    with_usual(G::PRESETS.to_vec(), G::SHORT)
}

/// Returns a game's own presets with those that all games have.
pub(crate) fn with_usual(mut presets: Vec<Preset>, short: &'static [&'static str]) -> Vec<Preset> {
    // `false` comes before `true`, and the others keep their order.
    presets.sort_by_key(|preset| preset.name != DEFAULT);
    if presets.first().is_none_or(|first| first.name != DEFAULT) {
        let summary = "The defaults of the game's documents.";
        presets.insert(0, Preset { name: DEFAULT, summary, settings: &[] });
    }
    if !short.is_empty() {
        let summary = "A short match, as `agon check` plays it.";
        presets.push(Preset { name: "short", summary, settings: short });
    }
    let summary = "The defaults of the game's documents.";
    presets.push(Preset { name: CLASSIC, summary, settings: &[] });
    presets
}

/// Returns the settings of a preset.
///
/// # Errors
/// If there is none of this name.
///
/// # Panics
/// If the game's own preset does not fit its settings. A test tries them all.
pub fn rules<G: Presets>(name: &str) -> Result<G::Rules, SettingError> {
    let settings = settings(&all::<G>(), name, G::META.id)?;
    Ok(changed::<G>(settings).expect("a game's presets fit its settings"))
}

/// Returns what a preset changes.
///
/// # Errors
/// If there is none of this name.
pub(crate) fn settings(
    presets: &[Preset],
    name: &str,
    game: &str,
) -> Result<&'static [&'static str], SettingError> {
    if let Some(preset) = presets.iter().find(|preset| preset.name == name) {
        return Ok(preset.settings);
    }

    let known = || presets.iter().map(|preset| preset.name);
    let hint = match did_you_mean(name, known()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("there are `{}`", known().collect::<Vec<_>>().join("`, `")),
    };
    let name = agon_core::text::shown_name(name);
    Err(SettingError(format!("{game} has no preset `{name}`; {hint}")))
}

/// Returns the documents' defaults, changed by each of `sets` (`SETTING=VALUE`) in order.
///
/// # Errors
/// If there is no such setting, or a value does not fit.
pub fn changed<G: Game>(sets: &[&str]) -> Result<G::Rules, SettingError> {
    let mut rules = G::Rules::default();
    for text in sets {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        set::<G>(&mut rules, key, value_of(value))?;
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GameId, with_game};

    #[test]
    fn every_game_has_a_default_and_a_classic_preset_with_names_of_their_own() {
        for id in GameId::OWN {
            let presets = with_game!(id, G => all::<G>());
            let names: Vec<_> = presets.iter().map(|preset| preset.name).collect();
            assert_eq!((names[0], names[names.len() - 1]), (DEFAULT, CLASSIC), "{id}");
            let distinct: std::collections::BTreeSet<_> = names.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{id}: {names:?}");
            for preset in presets {
                assert!(preset.summary.ends_with('.'), "{id}: {}", preset.name);
            }
            with_game!(id, G => {
                let classic = rules::<G>(CLASSIC).unwrap();
                assert_eq!(classic, <G as Game>::Rules::default(), "{id}");
            });
        }
    }

    #[test]
    fn a_wrong_name_gets_the_right_one() {
        use crate::cluster::Cluster;
        let error = |name: &str| rules::<Cluster>(name).unwrap_err().to_string();
        assert_eq!(error("clasic"), "cluster has no preset `clasic`; did you mean `classic`?");
        let end = "`; there are `default`, `short`, `classic`";
        assert!(error("xyz").ends_with(end), "{}", error("xyz"));
        assert!(error("").ends_with(end), "{}", error(""));
        assert!(!error("\u{1b}[31m").contains('\u{1b}'));
    }
}
