//! Diagnostics on standard error, for `--verbose` and the variable `AGON_LOG`.
//!
//! Libraries report with `tracing` what they do: programs that they start, files that they compile,
//! matches that begin and end. Without flag and variable nobody listens.

use std::{
    env,
    io::{self, Write},
};

use anyhow::{Context, Result};
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::output::tell;

/// The variable with the filter: a level, or levels by module.
const VARIABLE: &str = "AGON_LOG";

/// Starts to print diagnostics if somebody wants them. `verbose` counts the flags.
///
/// # Errors
/// If the variable is no filter.
pub(crate) fn start(verbose: u8) -> Result<()> {
    let filter = match (env::var(VARIABLE), verbose) {
        (Ok(text), _) if !text.is_empty() => filter(&text)?,
        (_, 0) => return Ok(()),
        (_, 1) => Targets::new().with_default(LevelFilter::DEBUG),
        _ => Targets::new().with_default(LevelFilter::TRACE),
    };
    let lines = fmt::layer().with_ansi(false).with_writer(|| Line(Vec::new()));
    tracing_subscriber::registry().with(filter).with(lines).init();
    Ok(())
}

fn filter(text: &str) -> Result<Targets> {
    text.parse().with_context(|| {
        format!(
            "{VARIABLE}={text}: expected a level (error, warn, info, debug, trace, off), or \
             levels of modules, as in {VARIABLE}=agon_bots=debug,agon_match=off"
        )
    })
}

/// A line that is written when it is complete, above progress bars.
struct Line(Vec<u8>);

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        tell(String::from_utf8_lossy(&self.0).trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_levels_or_levels_of_modules() {
        for good in ["debug", "agon_bots=debug,agon_match=off", "info,agon_sandbox=trace"] {
            assert!(filter(good).is_ok(), "{good}");
        }
        let error = format!("{:#}", filter("agon_bots=loud").unwrap_err());
        assert!(error.starts_with("AGON_LOG=agon_bots=loud: expected a level"), "{error}");
    }
}
