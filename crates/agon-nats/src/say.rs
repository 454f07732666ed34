//! What the program tells people.

/// Tells people something, on standard error.
pub(crate) fn say(text: &str) {
    agon_console::say_line(format_args!("{text}"));
}
