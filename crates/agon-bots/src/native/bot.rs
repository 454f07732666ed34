//! cellhack's C functions as a bot.
//!
//! A function that crashes or does not return costs its cells, never the arena: the cells decided before it keep
//! their answers, the others rest idle, and the fault names the cell that was being decided. The library is
//! loaded anew for the next turn, which empties its static variables; after [`RESTARTS`] times the bot stays out.

use std::{ops::Range, path::Path};

use agon_core::{Decision, Fault, FaultKind};
use agon_games::cellhack::{Action, Answer, Cellhack};

use super::{
    compile::Header,
    host::Library,
    memory::{CAPACITY, Question, Reply},
};
use crate::{Bot, HostOptions, Hosted, OpenError, Turn, open::Native, process::Place};

/// How often in a match a library is loaded anew after a crash or an endless loop.
pub const RESTARTS: u32 = 3;

impl Hosted for Cellhack {
    const NATIVE: Option<Native<Cellhack>> = Some(Native {
        header: Header { name: "cellhack/player.h", text: agon_games::cellhack::PLAYER_H },
        open: |path, options| Ok(Box::new(NativeBot::open(path, options)?)),
    });
}

/// A C function in a match.
struct NativeBot {
    library: Library,
    restarts: u32,
}

impl NativeBot {
    fn open(path: &Path, options: &HostOptions) -> Result<NativeBot, OpenError> {
        Ok(NativeBot { library: Library::open(path, options)?, restarts: RESTARTS })
    }

    fn ask_part(&mut self, turn: Turn<'_, Cellhack>, part: Range<usize>) {
        let question = |&decision: &Decision| {
            let view = turn.game.view(decision);
            Question { env: view.env().0, energy: view.energy(), memory: view.memory() }
        };
        self.library.ask(turn.decisions[part].iter().map(question));
    }
}
