//! Diagnostics on standard error, for `--verbose` and the variable `AGON_LOG`, and the limit for
//! the size of files.
//!
//! Libraries report with `tracing` what they do: programs that they start, files that they compile,
//! matches that begin and end. Without flag and variable nobody listens.

use std::env;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use rustix::process::{Resource, getrlimit};
use signal_hook::{consts::SIGXFSZ, flag};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::{fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::output::tell;

/// The variable with the filter: a level, or levels by module.
const VARIABLE: &str = "AGON_LOG";

/// Starts to print diagnostics if somebody wants them. `verbose` counts the flags.
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

/// Whether some file has become too large; set by the signal. Libraries such as that of databases
/// tell less.
static SEEN: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From now on a file that becomes too large is an error of writing, not the end of this program. A
/// handler and not `SIG_IGN`, which the programs that this one starts would inherit.
pub(crate) fn survive_file_limit() {
    let seen = SEEN.get_or_init(Arc::default);
    if let Err(error) = flag::register(SIGXFSZ, Arc::clone(seen)) {
        say!("warning: a file beyond the limit of `ulimit -f` will end the program: {error}");
    }
}

/// What there is to say of an error, if it is that a file became too large.
pub(crate) fn file_limit_words(error: &anyhow::Error) -> Option<String> {
    let is_too_large = |error: &io::Error| error.kind() == io::ErrorKind::FileTooLarge;
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    let was_signalled = SEEN.get().is_some_and(|seen| seen.load(Ordering::Relaxed));
    if !was_signalled && !causes.any(is_too_large) {
        return None;
    }
    Some(match getrlimit(Resource::Fsize).current {
        Some(bytes) => {
            format!("files may have {bytes} bytes at most here; `ulimit -f unlimited` allows more")
        }
        None => "the file system has no larger files; name a file on another one".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn filters_are_levels_or_levels_of_modules() {
        for good in ["debug", "agon_bots=debug,agon_match=off", "info,agon_sandbox=trace"] {
            assert!(filter(good).is_ok(), "{good}");
        }
        let error = format!("{:#}", filter("agon_bots=loud").unwrap_err());
        assert!(error.starts_with("AGON_LOG=agon_bots=loud: expected a level"), "{error}");
    }

    #[test]
    fn only_files_that_are_too_large_are_explained() {
        let error = |number| {
            let error: Result<()> = Err(io::Error::from_raw_os_error(number).into());
            file_limit_words(&error.context("cannot write x").unwrap_err())
        };
        assert!(error(27).is_some() && error(28).is_none());
    }
}
