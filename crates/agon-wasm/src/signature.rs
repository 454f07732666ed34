//! Signatures of functions in words, for errors in a module's imports and exports.

use wasmtime::{FuncType, ValType};

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
