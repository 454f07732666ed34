//! `agon web`.

use std::path::PathBuf;

use agon_show::WebOptions;
use clap::{Args, Subcommand};

/// Flags of everything that serves a page.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct WebArgs {
    /// Serve the page on this port of 127.0.0.1 [default: any free one].
    #[arg(long, value_name = "N", help_heading = "Browser")]
    pub(crate) port: Option<u16>,
    /// Do not open the browser.
    #[arg(long, help_heading = "Browser")]
    pub(crate) no_open: bool,
}

impl WebArgs {
    /// What is asked for.
    pub(crate) fn options(&self) -> WebOptions {
        WebOptions { port: self.port, no_open: self.no_open }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebCommand {
    /// Write the viewer and replays as files for any web server.
    Export(WebExportArgs),
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The files work in any folder of any server; the page lists the replays. Whoever opens it plays \
the matches again \
in the browser: nothing runs on the server.

Examples:
  agon web export site night.agon morning.agon
  cd site && python3 -m http.server")]
pub(crate) struct WebExportArgs {
    /// The folder to write: new, empty, or one that was exported before.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The replays.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}
