//! The built-in bots of amoebas: the classic example species, and three of our own.

mod brawler;
mod brood;
mod chaser;
mod living;
mod mindless;
mod mutating;
mod nasty;
mod random;
mod slightly_brainy;
mod target;

use agon_core::Builtin;

pub use target::Target;

use super::Amoebas;
use crate::BuiltinBots;

impl BuiltinBots for Amoebas {
    const BUILTINS: &'static [Builtin<Amoebas>] = &[
        mindless::MINDLESS,
        mindless::DIVIDER,
        nasty::BUILTIN,
        slightly_brainy::BUILTIN,
        mutating::BUILTIN,
        brood::BUILTIN,
        brawler::BUILTIN,
        chaser::BUILTIN,
        random::BUILTIN,
    ];

    // A brood that divides earlier always wins.
    const SHOW: &'static [&'static str] = &["brood?divide=96", "slightly-brainy", "mutating"];
}
