//! Writes PNG files: a single picture, or all pictures of a film into a folder.
//!
//! Charts and the pictures of classic command lines are single ones.

use std::path::{Path, PathBuf};
use std::{fs, time::Duration};

use agon_files::{WriteError, write_whole};
use agon_view::paint::Frame;
use anyhow::{Result, bail};
use png::{BitDepth, ColorType, Compression, Encoder};

use super::{Film, Finished, Format, animated::Palette};

/// Returns a lossless PNG file, with a palette for at most 256 colours.
pub fn still(frame: &Frame) -> Vec<u8> {
    let mut indices = Vec::with_capacity(frame.data().len() / 4);
    let palette = Palette::exact(frame, &mut indices);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, frame.width(), frame.height());
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    let pixels = match palette {
        Some(palette) => {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(palette);
            // Neighbours in a palette have nothing in common.
            encoder.set_filter(png::Filter::NoFilter);
            indices
        }
        None => {
            encoder.set_color(ColorType::Rgb);
            frame.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
        }
    };
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&pixels)?;
        writer.finish()
    });
    written.expect("memory takes all, and there is a byte or three for every pixel");
    bytes
}

/// Pictures in a folder, numbered from 0: `00000000.png`.
#[derive(Debug)]
pub(super) struct Pictures {
    folder: PathBuf,
    count: u64,
    bytes: u64,
    size: (u32, u32),
}

impl Pictures {
    /// Opens this folder for pictures, and makes it if it is missing.
    /// Fails if it is not empty although nothing may be overwritten.
    pub(super) fn create(folder: &Path, overwrite: bool) -> Result<Pictures> {
        if !overwrite {
            check_empty(folder)?;
        }
        fs::create_dir_all(folder).map_err(WriteError::of(folder))?;
        Ok(Pictures { folder: folder.to_owned(), count: 0, bytes: 0, size: (0, 0) })
    }
}

/// Checks that a folder for pictures is empty: old pictures would become part of the film.
pub(super) fn check_empty(folder: &Path) -> Result<()> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_some()) {
        Ok(true) => bail!("{} is not empty; name a new or an empty folder", folder.display()),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(WriteError::of(folder)(error).into())
        }
        _ => Ok(()),
    }
}

impl Film for Pictures {
    fn frame(&mut self, frame: &Frame, _: Duration) -> Result<()> {
        let bytes = still(frame);
        write_whole(&self.folder.join(format!("{:08}.png", self.count)), &bytes)?;
        self.count += 1;
        self.bytes += bytes.len() as u64;
        self.size = (frame.width(), frame.height());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        let Pictures { folder: path, count: pictures, bytes, size, .. } = *self;
        let encoder = "the library png".to_owned();
        let format = Format::Pictures;
        Ok(Finished { path, format, pictures, bytes, length: None, size, encoder })
    }
}
