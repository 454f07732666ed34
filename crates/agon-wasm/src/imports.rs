//! The functions of the arena that a module may import: `agon.log` and `agon.random`; and the
//! signatures of functions in words, for errors in imports and exports.

use std::io::{self, Write};

use agon_core::{Purpose, Rng, Seed};
use wasmtime::{
    Caller, Engine, Error, Extern, ExternType, FuncType, Linker, Memory, ValType, bail,
};

use crate::limits::Limits;

/// Bytes that a bot may log per question; the rest is left out.
pub const MAX_LOG: usize = 16 << 10;

/// Fuel for a random number, and for a line of the log in addition to one unit per byte.
const RANDOM_FUEL: u64 = 20;
const LOG_FUEL: u64 = 1000;

/// The most imports that an error names.
const NAMED: usize = 8;

/// The state of a bot beside its memory.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) limits: Limits,
    /// Random numbers, from a seed that comes with each question.
    random: Rng,
    /// Bytes that may still be logged.
    log: usize,
}

impl State {
    pub(crate) fn new(limits: Limits) -> State {
        State { limits, random: random(0), log: MAX_LOG }
    }

    /// Prepares for a question.
    pub(crate) fn begin(&mut self, seed: u64) {
        self.random = random(seed);
        self.log = MAX_LOG;
        self.limits.begin();
    }
}

/// Returns the random numbers of a question. They are the bot's own, so it may compute them.
fn random(seed: u64) -> Rng {
    Seed::plain(seed).stream(Purpose::Script, 0)
}

/// Returns the functions for instances.
pub(crate) fn linker(engine: &Engine) -> Result<Linker<State>, Error> {
    let mut linker = Linker::new(engine);
    linker.func_wrap("agon", "log", log)?;
    linker.func_wrap("agon", "random", |mut caller: Caller<'_, State>| -> Result<u64, Error> {
        pay(&mut caller, RANDOM_FUEL)?;
        Ok(caller.data_mut().random.bits())
    })?;
    Ok(linker)
}

fn pay(caller: &mut Caller<'_, State>, fuel: u64) -> Result<(), Error> {
    match caller.get_fuel()?.checked_sub(fuel) {
        Some(rest) => caller.set_fuel(rest),
        None => Err(wasmtime::Trap::OutOfFuel.into()),
    }
}

/// Adds a line to the bot's output, which faults include: `agon.log(text, length)`.
fn log(mut caller: Caller<'_, State>, text: u32, length: u32) -> Result<(), Error> {
    pay(&mut caller, LOG_FUEL + u64::from(length))?;
    let Some(memory) = memory(&mut caller) else { bail!("agon.log: the module has no memory") };
    let (data, state) = memory.data_and_store_mut(&mut caller);
    let range = text as usize..text as usize + length as usize;
    let Some(text) = data.get(range) else {
        bail!(
            "agon.log: {length} bytes at {text:#x} are outside of the module's {:#x} bytes",
            data.len()
        );
    };
    let shown = &text[..text.len().min(state.log)];
    let left_out =
        if shown.len() < text.len() && state.log > 0 { " [the rest is left out]" } else { "" };
    state.log -= shown.len();
    if !shown.is_empty() {
        let end = if shown.ends_with(b"\n") && left_out.is_empty() { "" } else { "\n" };
        // There may be no reader any more.
        let _ = io::stderr().write_all(&[shown, left_out.as_bytes(), end.as_bytes()].concat());
    }
    Ok(())
}

fn memory(caller: &mut Caller<'_, State>) -> Option<Memory> {
    caller.get_export("memory").and_then(Extern::into_memory)
}

/// Checks that a module imports only existing functions.
///
/// # Errors
/// With the names of the others, and the remedy.
pub(crate) fn check(module: &wasmtime::Module) -> Result<(), String> {
    let mut unknown = Vec::new();
    for import in module.imports() {
        let from = import.module();
        let name = import.name();
        let wanted = match (from, name) {
            ("agon", "log") => "(i32, i32)",
            ("agon", "random") => "() -> i64",
            _ => {
                unknown.push((from, name));
                continue;
            }
        };
        match import.ty() {
            ExternType::Func(own) if of_function(&own) == wanted => (),
            ExternType::Func(own) => {
                let own = of_function(&own);
                return Err(format!("it imports `{from}.{name}` as {own}, but that is {wanted}"));
            }
            _ => return Err(format!("it imports `{from}.{name}`, but not as a function")),
        }
    }
    if unknown.is_empty() { Ok(()) } else { Err(refusal(&unknown)) }
}

fn refusal(unknown: &[(&str, &str)]) -> String {
    let names: Vec<String> =
        unknown.iter().take(NAMED).map(|(from, name)| format!("`{from}.{name}`")).collect();
    let more = match unknown.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let mut message =
        format!("it imports what the arena does not offer: {}{more}", names.join(", "));
    let has =
        |wanted: fn(&str, &str) -> bool| unknown.iter().any(|(from, name)| wanted(from, name));
    if has(|from, _| from.starts_with("wasi")) {
        message.push_str(
            "; files, clocks and standard output (in C: printf, time, assert; in Rust: the target \
             wasm32-wasip1) are not there: `agon_log` takes text, `agon_random` gives random \
             numbers",
        );
    }
    if has(|from, name| (from, name) == ("env", "abort")) {
        message.push_str("; with AssemblyScript, `--use abort=` compiles without `env.abort`");
    }
    if has(|from, name| (from, name) == ("env", "seed")) {
        message.push_str("; instead of AssemblyScript's Math.random use `agon.random`");
    }
    if has(|from, name| (from, name) == ("env", "memory")) {
        message.push_str("; a bot exports its memory instead of importing it");
    }
    message
}

/// Returns a function's type, as in `(i32, i32) -> i32`.
pub(crate) fn of_function(function: &FuncType) -> String {
    signature(&function.params().collect::<Vec<_>>(), &function.results().collect::<Vec<_>>())
}

/// Returns the type of a function with these parameters and results.
pub(crate) fn signature(params: &[ValType], results: &[ValType]) -> String {
    let list =
        |types: &[ValType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match results {
        [] => format!("({})", list(params)),
        [result] => format!("({}) -> {result}", list(params)),
        several => format!("({}) -> ({})", list(params), list(several)),
    }
}
