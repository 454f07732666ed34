//! The programs and packages that WebAssembly bots need, for the search and for error messages.

use agon_parts::Part;

/// The program that runs modules.
pub const HOST: Part = Part {
    program: "agon-wasm-host",
    package: "agon-wasm",
    variable: "AGON_WASM_HOST",
    who: "WebAssembly bots",
};

/// The variable that names the compiler.
pub(crate) const CLANG_VARIABLE: &str = "AGON_CLANG";

/// The Debian packages with a compiler, the C library and the C++ library.
pub(crate) const PACKAGES: &str = "clang lld";
pub(crate) const LIBRARY_PACKAGES: &str = "wasi-libc libclang-rt-dev-wasm32";
pub(crate) const CPP_LIBRARY_PACKAGES: &str = "libc++-dev-wasm32";
