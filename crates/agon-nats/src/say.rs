//! What the program tells people.

use agon_text::escape;

use crate::nats::Line;

/// Tells people something, on standard error.
pub(crate) fn say(text: &str) {
    agon_console::say_line(format_args!("{text}"));
}

/// Tells people when the connection of a worker is lost, and when it is there again.
pub(crate) fn tell_line(before: &Line, now: &Line) {
    match (before, now) {
        (Line::Up, Line::Down(why)) => {
            say(&format!(
                "the connection to the server is lost ({}); running matches go on",
                escape(why)
            ));
        }
        (Line::Down(_), Line::Up) => say("the connection to the server is there again"),
        _ => {}
    }
}
