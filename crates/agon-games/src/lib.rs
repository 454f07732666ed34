//! The games of Agon, a folder each. Referee, bot hosts, replays and viewers use them through the
//! types of [`any`], behind which all games look alike.
//!
//! A folder holds the rules (`rules.rs`: settings; `mod.rs` and its neighbours: the state and what
//! happens in a turn), the page that `agon rules` shows (`page.md`), the wire format of the game's
//! own protocol, and its built-in bots. A small game leaves most of it to the [`kit`].
//! [`GameId`] is a game that the program knows: one of these, or one from outside. In this crate
//! and in tests, [`with_game!`] turns one of these into its type.
//!
//! Without the feature `games`, only what a game of somebody else needs is compiled: the kit,
//! scenes, people's input, and the formats of questions and answers.

#![cfg_attr(
    not(feature = "games"),
    allow(
        dead_code,
        unused_imports,
        reason = "a game of somebody else needs not all that these do"
    )
)]

/// Lists the games, one line each, in order of their names.
///
/// Hands the list to the macro `$callback`, behind `$args` in braces. `CONTRIBUTING.md` explains
/// how to add a line. rustfmt does not look into macros: `cargo xtask format` formats the folders
/// of the games.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_game {
    ([$($callback:tt)*] $($args:tt)*) => {
        $($callback)*! {
            { $($args)* }
            Amoebas => pub mod amoebas;
            Battlesnake => pub mod battlesnake;
            Binfection => pub mod binfection;
            Cellhack => pub mod cellhack;
            Cluster => pub mod cluster;
            Rezzo => pub mod rezzo;
        }
    };
}

#[cfg(feature = "games")]
macro_rules! declare_modules {
    ({} $($game:ident => pub mod $module:ident;)*) => {
        $(
            pub mod $module;
        )*
    };
}

#[cfg(feature = "games")]
for_each_game! { [declare_modules] }

pub mod any;
pub mod batch;
pub mod conformance;
pub mod file;
#[cfg(feature = "games")]
pub mod generated;
pub mod human;
pub mod jsonl;
pub mod kit;
pub mod presets;
pub mod scene;
pub mod settings;
pub mod simd;

mod bounded_list;
mod builtin_bots;
#[cfg(feature = "games")]
mod id;
mod scratch;

pub use builtin_bots::BuiltinBots;

#[cfg(feature = "games")]
pub use id::{GameId, OpenFile, RegisterError, UnknownGame};
pub use presets::{Preset, Presets, Sample};
