//! [`PlanBot`]: a bot of a plan.

use serde::{Deserialize, Serialize};

use super::BotAbout;

/// A bot of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanBot {
    /// Its name, which no other bot of the plan has.
    pub name: String,
    /// As it stands in the plan, with its pattern filled in: paths are relative to the plan.
    pub text: String,
    /// The same with the plan's folder in front of paths: what `agon play` would take.
    #[serde(skip)]
    pub spec: String,
    /// Author, note, and whether it is out.
    #[serde(skip)]
    pub about: BotAbout,
}
