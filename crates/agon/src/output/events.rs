//! Prints events as JSON Lines. Commands with `--json` use it.

use std::io::{self, Write};

use agon_contest::events::Event;

/// Prints an event on a line of its own.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn print_event<'a>(event: impl Into<Event<'a>>, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &event.into())?;
    writeln!(out)
}
