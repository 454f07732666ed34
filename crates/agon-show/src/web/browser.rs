//! Opens the address of a page in the person's browser.
//!
//! `agon watch --web` and `agon play --view web` do this unless `--no-open` is given.

use std::{
    env,
    process::{Command, Stdio},
};

/// Opens an address in the browser, and returns whether a browser was started.
pub(super) fn open(address: &str) -> bool {
    let mut command = match env::consts::OS {
        "macos" => Command::new("open"),
        "windows" => Command::new("explorer"),
        _ if ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some()) => {
            Command::new("xdg-open")
        }
        _ => return false,
    };
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // It may run for as long as the browser does.
    std::thread::spawn(move || child.wait());
    true
}
