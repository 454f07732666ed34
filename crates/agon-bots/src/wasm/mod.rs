//! The host of WebAssembly modules: the arena's side.
//!
//! The runtime is a program of its own, `agon-wasm-host`, because it is large: people who play
//! without WebAssembly need not build it.

mod clang;

use std::env;
use std::path::{Path, PathBuf, absolute};

use agon_files::parts::{Part, PartError, is_packaged};
use agon_games::any::GameKind;

use crate::batch::{BatchBot, Child};
use crate::tools::{Found, Tool, not_on_path};
use crate::{HostOptions, Launcher, OpenError, sandbox::Needs};

pub(crate) use clang::build;

/// The program that runs modules.
pub const HOST: Part = Part {
    program: "agon-wasm-host",
    package: "agon-wasm",
    variable: "AGON_WASM_HOST",
    who: "WebAssembly bots",
};

/// The memory of a module in MiB, unless [`HostOptions::wasm_memory`] says otherwise.
pub const MEMORY: u32 = 256;

/// Bytes of memory for the runtime itself.
pub(crate) const RUNTIME: u64 = 1 << 30;

/// Loads a module.
pub(crate) fn open(
    kind: &dyn GameKind,
    path: &Path,
    options: &HostOptions,
) -> Result<BatchBot, OpenError> {
    let host = match &options.wasm_host {
        Some(host) => host.clone(),
        None => Launcher { path: find(options)?, args: Vec::new() },
    };
    // Absolute: the host starts in the folder for programs.
    let module =
        absolute(path).map_err(|source| OpenError::Read { path: path.to_owned(), source })?;
    let memory = options.wasm_memory.unwrap_or(MEMORY);
    // The runtime limits the module's memory. It needs memory for itself, and to compile
    // the module.
    let needs = Needs {
        read: vec![module.clone()],
        memory: Some((u64::from(memory) << 20) + RUNTIME),
        ..Needs::default()
    };
    let args = vec![module.into(), memory.to_string().into()];
    BatchBot::open(kind, &Child { host, args, needs, fueled: true }, path, options)
}

/// Finds the host program, and builds it if it is missing in a checkout.
pub(crate) fn find(options: &HostOptions) -> Result<PathBuf, OpenError> {
    HOST.find_or_build(|line| options.announce(line)).map_err(|error| match error {
        PartError::Missing(_) => OpenError::Machine(format!(
            "WebAssembly bots need the program `{}`, which is neither beside this program nor on \
             PATH; {}, and {} names another place",
            HOST.program,
            HOST.remedy(),
            HOST.variable
        )),
        other => OpenError::Machine(other.to_string()),
    })
}

/// Returns the tools that run WebAssembly and compile to it, found or missing.
pub(crate) fn tools(options: &HostOptions) -> Vec<Tool> {
    let Part { program, package, variable, .. } = HOST;
    let remedy = match env::var_os(variable) {
        None if !is_packaged() => format!("`cargo build --release -p {package}` in Agon's source"),
        _ => HOST.remedy(),
    };
    let found = match HOST.find() {
        Some(path) if path.is_file() => Ok(Found { path, version: None }),
        Some(path) => Err(format!("there is no file `{}`", path.display())),
        None => Err(not_on_path(program)),
    };
    let mut all = clang::tools(options);
    all.push(Tool::new(program, remedy, found));
    all
}
