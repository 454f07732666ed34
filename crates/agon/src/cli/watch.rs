//! `agon watch` and `agon web`.

use std::path::PathBuf;

use agon_show::{View, VncOptions, WebOptions};
use agon_view::paint::ThemeName;
use clap::{Args, Subcommand};

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Space plays and pauses, the arrows go turn by turn, a click on a cell looks into it, ? lists all \
keys.

Examples:
  agon play cellhack --replay night.agon && agon watch night.agon
  agon watch night.agon --theme classic
  agon watch night.agon --web
  agon watch --vnc=5901 night.agon
  agon play cluster builtin:searcher \"python3 my_bot.py\" --view window --pace 2")]
pub(crate) struct WatchArgs {
    /// The replay.
    pub(crate) file: PathBuf,
    /// Where to watch it: `window`, `terminal`, `web`, `vnc` or `vnc:PORT`
    /// [default: in a window if there is a display, otherwise in this terminal].
    #[arg(long, value_parser = shown, value_name = "WHERE")]
    pub(crate) view: Option<View>,
    /// Watch in this terminal: the same as `--view terminal`.
    #[arg(long, conflicts_with = "view")]
    pub(crate) terminal: bool,
    /// Watch it in a browser: the same as `--view web`.
    #[arg(long, conflicts_with_all = ["view", "terminal"])]
    pub(crate) web: bool,
    /// Watch it with a VNC client: the same as `--view vnc`
    /// [default port: the first free one from 5900].
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true,
        conflicts_with_all = ["view", "terminal", "web"])]
    pub(crate) vnc: Option<Option<u16>>,
    #[command(flatten)]
    pub(crate) vnc_args: VncOptions,
    /// Colours: dark, light, classic [default: dark; as the system's in a browser].
    #[arg(long, value_name = "NAME")]
    pub(crate) theme: Option<ThemeName>,
    /// Give all players patterns, not only those after the sixth: for eyes and screens that
    /// tell few colours apart.
    #[arg(long)]
    pub(crate) patterns: bool,
    #[command(flatten)]
    pub(crate) web_args: WebOptions,
}

/// Reads a place for a replay, which is there to be seen.
fn shown(text: &str) -> Result<View, &'static str> {
    match text.parse() {
        Ok(View::None) | Err(_) if !text.starts_with("vnc:") => {
            Err("expected window, terminal, web, vnc or vnc:PORT")
        }
        place => place,
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
