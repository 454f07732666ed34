//! Explains why a call of a module failed. The arena makes the bot's fault from it.

use agon_bots::batch::{Trap, TrapKind};
use wasmtime::{Error, WasmBacktrace};

use crate::limits::Limits;

/// The most functions of the stack in a message, and characters of their names.
pub(crate) const FRAMES: usize = 6;
const NAME: usize = 80;

/// Explains a failed call; `fuel` is what the bot had for it.
pub(crate) fn explain(error: &Error, limits: &Limits, fuel: u64) -> Trap {
    let place = error.downcast_ref::<WasmBacktrace>().map(place).unwrap_or_default();
    let trap = error.downcast_ref::<wasmtime::Trap>();
    if trap == Some(&wasmtime::Trap::OutOfFuel) {
        let detail = format!("it used up its {fuel} units of fuel{place}");
        return Trap { kind: TrapKind::Fuel, detail };
    }
    let reason = trap.map_or_else(|| error.root_cause().to_string(), ToString::to_string);
    let reason = reason.trim_start_matches("wasm trap: ");
    match limits.refused() {
        // A bot that learned of the lack could have done without.
        Some(lack) => {
            Trap { kind: TrapKind::Memory, detail: format!("{lack}; then: {reason}{place}") }
        }
        None => Trap { kind: TrapKind::Crash, detail: format!("{reason}{place}") },
    }
}

/// Returns the functions that were being called, the innermost first.
fn place(backtrace: &WasmBacktrace) -> String {
    let name = |frame: &wasmtime::FrameInfo| match frame.func_name() {
        Some(name) => name.chars().take(NAME).collect(),
        None => format!("function {}", frame.func_index()),
    };
    let names: Vec<String> = backtrace.frames().iter().map(name).collect();
    if names.is_empty() { String::new() } else { format!(", in {}", names.join(" < ")) }
}
