//! [`Manifest`]: what a game's `game.toml` says: name, players, settings and presets.

use agon_core::did_you_mean;
use agon_core::text::escape;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::settings::SettingError;

/// The most players of a match.
pub(super) const MAX_PLAYERS: usize = 64;

/// The most settings, and presets.
const MAX_LISTED: usize = 64;

/// The most characters of a text.
const MAX_TEXT: usize = 400;

/// What `game.toml` says.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The name: lower-case letters, digits and `-`.
    pub name: String,
    /// One sentence for lists of games.
    pub summary: String,
    /// The fewest and the most players.
    pub players: [usize; 2],
    /// The word for one unit of the game's length.
    #[serde(default = "turn")]
    pub turn: String,
    /// The time of a bot for its first answer, start included, in milliseconds.
    #[serde(default = "first_answer")]
    pub first_answer_ms: u64,
    /// The time of a bot for each later answer.
    #[serde(default = "later_answers")]
    pub answer_ms: u64,
    /// The command of rules that are a program; its last word is the file beside `game.toml`.
    pub program: Option<String>,
    /// The settings.
    #[serde(default, rename = "setting")]
    pub settings: Vec<Setting>,
    /// Settings under a name.
    #[serde(default, rename = "preset")]
    pub presets: Vec<PresetOfFile>,
}

fn turn() -> String {
    "turn".to_owned()
}

fn first_answer() -> u64 {
    1000
}

fn later_answers() -> u64 {
    100
}

/// A setting: a whole number, `true` or `false`, or one of some words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The name: lower-case letters, digits and `_`.
    pub name: String,
    /// What it does, in one sentence.
    pub about: String,
    /// The value if nothing is said.
    pub default: Value,
    /// The least and the greatest number.
    pub range: Option<[i64; 2]>,
    /// The words among which to choose.
    pub one_of: Option<Vec<String>>,
}

/// Settings under a name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetOfFile {
    /// The name.
    pub name: String,
    /// One sentence that says what it is good for.
    pub summary: String,
    /// The settings that differ from the defaults.
    pub set: Map<String, Value>,
}

/// Returns whether a text can be a name in code: a letter, then letters, digits and `_`.
pub(super) fn is_identifier(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.len() <= 32
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(fits)
}

/// Returns whether a text is too long to be shown in a line, or has hidden characters.
pub(super) fn is_bad_text(text: &str) -> bool {
    text.chars().count() > MAX_TEXT || escape(text) != text
}

impl Manifest {
    /// Checks everything that a file can get wrong; an error names the part.
    pub(super) fn check(&self) -> Result<(), String> {
        let [least, most] = self.players;
        if least == 0 || least > most || most > MAX_PLAYERS {
            let range = format!("the fewest and the most, from 1 to {MAX_PLAYERS}");
            return Err(format!("players: [{least}, {most}] is not {range}"));
        }
        if !is_identifier(&self.turn) {
            return Err("turn: it is no single word".to_owned());
        }
        if self.settings.len() > MAX_LISTED || self.presets.len() > MAX_LISTED {
            return Err(format!("more than {MAX_LISTED} settings or presets"));
        }
        let about = self.settings.iter().map(|setting| (&setting.name, &setting.about));
        let presets = self.presets.iter().map(|preset| (&preset.name, &preset.summary));
        for (name, text) in about.chain(presets).chain([(&self.turn, &self.summary)]) {
            if !is_identifier(name) {
                return Err(format!("`{}` is no name: letters, digits and `_` are", escape(name)));
            }
            if is_bad_text(text) {
                return Err(format!("{name}: its text is too long, or has hidden characters"));
            }
        }
        for (number, setting) in self.settings.iter().enumerate() {
            let name = &setting.name;
            if self.settings[..number].iter().any(|known| known.name == *name) {
                return Err(format!("setting {name}: there are two of this name"));
            }
            let words = setting.one_of.iter().flatten();
            if let Some(word) = words.into_iter().find(|word| !is_identifier(word)) {
                return Err(format!("setting {name}: `{}` is no single word", escape(word)));
            }
            setting.number(&setting.default).map_err(|error| format!("setting {name}: {error}"))?;
        }
        for preset in &self.presets {
            let mut rules = self.defaults();
            for (key, value) in &preset.set {
                let set = self.set(&mut rules, key, value.clone());
                set.map_err(|error| format!("preset {}: {error}", preset.name))?;
            }
        }
        Ok(())
    }

    /// Returns the defaults of all settings.
    pub(super) fn defaults(&self) -> Map<String, Value> {
        let default = |setting: &Setting| (setting.name.clone(), setting.default.clone());
        self.settings.iter().map(default).collect()
    }

    /// Sets one setting of a full set, which stays unchanged if the value does not fit.
    pub(super) fn set(
        &self,
        rules: &mut Map<String, Value>,
        key: &str,
        value: Value,
    ) -> Result<(), SettingError> {
        let Some(setting) = self.settings.iter().find(|setting| setting.name == key) else {
            let names = self.settings.iter().map(|setting| &*setting.name);
            let hint = did_you_mean(key, names.clone()).map_or_else(
                || format!("there are: {}", names.collect::<Vec<_>>().join(", ")),
                |name| format!("did you mean `{name}`?"),
            );
            let (game, key) = (&self.name, escape(key));
            return Err(SettingError(format!("{game} has no setting `{key}`; {hint}")));
        };
        let checked = setting.number(&value);
        checked.map_err(|error| SettingError(format!("setting `{key}`: {error}")))?;
        rules.insert(key.to_owned(), value);
        Ok(())
    }

    /// Returns settings in full, in the order of their declaration.
    pub(super) fn full(&self, given: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let mut rules = self.defaults();
        for (key, value) in given {
            self.set(&mut rules, key, value.clone()).map_err(|error| error.to_string())?;
        }
        Ok(rules)
    }

    /// Returns the numbers that stand for full settings: 0 and 1 for `false` and `true`, and the
    /// place of a word.
    pub(super) fn numbers(&self, rules: &Map<String, Value>) -> Vec<i64> {
        let number = |setting: &Setting| setting.number(&rules[&setting.name]).unwrap_or_default();
        self.settings.iter().map(number).collect()
    }

    /// Returns the JSON Schema of the settings.
    pub(super) fn schema(&self) -> Value {
        let property = |setting: &Setting| {
            let mut schema = match (&setting.one_of, setting.range, &setting.default) {
                (Some(words), ..) => json!({ "type": "string", "enum": words }),
                (None, Some([least, most]), _) => {
                    json!({ "type": "integer", "minimum": least, "maximum": most })
                }
                (None, None, Value::Bool(_)) => json!({ "type": "boolean" }),
                _ => json!({ "type": "integer" }),
            };
            schema["description"] = setting.about.clone().into();
            schema["default"] = setting.default.clone();
            (setting.name.clone(), schema)
        };
        let properties: Map<String, Value> = self.settings.iter().map(property).collect();
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}

impl Setting {
    /// Returns the number that stands for a value.
    fn number(&self, value: &Value) -> Result<i64, String> {
        match (&self.one_of, &self.default) {
            (Some(words), _) => {
                let place = words.iter().position(|word| value == word);
                let place = place.map(|place| place as i64);
                place.ok_or_else(|| format!("{value} is none of {}", words.join(", ")))
            }
            (None, Value::Bool(_)) => {
                let flag = value.as_bool().map(i64::from);
                flag.ok_or_else(|| format!("{value} is neither true nor false"))
            }
            _ => {
                let number = value.as_i64();
                let number = number.ok_or_else(|| format!("{value} is no whole number"))?;
                let [least, most] = self.range.unwrap_or([i64::MIN, i64::MAX]);
                if (least..=most).contains(&number) {
                    return Ok(number);
                }
                Err(format!("{number} is not between {least} and {most}"))
            }
        }
    }
}
