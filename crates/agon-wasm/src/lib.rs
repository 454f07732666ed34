//! Runs WebAssembly bots: the program `agon-wasm-host`, a child process of the arena. Its main
//! function is [`host_main`].
//!
//! A bot is a [`Module`], compiled once, and a [`Machine`], which is its memory and answers
//! questions. A bot's answers depend only on its module, the questions and their seeds:
//!
//! - it can import [two functions](imports) of the arena and nothing else: no clock, no file,
//!   no network;
//! - fuel is counted in instructions, so that the same question ends in the same place on
//!   every machine;
//! - all open points of WebAssembly are fixed: bit patterns of NaN, and no threads ([`engine`]).
//!
//! `docs/wasm.md` is for authors of bots. The arena's side of the pipe is in [`agon_bots::batch`].

pub mod engine;
pub mod imports;
mod limits;
mod machine;
mod module;

use std::io::{self, Write};
use std::{ffi::OsString, process::ExitCode, thread};

use agon_bots::batch::{VERSION, serve_main};
use agon_games::{batch::ABI, file::GAME_ABI};
use engine::STACK;

pub use machine::{Machine, START_FUEL};
pub use module::{MAX_MODULE, Module};

/// Stack for this program's own functions, beside the bot's.
const OWN_STACK: usize = 1 << 20;

/// Runs `agon-wasm-host`: its main function. Returns when the arena closes the pipe.
///
/// The arena passes the number of the shared memory, the module, and its most memory in MiB; then
/// the word `game` if the module is no bot but the rules of a game.
pub fn host_main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    if args.is_empty() || args[0].to_string_lossy().starts_with('-') {
        return tell_version();
    }
    // A separate thread, because the user's limits decide the size of the main thread's stack.
    let serve = || serve_main(args, load);
    let thread =
        thread::Builder::new().name("bot".to_owned()).stack_size(STACK + OWN_STACK).spawn(serve);
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or(ExitCode::FAILURE)
}

fn tell_version() -> ExitCode {
    let text = format!(
        "agon-wasm-host {VERSION}: runs WebAssembly bots; the arena `agon` starts it by itself\n"
    );
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn load(args: &[OsString]) -> Result<Machine, String> {
    // A game's rules say so behind.
    let (args, abi) = match args {
        [args @ .., last] if last == "game" => (args, GAME_ABI),
        args => (args, ABI),
    };
    let [path, memory] = args else {
        return Err("expected a module and its most memory".to_owned());
    };
    let memory = memory.to_str().and_then(|text| text.parse().ok());
    let memory = memory.ok_or_else(|| "the most memory is no number".to_owned())?;
    Machine::with_abi(&Module::read(path.as_ref())?, memory, abi)
}
