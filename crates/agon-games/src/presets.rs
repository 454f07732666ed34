//! [`Presets`]: settings for short matches of a game. `agon demo`, `agon check`, the starter kits,
//! tests and fuzz tests use them.

use agon_core::Game;

/// Settings of a game for short matches.
pub trait Presets: Game {
    /// Settings for a short match worth watching, as `SETTING=VALUE`. `agon demo` uses them.
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
