//! The host of native libraries: any game's `agon_decide`, and cellhack's C functions.
//!
//! It compiles sources, and runs the library in a child process.

mod child;

use std::path::{Path, PathBuf, absolute};
use std::sync::Once;

use agon_files::parts::Part;
use agon_games::any::GameKind;

use crate::batch::{BatchBot, Child};
use crate::compile::{Compiler, Header, Recipe, compile};
use crate::sandbox::{Needs, folder_of};
use crate::{HostOptions, Launcher, OpenError};

pub use child::child_main;

/// Compiles a source with the system's compiler and returns the library's path.
pub(crate) fn build(
    kind: &dyn GameKind,
    source: &Path,
    options: &HostOptions,
) -> Result<PathBuf, OpenError> {
    let flags = &["-O2", "-shared", "-fPIC", "-lm"];
    let recipe =
        Recipe { compiler: Compiler::system(source, options), flags, along: &[], suffix: "so" };
    compile(source, &Header::all(kind), &recipe, options)
}

/// Loads a shared library that is, or was compiled from, the file `named`.
pub(crate) fn open(
    kind: &dyn GameKind,
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
    let args = vec![kind.meta().id.into(), library.into()];
    let host = options.native_host.clone().ok_or_else(|| {
        OpenError::Machine(format!(
            "native libraries need the program `{}`, which is missing; {}",
            HOST.program,
            HOST.remedy()
        ))
    })?;
    BatchBot::open(kind, &Child { host, args, needs, fueled: false }, path, options)
}

/// The program of its own that loads native libraries.
pub const HOST: Part = Part {
    program: "agon-native-host",
    package: "agon-bots",
    variable: "AGON_NATIVE_HOST",
    who: "C bots and `.so` files",
};

/// The hidden subcommand of Agon's programs that loads native libraries, with [`child_main`].
pub(crate) const SUBCOMMAND: &str = "__native-host";

/// Returns the program that loads native libraries for this one; `None` if it is missing.
///
/// A program that is linked dynamically does it itself, by a
/// [`begin`](crate::begin). A static one cannot load libraries, so it needs
/// [`HOST`].
pub fn find_host() -> Option<Launcher> {
    let is_named = std::env::var_os(HOST.variable).is_some();
    if is_named || cfg!(target_feature = "crt-static") {
        return HOST.find().map(|path| Launcher { path, args: Vec::new() });
    }
    // The path is right even if the executable has been replaced since its start.
    Some(Launcher { path: "/proc/self/exe".into(), args: vec![SUBCOMMAND.into()] })
}

/// Says once that C sources become WebAssembly, because there is no host for native libraries.
pub(crate) fn tell_that_c_is_wasm(options: &HostOptions) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        options.announce(&format!(
            "note: C and C++ bots play as WebAssembly, because `{}` is missing; {}",
            HOST.program,
            HOST.remedy()
        ));
    });
}
