//! The built-in bots.

mod random;
mod wanderer;

use agon_core::Builtin;

use super::Rezzo;
use crate::Lineup;

impl Lineup for Rezzo {
    const BUILTINS: &'static [Builtin<Rezzo>] = &[random::BOT, wanderer::BOT];
    const SHOW: &'static [&'static str] = &["wanderer", "wanderer"];
}
