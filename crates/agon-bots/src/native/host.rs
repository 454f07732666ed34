//! Finds the program that loads native libraries, and says what is done without it.

use std::sync::Once;

use super::HOST;
use crate::{HostExecutable, HostOptions};

/// Returns the program that loads native libraries for this one; `None` if it is missing.
///
/// A program that is linked dynamically does it itself, with a hidden subcommand. A static one
/// cannot load libraries, so it needs [`HOST`].
pub fn find() -> Option<HostExecutable> {
    let is_named = std::env::var_os(HOST.variable).is_some();
    if is_named || cfg!(target_feature = "crt-static") {
        return HOST.find().map(|path| HostExecutable { path, args: Vec::new() });
    }
    Some(HostExecutable::default())
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
