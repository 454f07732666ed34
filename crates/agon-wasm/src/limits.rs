//! Limits of a module's memory and tables, and a note of what the bot was refused. Explains why a
//! call failed, of which the arena makes the bot's fault.
//!
//! The runtime asks here before a module's memory or table grows.

use agon_bots::batch::{Trap, TrapKind};
use wasmtime::{Error, ResourceLimiter, WasmBacktrace};

/// The most elements of a table: more functions than any bot has.
const TABLE: usize = 1 << 20;

/// The limits of a bot, and whether it hit them.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The most bytes of memory.
    pub(crate) memory: usize,
    /// The last thing that it was refused while it answered a question.
    refused: Option<String>,
}

impl Limits {
    /// Takes the memory in MiB; WebAssembly allows no more than 4096.
    pub(crate) fn new(memory: u32) -> Limits {
        Limits { memory: memory.min(4096) as usize * MIB, refused: None }
    }

    /// Prepares for a question.
    pub(crate) fn begin(&mut self) {
        self.refused = None;
    }

    /// Returns the thing that the bot was refused, as a clause.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Returns a clause about too much memory.
    pub(crate) fn too_much(&self, bytes: u64) -> String {
        let wanted = bytes.div_ceil(MIB as u64);
        let most = self.memory / MIB;
        format!("it wanted {wanted} MiB of memory, its limit is {most} MiB")
    }
}

const MIB: usize = 1 << 20;

impl ResourceLimiter for Limits {
    fn memory_growing(
        &mut self,
        _: usize,
        desired: usize,
        _: Option<usize>,
    ) -> Result<bool, Error> {
        let fits = desired <= self.memory;
        if !fits {
            self.refused = Some(self.too_much(desired as u64));
        }
        Ok(fits)
    }

    fn memory_grow_failed(&mut self, error: Error) -> Result<(), Error> {
        self.refused.get_or_insert_with(|| format!("it asked for memory and got none: {error}"));
        Ok(())
    }

    fn table_growing(&mut self, _: usize, desired: usize, _: Option<usize>) -> Result<bool, Error> {
        let fits = desired <= TABLE;
        if !fits {
            self.refused =
                Some(format!("it wanted a table of {desired} elements, its limit is {TABLE}"));
        }
        Ok(fits)
    }

    fn table_grow_failed(&mut self, error: Error) -> Result<(), Error> {
        self.refused
            .get_or_insert_with(|| format!("it asked for a larger table and got none: {error}"));
        Ok(())
    }

    fn instances(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }

    fn tables(&self) -> usize {
        16
    }
}

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
