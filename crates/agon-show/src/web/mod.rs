//! The viewer in a browser: a page that `agon-web-host` serves, and files for other web servers.
//!
//! | module | contents |
//! | --- | --- |
//! | `watch` | [`ReplayPage`]: a page with a replay |
//! | `export` | [`export()`]: the page and replays as files |
//! | `live` | a match that pages follow while it is played |
//! | `orders` | orders that people give in the page |
//! | `server` | starts and instructs `agon-web-host`, the program that serves pages |
//! | `listing` | the list of replays beside the page |
//! | `browser` | opens the person's browser |

mod browser;
mod export;
mod listing;
mod live;
mod orders;
mod server;
mod watch;

use anyhow::{Result, bail};

use crate::WebOptions;

pub use export::export;
pub(crate) use live::Live;
pub use watch::ReplayPage;

/// Refuses `--port` and `--no-open` if nothing is shown in a browser.
///
/// # Errors
/// If one of them is given.
pub fn refuse(options: &WebOptions) -> Result<()> {
    if *options != WebOptions::default() {
        bail!("--port and --no-open are for what is watched in a browser: add `--view web`");
    }
    Ok(())
}
