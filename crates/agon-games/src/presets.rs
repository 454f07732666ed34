//! [`Presets`]: settings for short matches of a game. `agon demo`, `agon check`, the starter kits,
//! tests and fuzz tests use them.

use agon_core::Game;

/// A game that knows settings for matches that should not take long.
pub trait Presets: Game {
    /// Settings for a short match worth watching, as `SETTING=VALUE`. The demonstration uses them.
    const SHORT: &'static [&'static str] = &[];

    /// Settings on top of [`Presets::SHORT`] for the matches of `agon check`.
    const CHECKED: &'static [&'static str] = &[];

    /// Settings for a tiny match of two players, as JSON. Fuzz tests use them.
    const TINY: &'static str = "{}";

    /// Options of `agon play` that end a match against the first built-in bot in time; empty if it
    /// needs none. The starter kits name them.
    const OPTIONS: &'static str = "";

    /// The setting that leaves a match without an end, in words; for [`Game`]s whose settings can.
    const ENDLESS: &'static str = "its settings have none";

    /// The match whose messages are recorded for `docs/protocol.md` and the starter kits; `None`
    /// for games that are not described there.
    const SAMPLE: Option<Sample> = None;
}

/// A short match of two players that a script plays.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The settings, as JSON.
    pub rules: &'static str,
    /// The position at the start, as JSON; `None` for the usual start.
    pub position: Option<&'static str>,
    /// The seed of the script that draws the answers.
    pub script: u64,
    /// A reply of the JSON Lines protocol with much in it, for fuzz tests.
    pub reply: &'static str,
}
