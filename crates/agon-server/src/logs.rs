//! Lines on standard error: for the operator, and about what happens, for people or as JSON for
//! programs.

use std::io::{self, Write};
use std::{env, fmt::Write as _};

use agon_console::serve_options::LogFormat;
use anyhow::{Context, Result};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::{fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// Writes a line for the operator.
pub(crate) fn say(line: &str) {
    // Nobody may read it any more.
    let _ = writeln!(io::stderr(), "{}", agon_core::text::escape_lines(line));
}

/// The variable with the filter: a level, or levels by module.
const VARIABLE: &str = "AGON_LOG";

/// Starts to write lines. `verbose` counts the flags.
pub(crate) fn start(format: LogFormat, verbose: u8) -> Result<()> {
    let filter = match (env::var(VARIABLE), verbose) {
        (Ok(text), _) if !text.is_empty() => filter(&text)?,
        (_, 0) => Targets::new().with_default(LevelFilter::WARN),
        (_, 1) => Targets::new().with_default(LevelFilter::INFO),
        _ => Targets::new().with_default(LevelFilter::DEBUG),
    };
    let all = tracing_subscriber::registry().with(filter);
    match format {
        LogFormat::Text => {
            let writer = || Line { bytes: Vec::new(), escape: text };
            all.with(fmt::layer().with_ansi(false).with_writer(writer)).init();
        }
        LogFormat::Json => {
            let writer = || Line { bytes: Vec::new(), escape: json };
            all.with(fmt::layer().json().flatten_event(true).with_writer(writer)).init();
        }
    }
    Ok(())
}

fn filter(text: &str) -> Result<Targets> {
    text.parse().with_context(|| {
        format!(
            "{VARIABLE}={text}: expected a level (error, warn, info, debug, trace, off), or \
             levels of modules, as in {VARIABLE}=warn,agon_server::request=info"
        )
    })
}

/// A line that is written in one go when it is complete. What others have sent may be in it.
struct Line {
    bytes: Vec<u8>,
    /// Makes it harmless for terminals and programs.
    escape: fn(&str) -> String,
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.bytes);
        let line = (self.escape)(text.trim_end()) + "\n";
        // Nobody may read it any more.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

fn text(line: &str) -> String {
    agon_core::text::escape(line).into_owned()
}

/// Escapes what terminals do not show. JSON has escaped control characters already.
fn json(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        if agon_core::text::is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_harmless() {
        assert!(!text("a\u{1b}[31mb\nc\u{202e}d").contains(['\u{1b}', '\n', '\u{202e}']));
        let line = json("{\"name\":\"a\u{202e}b\u{e0001}\"}");
        assert!(line.is_ascii(), "{line}");
        let read: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["name"], "a\u{202e}b\u{e0001}");
    }

    #[test]
    fn filters_are_levels_or_levels_of_modules() {
        for good in ["debug", "warn,agon_server::request=info", "off"] {
            assert!(filter(good).is_ok(), "{good}");
        }
        let error = format!("{:#}", filter("agon_server=loud").unwrap_err());
        assert!(error.starts_with("AGON_LOG=agon_server=loud: expected a level"), "{error}");
    }
}
