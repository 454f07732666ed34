//! The name of the program that opens windows, by which the arena finds or builds it.

use agon_parts::Part;

/// The program that opens windows.
pub const PART: Part = Part {
    program: "agon-window-host",
    package: "agon-window-host",
    variable: "AGON_WINDOW_HOST",
    who: "windows",
};
