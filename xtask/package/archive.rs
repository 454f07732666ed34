//! The archive to unpack anywhere: `agon-0.1.0-x86_64-linux.tar.gz`.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder, write::GzEncoder};

use crate::{release::Release, tree::Tree};

/// Writes it to a folder and returns its path.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write(tree: &Tree, release: &Release, to: &Path) -> Result<PathBuf> {
    let name = format!("agon-{}-x86_64-linux", release.release);
    let tree = tree.moved(|path| Some(format!("{name}/{path}")));
    let path = to.join(format!("{name}.tar.gz"));
    let mut file = File::create(&path).with_context(|| path.display().to_string())?;
    tree.write_tar(compressed(&mut file), release.time)?.finish()?;
    Ok(path)
}

/// Returns a writer that compresses. The header has no time and no name.
pub(crate) fn compressed<W: Write>(to: W) -> GzEncoder<W> {
    GzBuilder::new().mtime(0).write(to, Compression::best())
}

/// Returns a tar of the tree, compressed.
///
/// # Errors
/// None in practice: it is written to memory.
pub(crate) fn tar_gz(tree: &Tree, time: u64) -> Result<Vec<u8>> {
    Ok(tree.write_tar(compressed(Vec::new()), time)?.finish()?)
}

/// Writes a package whose bytes are in memory.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).with_context(|| path.display().to_string())
}
