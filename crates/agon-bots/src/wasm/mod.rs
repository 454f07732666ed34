//! WebAssembly modules: the arena's side.
//!
//! The runtime is a program of its own, `agon-wasm-host`, because it is large: who plays without WebAssembly need
//! not build it.

mod clang;

use std::{
    env,
    path::{Path, PathBuf, absolute},
};

pub(crate) use clang::{CLANG_VARIABLE, LIBRARY_PACKAGES, PACKAGES, build};

use crate::{
    HostOptions, HostProgram, Hosted, OpenError,
    batch::{BatchBot, Child},
    sandbox::Needs,
    tools::{Found, Tool, not_on_path},
};

/// The program that runs modules.
pub(crate) const HOST: &str = "agon-wasm-host";

/// The variable that names another place of [`HOST`].
pub(crate) const HOST_VARIABLE: &str = "AGON_WASM_HOST";

/// What builds [`HOST`] in Agon's source, beside the arena.
pub(crate) const HOST_BUILD: &str = "cargo build --release -p agon-wasm";

/// The memory of a module in MiB, unless [`HostOptions::wasm_memory`] says otherwise.
pub const MEMORY: u32 = 256;

/// Bytes of memory for the runtime itself.
const RUNTIME: u64 = 1 << 30;

/// Loads a module.
///
/// # Errors
/// If the runtime is not there or the module cannot be loaded.
pub(crate) fn open<G: Hosted>(path: &Path, options: &HostOptions) -> Result<BatchBot, OpenError> {
    let host = match &options.wasm_host {
        Some(host) => host.clone(),
        None => HostProgram { path: find()?, args: Vec::new() },
    };
    // Absolute: the host starts in the folder for programs.
    let module = absolute(path).map_err(|source| OpenError::Read { path: path.to_owned(), source })?;
    let memory = options.wasm_memory.unwrap_or(MEMORY);
    // The runtime limits the module's memory; it needs some for itself, and to compile the module.
    let needs = Needs {
        read: vec![module.clone()],
        memory: Some((u64::from(memory) << 20) + RUNTIME),
        ..Needs::default()
    };
    let args = vec![module.into(), memory.to_string().into()];
    BatchBot::open::<G>(&Child { host, args, needs, fueled: true }, path, options)
}

/// The host program: from the environment, beside this program, or on `PATH`.
fn find() -> Result<PathBuf, OpenError> {
    if let Some(path) = env::var_os(HOST_VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let beside = env::current_exe().ok().and_then(|path| Some(path.parent()?.join(HOST)));
    let on_path = || crate::program::on_path(HOST);
    beside.filter(|path| path.is_file()).or_else(on_path).ok_or(OpenError::NoWasm)
}

/// What runs WebAssembly and compiles to it, as far as it is here.
pub(crate) fn tools(options: &HostOptions) -> Vec<Tool> {
    let named = env::var_os(HOST_VARIABLE).is_some_and(|path| !path.is_empty());
    let remedy = match named {
        true => format!("correct the environment variable {HOST_VARIABLE}, or unset it"),
        false => format!("`{HOST_BUILD}` in Agon's source"),
    };
    let found = match find() {
        Ok(path) if path.is_file() => Ok(Found { path, version: None }),
        Ok(path) => Err(format!("there is no file `{}`", path.display())),
        Err(_) => Err(not_on_path(HOST)),
    };
    let mut all = clang::tools(options);
    all.push(Tool::new(HOST, remedy, found));
    all
}
