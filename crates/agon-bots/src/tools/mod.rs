//! Finds the programs and libraries of this machine that run and compile bots, for `agon doctor`.
//!
//! Each host knows how to find its tools; this module asks it without a bot.

mod cache;
mod machine;
mod tool;
mod version;

use std::path::Path;

use crate::{HostOptions, clojure, compile::Compiler, wasm};

pub use cache::Cache;
pub use machine::{Machine, Memory};
pub use tool::{Absent, Found, Tool, not_on_path};
pub use version::examine;
pub(crate) use version::{ASKING, version_in};

/// Returns all tools that the arena itself uses to run or compile bots.
///
/// They are `cc`, `c++`, `clang`, `wasm-ld`, libraries for WebAssembly, `agon-wasm-host`, `java`
/// and `clojure.jar`. A tool that is missing only because another one is missing is left out.
pub fn tools(options: &HostOptions) -> Vec<Tool> {
    let compilers =
        ["bot.c", "bot.cpp"].map(|source| Compiler::system(Path::new(source), options).tool());
    compilers.into_iter().chain(wasm::tools(options)).chain(clojure::tools(options)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_is_there() {
        let all = tools(&HostOptions::default());
        let names: Vec<_> = all.iter().map(|tool| tool.name).collect();
        for name in ["cc", "c++", "wasm-ld", "agon-wasm-host", "java", "clojure.jar"] {
            assert!(names.contains(&name), "{names:?}");
        }
        for Tool { name, found } in all {
            match found {
                Ok(found) => assert!(found.path.exists(), "{name}: {found:?}"),
                Err(Absent { why, remedy }) => {
                    assert!(!why.is_empty() && !remedy.is_empty(), "{name}")
                }
            }
        }
    }
}
