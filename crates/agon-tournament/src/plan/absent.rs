//! Leaves bots out of a plan that cannot be opened.

use agon_text::{MAX_NAME, name::cut};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Plan, PlanBot};

/// The most bytes that are kept of an error.
const MAX_ERROR: usize = 4096;

/// A bot of a plan that cannot be opened. It is left out of the schedule, or forfeits its matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absent {
    /// Its name in the plan.
    pub name: String,
    /// Why it cannot play.
    pub error: String,
    /// Whether it stays in the schedule and forfeits all open matches.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forfeits: bool,
}

impl Absent {
    /// Makes it from an error, which may be as long as the output of a compiler.
    pub fn new(name: &str, error: &str) -> Absent {
        debug_assert!(name.len() <= MAX_NAME);
        let error = cut(error, MAX_ERROR).to_owned();
        Absent { name: name.to_owned(), error, forfeits: false }
    }

    /// The same, as a bot that stays in the schedule.
    #[must_use]
    pub fn forfeiting(self) -> Absent {
        Absent { forfeits: true, ..self }
    }
}

/// Why no tournament is left without the absent bots.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TooFewBots {
    /// Too few bots are left.
    #[error("only {left} of {all} bots can play, and {least} are needed at least")]
    Left {
        /// Bots that can play.
        left: usize,
        /// Bots of the plan.
        all: usize,
        /// Bots that the format needs.
        least: usize,
    },
    /// Nobody is left to run the gauntlet.
    #[error("none of the bots that run the gauntlet can play")]
    Runners,
    /// A name is not in the plan.
    #[error("the plan has no bot `{0}`")]
    Unknown(String),
}

impl Plan {
    /// Returns the plan without some of its bots. The others keep their order, and so do those
    /// that forfeit.
    ///
    /// # Errors
    /// If too few bots are left, or the plan has no such bot.
    pub fn without(&self, absent: &[Absent]) -> Result<Plan, TooFewBots> {
        let absent: Vec<&Absent> = absent.iter().filter(|absent| !absent.forfeits).collect();
        if absent.is_empty() {
            return Ok(self.clone());
        }
        let has = |name: &str| self.bots.iter().any(|bot| bot.name == name);
        if let Some(unknown) = absent.iter().find(|absent| !has(&absent.name)) {
            return Err(TooFewBots::Unknown(unknown.name.clone()));
        }
        let kept: Vec<bool> = self
            .bots
            .iter()
            .map(|bot| absent.iter().all(|absent| absent.name != bot.name))
            .collect();
        let bots: Vec<PlanBot> = self
            .bots
            .iter()
            .zip(&kept)
            .filter(|(_, kept)| **kept)
            .map(|(bot, _)| bot.clone())
            .collect();
        let least = self.format.fewest_bots(self.players);
        if bots.len() < least {
            return Err(TooFewBots::Left { left: bots.len(), all: self.bots.len(), least });
        }
        let format = self.format.keep(&kept).ok_or(TooFewBots::Runners)?;
        Ok(Plan { bots, format, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{super::FormatPlan, *};
    use crate::Entrant;

    fn plan(format: &str) -> Plan {
        let text = format!(
            "game = \"cluster\"\nbots = [\"a=./a\", \"b=./b\", \"c=./c\"]\n[format]\n{format}\n"
        );
        Plan::parse(&text, Path::new("plan.toml")).unwrap()
    }

    fn absent(names: &[&str]) -> Vec<Absent> {
        names.iter().map(|name| Absent::new(name, "there is no such file")).collect()
    }

    #[test]
    fn the_others_play_as_if_the_absent_bot_had_never_been_in_the_plan() {
        let whole = plan("kind = \"round-robin\"");
        let left = whole.without(&absent(&["b"])).unwrap();
        let names: Vec<&str> = left.bots.iter().map(|bot| bot.name.as_str()).collect();
        assert_eq!(names, ["a", "c"]);
        let text = "game = \"cluster\"\nbots = [\"a=./a\", \"c=./c\"]\n[format]\n\
                    kind = \"round-robin\"\n";
        assert_eq!(left.digest(), Plan::parse(text, Path::new("plan.toml")).unwrap().digest());
        assert_eq!(whole.without(&[]).unwrap(), whole);
        let forfeits = absent(&["b"]).remove(0).forfeiting();
        assert_eq!(whole.without(&[forfeits]).unwrap(), whole);
    }

    #[test]
    fn runners_of_a_gauntlet_keep_their_names() {
        let whole = plan("kind = \"gauntlet\"\nrunners = [\"b\", \"c\"]");
        let left = whole.without(&absent(&["a", "b"]));
        assert_eq!(left, Err(TooFewBots::Left { left: 1, all: 3, least: 2 }));
        let left = whole.without(&absent(&["b"])).unwrap();
        // `c` was the third bot, and is the second now.
        assert_eq!(left.format, FormatPlan::Gauntlet { runners: vec![Entrant(1)] });
        let one = plan("kind = \"gauntlet\"\nrunners = [\"b\"]");
        assert_eq!(one.without(&absent(&["b"])), Err(TooFewBots::Runners));
    }

    #[test]
    fn unknown_names_are_errors() {
        let unknown = plan("kind = \"swiss\"").without(&absent(&["d"]));
        assert_eq!(unknown, Err(TooFewBots::Unknown("d".to_owned())));
    }

    #[test]
    fn long_errors_are_cut() {
        assert_eq!(Absent::new("a", &"ü".repeat(10_000)).error.len(), MAX_ERROR);
    }
}
