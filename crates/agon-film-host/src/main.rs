//! `agon-film-host`: encodes pictures from standard input as a film in an MP4 file.
//!
//! The arena starts it for `--mp4`. It is a separate program because its encoder is C++ that takes
//! long to build. Pictures are rows of pixels from the top, four bytes each: red, green, blue, and
//! one that is ignored.

mod args;
mod colors;
mod encoder;

use std::{
    io::{self, Read},
    process::ExitCode,
};

use anyhow::{Context, Result};

use args::{Args, Task};
use encoder::Encoder;

fn main() -> ExitCode {
    let result = Args::parse(std::env::args_os().skip(1)).and_then(|task| match task {
        Task::Film(args) => film(&args),
        Task::Text(text) => {
            use io::Write;
            Ok(io::stdout().write_all(text.as_bytes())?)
        }
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

/// Encodes all pictures until the end of the input.
fn film(args: &Args) -> Result<()> {
    let mut encoder = Encoder::create(args)?;
    let mut picture = vec![0; 4 * args.width * args.height];
    let mut input = io::stdin().lock();
    while read_all(&mut input, &mut picture).context("cannot read the pictures")? {
        encoder.push(&picture)?;
    }
    encoder.finish()
}

/// Fills `picture`; returns false at the end of the input.
fn read_all(input: &mut impl Read, picture: &mut [u8]) -> io::Result<bool> {
    let mut filled = 0;
    while filled < picture.len() {
        match input.read(&mut picture[filled..])? {
            0 if filled == 0 => return Ok(false),
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => filled += read,
        }
    }
    Ok(true)
}
