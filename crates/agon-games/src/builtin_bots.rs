//! [`BuiltinBots`]: the trait that lists the built-in bots of a game, which `builtin:NAME` names on
//! command lines.

use agon_core::{Builtin, Game};

/// A game that brings bots along.
pub trait BuiltinBots: Game {
    /// All built-in bots, the weakest first.
    const BUILTINS: &'static [Builtin<Self>];

    /// The bots that play when a person names none, as `NAME?param=value`: a match worth watching.
    const SHOW: &'static [&'static str];
}
