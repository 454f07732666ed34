//! Classes: what a worker must have for a match.
//!
//! Matches of a class travel together, and each class has a consumer of its own, from which only
//! those workers take that can play its matches.

use std::collections::{BTreeMap, BTreeSet};

use agon_games::{BuiltinBots, GameId, with_game};
use agon_spec::{Digest, SandboxLevel};
use serde::{Deserialize, Serialize};

use crate::VERSION;

/// What a worker must have for a match.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// The version of the messages, [`VERSION`].
    pub version: u32,
    /// The game with the versions of its rules and of all its built-in bots.
    pub game: GameId,
    /// See [`rules_of`].
    pub rules: Digest,
    /// Programs such as `python3` and `cc`.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub programs: BTreeSet<String>,
    /// Whether bots play only where they can be confined fully.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The memory of all bots of a match, in MiB; 0 if there is no such limit.
    #[serde(default)]
    pub memory: u32,
}

/// What a worker has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abilities {
    /// The version of the messages.
    pub version: u32,
    /// The games that it plays, by name, with what [`rules_of`] says.
    pub games: BTreeMap<String, Digest>,
    /// Programs such as `python3` and `cc`.
    pub programs: BTreeSet<String>,
    /// Whether it can confine bots fully.
    pub strict: bool,
    /// Its memory for each slot, in MiB.
    pub memory: u32,
}

/// Why a worker cannot play matches of a class.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It speaks another version.
    #[error("it is for version {wanted} of Agon's queue, and this worker has version {own}")]
    Version {
        /// The version of the class.
        wanted: u32,
        /// The version of the worker.
        own: u32,
    },
    /// It does not play this game, or was told not to.
    #[error("this worker does not play {0}")]
    Game(&'static str),
    /// It has other rules or other built-in bots.
    #[error("its rules or built-in bots of {0} have other versions than those of this worker")]
    Rules(&'static str),
    /// A program is missing.
    #[error("this machine has no {0}")]
    Program(String),
    /// Bots cannot be confined.
    #[error("bots cannot be confined fully on this machine")]
    Sandbox,
    /// There is too little memory.
    #[error("a match needs {wanted} MiB, and this worker has {own} MiB for each slot")]
    Memory {
        /// What a match needs.
        wanted: u32,
        /// What the worker has.
        own: u32,
    },
}

impl Class {
    /// Returns a short name, which depends on everything: for subjects and consumers.
    pub fn name(&self) -> String {
        let text = serde_json::to_string(self).expect("a class can be written as JSON");
        let digest = Digest::of(text.as_bytes()).to_string();
        format!("{}-{}", self.game.meta().id, &digest[..12])
    }

    /// Checks that a worker can play its matches.
    ///
    /// # Errors
    /// With the first thing that the worker lacks.
    pub fn check(&self, worker: &Abilities) -> Result<(), Unfit> {
        let game = self.game.meta().id;
        if self.version != worker.version {
            return Err(Unfit::Version { wanted: self.version, own: worker.version });
        }
        match worker.games.get(game) {
            None => return Err(Unfit::Game(game)),
            Some(rules) if *rules != self.rules => return Err(Unfit::Rules(game)),
            Some(_) => {}
        }
        if let Some(program) = self.programs.difference(&worker.programs).next() {
            return Err(Unfit::Program(program.clone()));
        }
        if self.strict && !worker.strict {
            return Err(Unfit::Sandbox);
        }
        if self.memory > worker.memory {
            return Err(Unfit::Memory { wanted: self.memory, own: worker.memory });
        }
        Ok(())
    }

    /// Returns the class of matches of a game whose bots need nothing.
    pub fn of_game(game: GameId, level: SandboxLevel) -> Class {
        Class {
            version: VERSION,
            game,
            rules: rules_of(game),
            programs: BTreeSet::new(),
            strict: level == SandboxLevel::Strict,
            memory: 0,
        }
    }
}

/// Returns a digest of the versions of a game's rules and of all its built-in bots.
pub fn rules_of(game: GameId) -> Digest {
    let meta = game.meta();
    let builtins = with_game!(game, G => {
        G::BUILTINS.iter().map(|bot| (bot.name, bot.version)).collect::<Vec<_>>()
    });
    let text = format!("{} {} {builtins:?}", meta.id, meta.rules_version);
    Digest::of(text.as_bytes())
}
