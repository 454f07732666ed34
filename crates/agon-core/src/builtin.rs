//! Built-in bots: small policies that come with a game, with parameters that people can set.
//!
//! Each game in `agon-games` has a list of them. `agon-bots` plays them under names such as
//! `builtin:random`.

use std::fmt::{self, Debug};
use std::{collections::BTreeMap, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Game, Rng, did_you_mean};

/// A bot as a function: from the view of one decision and a random stream it makes an answer.
pub trait Policy<G: Game>: Send {
    /// Makes an answer. The stream depends on seed, player, step and unit only, so that the same
    /// match ends the same way.
    fn decide(&mut self, view: &G::View<'_>, rng: &mut Rng) -> G::Answer;
}

/// Makes a policy from its parameters.
pub type MakePolicy<G> = fn(&Params) -> Result<Box<dyn Policy<G>>, ParamError>;

/// A built-in bot that `builtin:NAME?param=value&...` names.
pub struct Builtin<G: Game> {
    /// Its name: lower case, words joined by `-`.
    pub name: &'static str,
    /// Counts up from 1 whenever its answers change, with any parameters.
    ///
    /// Results of other versions do not hold for this one. After a change of the answers,
    /// `crates/agon-bots/tests/builtin_answers.rs` fails until this number changes.
    pub version: u32,
    /// One sentence that describes its play.
    pub summary: &'static str,
    /// Its parameters with their defaults.
    pub params: &'static [Param],
    /// Makes one for a player of a match.
    pub make: MakePolicy<G>,
}

/// A parameter of a built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Its default.
    pub default: &'static str,
    /// Its effect, with unit and range.
    pub summary: &'static str,
}

/// An error in a parameter, for people.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ParamError(String);

/// Values of a built-in bot's parameters: the given ones, and defaults for the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params(BTreeMap<&'static str, String>);

impl Params {
    /// Checks the given names against the known parameters and fills in defaults.
    ///
    /// # Errors
    /// If a name is unknown.
    pub fn new<'a>(
        known: &'static [Param],
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Params, ParamError> {
        let mut values: BTreeMap<_, _> =
            known.iter().map(|p| (p.name, p.default.to_owned())).collect();
        for (name, value) in given {
            let Some(param) = known.iter().find(|p| p.name == name) else {
                let known: Vec<_> = known.iter().map(|p| p.name).collect();
                let hint = match did_you_mean(name, known.iter().copied()) {
                    Some(meant) => format!("; did you mean `{meant}`?"),
                    None if known.is_empty() => " (it takes none)".to_owned(),
                    None => format!(" (there are: {})", known.join(", ")),
                };
                return Err(ParamError(format!("there is no parameter `{name}`{hint}")));
            };
            values.insert(param.name, value.to_owned());
        }
        Ok(Params(values))
    }

    /// Returns the text of a parameter.
    ///
    /// # Panics
    /// If the bot's own list of parameters lacks the name.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("the bot declares no parameter `{name}`"))
    }

    /// Returns a parameter as a number (or anything else with `FromStr`) within a range.
    ///
    /// # Errors
    /// If the text is no such number or out of range.
    ///
    /// # Panics
    /// If the bot's own list of parameters lacks the name.
    pub fn number<T>(&self, name: &str, range: std::ops::RangeInclusive<T>) -> Result<T, ParamError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        let fitting: Option<T> = self.text(name).parse().ok();
        let fitting = fitting.filter(|value| range.contains(value));
        let expected = || format!("a number from {} to {}", range.start(), range.end());
        fitting.ok_or_else(|| self.unfit(name, &expected()))
    }

    /// Returns the one of several choices that a parameter names.
    ///
    /// # Errors
    /// If it names none of them.
    ///
    /// # Panics
    /// If the bot's own list of parameters lacks the name.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Result<T, ParamError> {
        let text = self.text(name);
        let found = choices.iter().find(|(choice, _)| *choice == text);
        found.map(|&(_, value)| value).ok_or_else(|| {
            let all: Vec<_> = choices.iter().map(|(choice, _)| *choice).collect();
            self.unfit(name, &format!("one of {}", all.join(", ")))
        })
    }

    fn unfit(&self, name: &str, expected: &str) -> ParamError {
        ParamError(format!("parameter `{name}`: `{}` is not {expected}", self.text(name)))
    }
}

/// What is known about a bot that plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotInfo {
    /// Its name in this match.
    pub name: String,
    /// What a person would type to have it play again; may be empty.
    pub spec: String,
    /// How it is run: `builtin`, `program`, `human` and so on.
    pub kind: String,
    /// A digest of the program that played, if there is one.
    pub digest: Option<String>,
    /// What the digest covers; `None` where there is none, and in what older versions of Agon have
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Coverage>,
    /// The version of a built-in bot; `None` for others, and in what older versions of Agon have
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
}

/// What the digest of a bot covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Coverage {
    /// Nothing: there is no digest, and nobody knows what played.
    None,
    /// One file.
    File,
    /// The files that its text names. It may read more than these.
    Files,
    /// The files that its text names, and all that is in their folders.
    Folder,
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Coverage::None => "none",
            Coverage::File => "file",
            Coverage::Files => "files",
            Coverage::Folder => "folder",
        })
    }
}

impl BotInfo {
    /// Makes the info of a bot of which only name and kind are known.
    pub fn new(name: impl Into<String>, kind: impl Into<String>) -> BotInfo {
        BotInfo {
            name: name.into(),
            spec: String::new(),
            kind: kind.into(),
            digest: None,
            covers: None,
            version: None,
        }
    }

    /// Returns a short text that identifies the content of the bot: the version of a built-in bot,
    /// or the beginning of a digest with its coverage. Empty if nothing is known.
    pub fn identity(&self) -> String {
        let digest = self.digest.as_deref().map(|digest| digest.get(..12).unwrap_or(digest));
        match (self.version, digest, self.covers) {
            (Some(version), _, _) => format!("version {version}"),
            (None, Some(digest), Some(covers)) => format!("{digest} ({covers})"),
            (None, Some(digest), None) => digest.to_owned(),
            (None, None, _) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Param] = &[
        Param { name: "low", default: "10", summary: "" },
        Param { name: "target", default: "random", summary: "" },
    ];

    #[test]
    fn defaults_fill_what_is_not_given() {
        let params = Params::new(KNOWN, [("low", "25")]).unwrap();
        assert_eq!(params.number("low", 0..=100), Ok(25));
        assert_eq!(params.choice("target", &[("random", 1), ("weakest", 2)]), Ok(1));
    }

    #[test]
    fn errors_name_the_parameter_and_what_would_fit() {
        let none = Params::new(&[], [("low", "1")]).unwrap_err();
        assert_eq!(none.to_string(), "there is no parameter `low` (it takes none)");
        let unknown = Params::new(KNOWN, [("lo", "1")]).unwrap_err();
        assert_eq!(unknown.to_string(), "there is no parameter `lo`; did you mean `low`?");
        let params = Params::new(KNOWN, [("low", "200")]).unwrap();
        let error = params.number("low", 0..=100).unwrap_err();
        assert_eq!(error.to_string(), "parameter `low`: `200` is not a number from 0 to 100");
    }
}
