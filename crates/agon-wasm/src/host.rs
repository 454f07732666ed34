//! The main function of `agon-wasm-host`: loads a module, then answers the arena's questions.

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
    thread,
};

use agon_bots::batch::{VERSION, serve_main};

use crate::{Machine, Module, engine::STACK};

/// Stack for this program's own functions, beside the bot's.
const OWN_STACK: usize = 1 << 20;

/// Runs `agon-wasm-host`: its main function. Returns when the arena closes the pipe.
///
/// The arena passes the number of the shared memory, the module, and its most memory in MiB.
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
    let [path, memory] = args else {
        return Err("expected a module and its most memory".to_owned());
    };
    let memory = memory.to_str().and_then(|text| text.parse().ok());
    let memory = memory.ok_or_else(|| "the most memory is no number".to_owned())?;
    Machine::new(&Module::read(path.as_ref())?, memory)
}
