//! The viewer in a browser: a page on this machine, which `agon-web-host` serves, and the files for
//! any other server.

mod browser;
mod export;
mod listing;
mod live;
mod orders;
mod server;
mod watch;

use anyhow::{Result, bail};

use crate::cli::WebArgs;

pub(crate) use export::export;
pub(crate) use live::Live;
pub(crate) use watch::watch;

/// Flags of a page without a page are a mistake.
///
/// # Errors
/// If there are any.
pub(crate) fn refuse(args: &WebArgs) -> Result<()> {
    if *args != WebArgs::default() {
        bail!("--port and --no-open are for what is watched in a browser: add `--view web`");
    }
    Ok(())
}
