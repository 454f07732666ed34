//! The host of native libraries: any game's `agon_decide`, and cellhack's C functions.
//!
//! It compiles sources, and runs the library in a child process.

mod child;
mod host;
mod part;

use std::path::{Path, PathBuf, absolute};

pub use child::child_main;
pub use host::find as find_host;
pub(crate) use host::tell_that_c_is_wasm;
pub use part::HOST;

use crate::{
    HostOptions, HostedGame, OpenError,
    batch::{BatchBot, Child},
    compile::{Compiler, Header, Recipe, compile},
    sandbox::{Needs, folder_of},
};

/// Compiles a source with the system's compiler and returns the library's path.
///
/// # Errors
/// If there is no compiler, it refuses the source, or the cache cannot be written.
pub(crate) fn build<G: HostedGame>(
    source: &Path,
    options: &HostOptions,
) -> Result<PathBuf, OpenError> {
    let flags = &["-O2", "-shared", "-fPIC", "-lm"];
    let recipe =
        Recipe { compiler: Compiler::system(source, options), flags, along: &[], suffix: "so" };
    compile(source, &Header::all::<G>(), &recipe, options)
}

/// Loads a shared library that is, or was compiled from, the file `named`.
///
/// # Errors
/// If it cannot be loaded, or no program for it is there.
pub(crate) fn open<G: HostedGame>(
    path: &Path,
    named: &Path,
    options: &HostOptions,
) -> Result<BatchBot, OpenError> {
    // Absolute: a bare name would be searched for among the system's libraries.
    let library =
        absolute(path).map_err(|source| OpenError::Read { path: path.to_owned(), source })?;
    // It may use data beside the file.
    let named = absolute(named).unwrap_or_else(|_| named.to_owned());
    let own = folder_of(&named, &options.snapshots);
    let read = own.into_iter().chain([library.clone()]).collect();
    let needs = Needs { read, ..Needs::default() };
    let args = vec![G::META.id.into(), library.into()];
    let host = options.native_host.clone().ok_or(OpenError::NoNative)?;
    BatchBot::open::<G>(&Child { host, args, needs, fueled: false }, path, options)
}
