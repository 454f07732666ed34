//! The viewer in a browser: a server for one page on this machine, and the files for any other server.

#[cfg(feature = "web")]
mod browser;
#[cfg(feature = "web")]
mod door;
mod export;
mod listing;
#[cfg(feature = "web")]
mod live;
#[cfg(feature = "web")]
mod orders;
#[cfg(feature = "web")]
mod server;
#[cfg(not(feature = "web"))]
mod without;

use anyhow::{Result, bail};

use crate::cli::WebArgs;

pub(crate) use export::export;
#[cfg(feature = "web")]
pub(crate) use live::Live;
#[cfg(feature = "web")]
pub(crate) use server::watch;
#[cfg(not(feature = "web"))]
pub(crate) use without::{Live, watch};

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
