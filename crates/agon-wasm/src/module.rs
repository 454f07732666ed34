//! Compiles a module, and checks that it is a bot: that it has the functions that the arena calls.

use std::{fs, path::Path};

use wasmtime::{Engine, ExternType, ValType};

use crate::engine::engine;
use crate::imports::{self, of_function, signature};

/// The largest module, in bytes of its file.
pub const MAX_MODULE: u64 = 32 << 20;

/// A compiled module with everything that a bot needs.
#[derive(Debug)]
pub struct Module {
    pub(crate) engine: Engine,
    pub(crate) compiled: wasmtime::Module,
}

/// The functions that the arena calls: name, parameters, result, and whether they are required.
const FUNCTIONS: [(&str, usize, bool, bool); 5] = [
    ("agon_abi", 0, true, true),
    ("agon_decide", 4, true, true),
    ("agon_room", 1, true, true),
    ("agon_start", 2, false, false),
    ("_initialize", 0, false, false),
];

impl Module {
    /// Reads a module's file and compiles it.
    pub fn read(path: &Path) -> Result<Module, String> {
        let about = fs::metadata(path).map_err(|error| error.to_string())?;
        if !about.is_file() {
            return Err("it is no regular file".to_owned());
        }
        let length = about.len();
        if length > MAX_MODULE {
            let mib = length >> 20;
            let most = MAX_MODULE >> 20;
            return Err(format!("it is too large: {mib} MiB, where {most} MiB are the most"));
        }
        Module::new(&fs::read(path).map_err(|error| error.to_string())?)
    }

    /// Compiles a module.
    pub fn new(bytes: &[u8]) -> Result<Module, String> {
        check_front(bytes)?;
        let engine = engine()?;
        let compiled = wasmtime::Module::from_binary(&engine, bytes).map_err(|error| {
            format!("it is no module that the arena runs: {}", error.root_cause())
        })?;
        imports::check(&compiled)?;
        check_exports(&compiled)?;
        Ok(Module { engine, compiled })
    }

    /// Returns the bytes of memory that the module has from the start.
    pub(crate) fn memory(&self) -> u64 {
        match self.compiled.get_export("memory") {
            Some(ExternType::Memory(memory)) => memory.minimum() * memory.page_size(),
            _ => 0,
        }
    }
}

/// Describes a file that is no module.
fn check_front(bytes: &[u8]) -> Result<(), String> {
    let text = bytes.trim_ascii_start();
    match bytes {
        [] => Err("it is empty".to_owned()),
        [0, b'a', b's', b'm', 1, 0, 0, 0, ..] => Ok(()),
        [0, b'a', b's', b'm', _, _, 1, 0, ..] => {
            Err("it is a WebAssembly component, the arena runs core \
             modules; with Rust, build for wasm32-unknown-unknown"
                .to_owned())
        }
        [0, b'a', b's', b'm', a, b, c, d, ..] => {
            let version = u32::from_le_bytes([*a, *b, *c, *d]);
            Err(format!("it is WebAssembly of version {version:#x}, the arena knows version 1"))
        }
        _ if b"\0asm\x01\0\0\0".starts_with(bytes) => Err("it is cut off".to_owned()),
        _ if text.starts_with(b"(module") => {
            Err("it is WebAssembly as text; `wat2wasm` makes a module of it".to_owned())
        }
        _ => Err("it is no WebAssembly module".to_owned()),
    }
}

fn check_exports(module: &wasmtime::Module) -> Result<(), String> {
    match module.get_export("memory") {
        Some(ExternType::Memory(memory)) if !memory.is_64() && !memory.is_shared() => (),
        Some(ExternType::Memory(_)) => return Err("its memory is not of the usual kind".to_owned()),
        _ => return Err("it exports no memory by the name `memory`".to_owned()),
    }
    for (name, params, result, needed) in FUNCTIONS {
        match module.get_export(name) {
            Some(ExternType::Func(own)) => {
                let wanted =
                    signature(&vec![ValType::I32; params], &vec![ValType::I32; result.into()]);
                let own = of_function(&own);
                if own != wanted {
                    return Err(format!("its function `{name}` is {own} instead of {wanted}"));
                }
            }
            Some(_) => return Err(format!("`{name}`, which it exports, is not a function")),
            None if needed => {
                return Err(format!("it exports no function `{name}`{}", hint(module)));
            }
            None => (),
        }
    }
    Ok(())
}

/// Guesses why a function is missing.
fn hint(module: &wasmtime::Module) -> &'static str {
    let none = FUNCTIONS.iter().all(|(name, ..)| module.get_export(name).is_none());
    if none && module.get_export("_start").is_some() {
        "; it is a program that runs once: build a library (clang: -mexec-model=reactor, Rust: \
         crate-type = [\"cdylib\"])"
    } else if none {
        "; `docs/wasm.md` tells what a bot exports"
    } else {
        ""
    }
}
