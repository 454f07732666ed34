//! Connects a game with hosts for its bots: time limits, protocols, C functions, Clojure.

use std::time::Duration;

use agon_games::kit::{Kit, SmallGame};
use agon_games::{BuiltinBots, Presets, batch::Batch, jsonl::JsonGame};

use crate::{BatchLimits, Bot, Clock, ClojureFile, HostOptions, OpenError, Program};

/// Opens a program for a game.
pub type OpenProgramFn<G> = fn(Program, &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError>;

/// Opens a Clojure file for a game.
pub type OpenClojureFn<G> = fn(&ClojureFile, &HostOptions) -> Result<Box<dyn Bot<G>>, OpenError>;

/// A game with hosts for its bots.
///
/// Built-in bots, native libraries, WebAssembly and programs that speak the JSON Lines protocol
/// play in every game.
pub trait HostedGame: BuiltinBots + Batch + JsonGame + Presets {
    /// Time for answers.
    const PACE: BatchLimits;

    /// The number of silent turns in a row that stops a program, in games that do not wait.
    ///
    /// `None` for games that stop a program after [`TIMEOUTS`](crate::jsonl::TIMEOUTS) late answers
    /// in a row.
    const SILENT_TURNS: Option<u32> = None;

    /// The host of programs that speak the game's own protocol.
    const PROGRAM: Option<OpenProgramFn<Self>> = None;

    /// Returns whether some output is an answer of the game's own protocol.
    ///
    /// It shows that a program is started with the wrong protocol.
    const OWN_ANSWER: Option<fn(&[u8]) -> bool> = None;

    /// Whether programs that speak the game's own protocol see the folder that they start in.
    const SEES_FOLDER: bool = false;

    /// Name and text of the header of the game's own C functions.
    ///
    /// Sources need not include it.
    const C_HEADER: Option<(&'static str, &'static str)> = None;

    /// C source that turns the game's own C functions into a bot for whole batches.
    ///
    /// It is for WebAssembly and defines weak symbols only.
    const C_SHIM: Option<&'static str> = None;

    /// The host of Clojure files.
    const CLOJURE: Option<OpenClojureFn<Self>> = None;
}

impl<S: SmallGame> HostedGame for Kit<S> {
    const PACE: BatchLimits = BatchLimits {
        clock: Clock {
            first: S::FIRST_ANSWER,
            then: S::LATER_ANSWERS,
            wall_factor: Clock::WALL_FACTOR,
            bank: Duration::ZERO,
        },
        each: Duration::ZERO,
    };
}
