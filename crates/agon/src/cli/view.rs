//! Arguments for showing matches and replays.

use std::{net::IpAddr, path::PathBuf};

use agon_paint::ThemeName;
use agon_show::{View, ViewOptions, VncOptions};
use clap::Args;

use super::WebArgs;

/// Flags of everything that shows a match while it is played.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct ViewArgs {
    /// Watch the match. It is played at full speed, shown from its start, and can be gone through
    /// to and fro. WHERE is `window`, `terminal`, `web`, `vnc` or `vnc:PORT`; with `none` nothing
    /// is shown.
    #[arg(long, value_parser = view, value_name = "WHERE", help_heading = "Watching")]
    pub(crate) view: Option<View>,
    /// Play at most so many turns a second; whoever watches sees each as it is played.
    #[arg(long, value_name = "TURNS", value_parser = pace, help_heading = "Watching")]
    pub(crate) pace: Option<f64>,
    /// Colours: dark, light, classic [default: dark].
    #[arg(long, value_name = "NAME", help_heading = "Watching")]
    pub(crate) theme: Option<ThemeName>,
    /// Give all players patterns, not only those after the sixth: for eyes and screens that
    /// tell few colours apart.
    #[arg(long, help_heading = "Watching")]
    pub(crate) patterns: bool,
    #[command(flatten)]
    pub(crate) web: WebArgs,
    #[command(flatten)]
    pub(crate) vnc: VncArgs,
}

/// Flags of everything that is shown over VNC.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(crate) struct VncArgs {
    /// The password for VNC, at most 8 bytes, is in this file, which only you may read;
    /// AGON_VNC_PASSWORD is another way. A password on the command line could be read by every user
    /// of the machine.
    #[arg(long, value_name = "FILE", help_heading = "VNC")]
    pub(crate) vnc_password_file: Option<PathBuf>,
    /// Listen for VNC on this address of the machine; one that others reach needs a password
    /// [default: 127.0.0.1].
    #[arg(long, value_name = "IP", help_heading = "VNC")]
    pub(crate) vnc_address: Option<IpAddr>,
}

impl ViewArgs {
    /// What is asked for.
    pub(crate) fn options(&self) -> ViewOptions {
        ViewOptions {
            view: self.view,
            unsolicited: false,
            pace: self.pace,
            theme: self.theme,
            patterns: self.patterns,
            web: self.web.options(),
            vnc: self.vnc.options(),
        }
    }
}

impl VncArgs {
    /// What is asked for.
    pub(crate) fn options(&self) -> VncOptions {
        let password_file = self.vnc_password_file.clone();
        VncOptions { password_file, address: self.vnc_address }
    }
}

fn view(text: &str) -> Result<View, String> {
    match text {
        "window" => Ok(View::Window),
        "terminal" => Ok(View::Terminal),
        "web" => Ok(View::Web),
        "vnc" => Ok(View::Vnc(None)),
        "none" => Ok(View::None),
        _ => match text.strip_prefix("vnc:").map(str::parse) {
            Some(Ok(port)) => Ok(View::Vnc(Some(port))),
            Some(Err(_)) => Err("a port is a number up to 65535".to_owned()),
            None => Err("expected window, terminal, web, vnc, vnc:PORT or none".to_owned()),
        },
    }
}

/// A place for a replay, which is there to be seen.
fn shown(text: &str) -> Result<View, String> {
    match view(text) {
        Ok(View::None) | Err(_) if !text.starts_with("vnc:") => {
            Err("expected window, terminal, web, vnc or vnc:PORT".to_owned())
        }
        place => place,
    }
}

fn pace(text: &str) -> Result<f64, &'static str> {
    let turns: f64 = text.parse().map_err(|_| "expected a number of turns a second")?;
    if (0.01..=10_000.0).contains(&turns) {
        Ok(turns)
    } else {
        Err("expected 0.01 to 10000 turns a second")
    }
}

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
    pub(crate) vnc_args: VncArgs,
    /// Colours: dark, light, classic [default: dark; as the system's in a browser].
    #[arg(long, value_name = "NAME")]
    pub(crate) theme: Option<ThemeName>,
    /// Give all players patterns, not only those after the sixth: for eyes and screens that
    /// tell few colours apart.
    #[arg(long)]
    pub(crate) patterns: bool,
    #[command(flatten)]
    pub(crate) web_args: WebArgs,
}
