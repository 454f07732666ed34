//! The program of its own that loads native libraries, for the search and for error messages.

use agon_parts::Part;

/// The program of its own that loads native libraries.
pub const HOST: Part = Part {
    program: "agon-native-host",
    package: "agon-bots",
    variable: "AGON_NATIVE_HOST",
    who: "C bots and `.so` files",
};
