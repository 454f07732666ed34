//! Makes private folders for files that the arena and a program exchange, and for copies.

use std::{io, path::Path};

use agon_sandbox::{Folder, Launcher};
use rustix::process::geteuid;

/// Makes a folder for [`open_folder`](super::open_folder), as closed as possible.
pub(crate) fn workplace(place: &Path, prefix: &str) -> io::Result<Folder> {
    Folder::create(place, prefix, mode())
}

/// Makes such a folder that is removed after any end of this process.
pub(crate) fn removed_workplace(
    place: &Path,
    prefix: &str,
    launcher: &Launcher,
) -> io::Result<Folder> {
    let announce = |path: &Path| launcher.remove_at_end(path).map_err(io::Error::other);
    Folder::create_announced(place, prefix, mode(), announce)
}

fn mode() -> u32 {
    // Root's programs may run as other users, who have to pass through.
    if geteuid().is_root() { 0o711 } else { 0o700 }
}
