//! What the tests need beside Rust.

use std::process::Command;

use anyhow::{Result, bail};

use crate::run::{has, step};

/// Programs and the Debian packages they come from.
const NEEDED: [(&str, &str); 4] = [("cc", "gcc"), ("c++", "g++"), ("python3", "python3"), ("git", "git")];

/// Installs what is missing; without root or apt it says what to install.
pub(crate) fn run() -> Result<()> {
    let missing: Vec<&str> = NEEDED.iter().filter(|(p, _)| !has(p)).map(|&(_, package)| package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout == b"0\n");
    if !has("apt-get") || !root {
        bail!(
            "the tests need these packages: {0}; install them, e.g. `sudo apt-get install {0}`",
            missing.join(" ")
        );
    }
    step(Command::new("apt-get").args(["update", "-q"]))?;
    let mut install = Command::new("apt-get");
    install.args(["install", "-y", "-q", "--no-install-recommends"]).args(missing);
    step(install.env("DEBIAN_FRONTEND", "noninteractive"))
}
