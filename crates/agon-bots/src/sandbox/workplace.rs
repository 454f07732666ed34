//! Makes private folders for files that the arena and a program exchange, and for copies.

use std::{io, path::Path};

use agon_sandbox::Folder;
use rustix::process::geteuid;

/// Makes a folder for [`open_folder`](super::open_folder), as closed as possible.
pub(crate) fn workplace(place: &Path, prefix: &str) -> io::Result<Folder> {
    // Root's programs may run as other users, who have to pass through.
    let mode = if geteuid().is_root() { 0o711 } else { 0o700 };
    Folder::create(place, prefix, mode)
}
