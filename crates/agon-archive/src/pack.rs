//! Packs files as an archive.

use std::io::{self, Write};

use flate2::{Compression, write::GzEncoder};

use crate::Files;

/// Packs files as a gzipped tar archive. Equal files make equal bytes.
///
/// # Errors
/// If a path does not fit into an archive.
pub fn pack(files: &Files) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (path, file) in files.iter() {
        let mut header = tar::Header::new_gnu();
        header.set_size(file.contents.len() as u64);
        header.set_mode(if file.is_executable { 0o755 } else { 0o644 });
        // No time and no owner: they would make other bytes of equal files.
        header.set_mtime(0);
        archive.append_data(&mut header, path, file.contents.as_slice())?;
    }
    let mut zipped = archive.into_inner()?;
    zipped.flush()?;
    zipped.finish()
}

/// Packs files as a zip archive.
///
/// # Errors
/// If a path does not fit into an archive.
pub fn zip(files: &Files) -> io::Result<Vec<u8>> {
    let mut archive = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (path, file) in files.iter() {
        let mode = if file.is_executable { 0o755 } else { 0o644 };
        let options = zip::write::SimpleFileOptions::default().unix_permissions(mode);
        archive.start_file(path, options)?;
        archive.write_all(&file.contents)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unpack;

    #[test]
    fn files_come_back_as_they_were() {
        let mut files = Files::default();
        files.add("agon.toml", b"game".to_vec(), false).unwrap();
        files.add("bin/run", b"#!/bin/sh\n".to_vec(), true).unwrap();
        let long = format!("{}/x", "long/".repeat(40).trim_end_matches('/'));
        files.add(&long, vec![0; 10_000], false).unwrap();
        let packed = pack(&files).unwrap();
        assert_eq!(unpack(&packed).unwrap(), files);
        assert_eq!(pack(&files).unwrap(), packed);
        assert!(packed.len() < 1_000);
    }
}
