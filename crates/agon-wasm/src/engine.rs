//! The engine: features of modules, and settings that make results the same everywhere.
//!
//! | WebAssembly | |
//! | --- | --- |
//! | 1.0 with mutable globals, sign extension, conversions that saturate, several results | on |
//! | memory.copy and the like, several tables and their references, constant sums, tail calls, 128-bit SIMD | on |
//! | relaxed SIMD, threads and shared memory | off: results differ between machines or runs |
//! | 64-bit and several memories, garbage collection, exceptions, typed references, components, all newer ones | off |
//!
//! The other open points of WebAssembly are fixed, too. Every NaN that an operation makes has one
//! bit pattern. Only the limit decides whether memory grows. A stack overflow ends the call. The
//! possible depth of calls may differ between versions of the compiler, but a bot only learns of it
//! by its crash.

use std::num::NonZeroUsize;

use wasmtime::{Config, Engine, OperatorCost, WasmBacktraceDetails, WasmFeatures};

use crate::limits::FRAMES;

/// Bytes of stack for calls within a module. C keeps most of its own stack in the module's memory.
pub const STACK: usize = 1 << 20;

/// Fuel for operations that take much longer than an instruction.
const COSTLY: u8 = 100;

/// Returns the features that modules may use; everything else is off.
fn features() -> WasmFeatures {
    WasmFeatures::MUTABLE_GLOBAL
        | WasmFeatures::SATURATING_FLOAT_TO_INT
        | WasmFeatures::SIGN_EXTENSION
        | WasmFeatures::MULTI_VALUE
        | WasmFeatures::BULK_MEMORY
        | WasmFeatures::REFERENCE_TYPES
        | WasmFeatures::EXTENDED_CONST
        | WasmFeatures::TAIL_CALL
        | WasmFeatures::FLOATS
        | WasmFeatures::SIMD
}

/// Makes the engine that compiles and runs modules.
pub(crate) fn engine() -> Result<Engine, String> {
    let mut config = Config::new();
    for feature in WasmFeatures::all().iter() {
        // A pseudo feature: whether the runtime supports references at all, which it sets itself.
        if feature != WasmFeatures::GC_TYPES {
            config.wasm_features(feature, features().contains(feature));
        }
    }
    config
        .consume_fuel(true)
        .operator_cost(OperatorCost {
            MemoryGrow: COSTLY,
            TableGrow: COSTLY,
            ..OperatorCost::new()
        })
        .cranelift_nan_canonicalization(true)
        .max_wasm_stack(STACK)
        .wasm_backtrace_max_frames(NonZeroUsize::new(FRAMES))
        // The default reads the environment.
        .wasm_backtrace_details(WasmBacktraceDetails::Disable)
        .native_unwind_info(false);
    Engine::new(&config)
        .map_err(|error| format!("the WebAssembly runtime does not start: {error:#}"))
}
