//! [`BuiltinBots`]: the trait that lists the built-in bots of a game, which `builtin:NAME` names on
//! command lines.

use agon_core::{Builtin, Game};

/// A game with built-in bots.
pub trait BuiltinBots: Game {
    /// All built-in bots, the weakest first.
    const BUILTINS: &'static [Builtin<Self>];

    /// The bots of a match worth watching, as `NAME?param=value`. They play when a command names
    /// none.
    const SHOW: &'static [&'static str];
}
