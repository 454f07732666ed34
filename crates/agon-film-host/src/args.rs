//! Parses the arguments with which the arena starts this program.
//!
//! They give the size, the rate and the file of the film. `main` acts on them.

use std::{ffi::OsString, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};

/// The largest width and height: those of H.264's highest level.
const MAX_SIDE: usize = 8192;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The task of this program.
#[derive(Debug, PartialEq)]
pub(crate) enum Task {
    /// Encode a film.
    Film(Args),
    /// Print this text.
    Text(String),
}

/// The film to encode.
#[derive(Debug, PartialEq)]
pub(crate) struct Args {
    /// Pixels in a row, even.
    pub(crate) width: usize,
    /// Rows, even.
    pub(crate) height: usize,
    /// Pictures per second.
    pub(crate) fps: f64,
    /// The file.
    pub(crate) file: PathBuf,
}

impl Args {
    /// Reads `--for VERSION --size WIDTHxHEIGHT --fps N FILE`.
    pub(crate) fn parse(args: impl Iterator<Item = OsString>) -> Result<Task> {
        let args: Vec<OsString> = args.collect();
        if args.is_empty() || args[0] == "--help" || args[0] == "--version" {
            let what = "encodes MP4 films; the arena `agon` starts it by itself";
            return Ok(Task::Text(format!("agon-film-host {VERSION}: {what}\n")));
        }
        let [for_, version, size_, size, fps_, fps, file] = args.as_slice() else {
            bail!("expected: --for VERSION --size WIDTHxHEIGHT --fps N FILE");
        };
        ensure!(
            for_ == "--for" && size_ == "--size" && fps_ == "--fps",
            "expected --for, --size and --fps"
        );
        let version = version.to_string_lossy();
        ensure!(
            version == VERSION,
            "this is version {VERSION}, but the arena is {version}; build both anew"
        );
        let text =
            size.to_str().and_then(|size| size.split_once('x')).context("--size: expected WxH")?;
        let (width, height) =
            (text.0.parse().context("--size")?, text.1.parse().context("--size")?);
        let fits = |side: usize| (16..=MAX_SIDE).contains(&side) && side.is_multiple_of(2);
        ensure!(
            fits(width) && fits(height),
            "a film has 16 to {MAX_SIDE} columns and rows, not {width}x{height}"
        );
        let fps: f64 =
            fps.to_str().and_then(|fps| fps.parse().ok()).context("--fps: expected a number")?;
        ensure!(
            (0.01..=1000.0).contains(&fps),
            "a film has 0.01 to 1000 pictures a second, not {fps}"
        );
        Ok(Task::Film(Args { width, height, fps, file: file.into() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Task> {
        Args::parse(text.split_whitespace().map(Into::into))
    }

    #[test]
    fn arguments_are_those_of_the_same_version() {
        let film = parse(&format!("--for {VERSION} --size 320x240 --fps 12.5 a.mp4")).unwrap();
        let args = Args { width: 320, height: 240, fps: 12.5, file: "a.mp4".into() };
        assert_eq!(film, Task::Film(args));
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert!(
            error("--for 0.0.7 --size 320x240 --fps 12.5 a.mp4").contains("the arena is 0.0.7")
        );
        for size in ["321x240", "320x0", "9000x240", "320"] {
            assert!(
                error(&format!("--for {VERSION} --size {size} --fps 1 a.mp4")).contains("x"),
                "{size}"
            );
        }
        assert!(
            error(&format!("--for {VERSION} --size 320x240 --fps 0 a.mp4"))
                .contains("pictures a second")
        );
        assert!(matches!(parse("").unwrap(), Task::Text(_)));
    }
}
