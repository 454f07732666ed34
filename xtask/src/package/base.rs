//! The system below the image for containers: a small Debian with what bots in C and Python need.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    run::{self, has, step},
    setup,
};

/// The packages of it that bots need.
const FOR_BOTS: &str = "python3,gcc,libc6-dev";

/// Pages and translations that nobody reads in a container.
const WITHOUT: [&str; 4] = [
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
];

/// Returns the system as a tar. It is made once, until somebody deletes it.
pub(super) fn tar() -> Result<PathBuf> {
    let tar = run::target()?.join("package").join("base.tar");
    if tar.is_file() {
        return Ok(tar);
    }
    if !has("mmdebstrap") {
        match setup::can_install() {
            true => setup::install(&["mmdebstrap"])?,
            false => bail!("images for containers need mmdebstrap: apt install mmdebstrap"),
        }
    }
    // Only a complete file gets the final name.
    let half = tar.with_file_name("half-base.tar");
    let mut make = Command::new("mmdebstrap");
    make.args(["--variant=minbase", "--include", FOR_BOTS]);
    make.args(WITHOUT.map(|option| format!("--dpkgopt={option}")));
    make.arg(codename()?).arg(&half).args(sources()?);
    step(&mut make)?;
    fs::rename(half, &tar)?;
    Ok(tar)
}

/// Returns the name of this machine's Debian.
fn codename() -> Result<String> {
    let text = fs::read_to_string("/etc/os-release").context("/etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    name.map(str::to_owned).context("/etc/os-release names no VERSION_CODENAME")
}

/// Returns the files that say where this machine gets its packages from.
fn sources() -> Result<Vec<PathBuf>> {
    let parts = Path::new("/etc/apt/sources.list.d");
    let mut sources = vec![PathBuf::from("/etc/apt/sources.list")];
    for entry in fs::read_dir(parts).into_iter().flatten() {
        let path = entry?.path();
        // As apt does: others are switched off.
        let is_source = path.extension().is_some_and(|end| end == "list" || end == "sources");
        sources.extend(is_source.then_some(path));
    }
    sources.retain(|path| fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0));
    ensure!(!sources.is_empty(), "{} names no source of packages", parts.display());
    Ok(sources)
}
