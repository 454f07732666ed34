//! Arguments for films.

use std::{fmt, path::PathBuf, str::FromStr};

use agon_show::encoding::{FilmStyle, Format};
use agon_show::film::FilmOptions;
use clap::Args;

/// Flags of films.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Films")]
pub(crate) struct FilmArgs {
    /// Write a PNG file for each turn into this new or empty folder; in cluster seven more between
    /// two turns, which --smooth 0 leaves out.
    #[arg(long, value_name = "DIR")]
    pub(crate) png: Option<PathBuf>,
    /// Write a GIF.
    #[arg(long, value_name = "FILE")]
    pub(crate) gif: Option<PathBuf>,
    /// Write an animated PNG.
    #[arg(long, value_name = "FILE")]
    pub(crate) apng: Option<PathBuf>,
    /// Write an MP4 (needs ffmpeg).
    #[arg(long, value_name = "FILE")]
    pub(crate) mp4: Option<PathBuf>,
    /// Write a WebM (needs ffmpeg).
    #[arg(long, value_name = "FILE")]
    pub(crate) webm: Option<PathBuf>,
    /// The first turn in films [default: 0].
    #[arg(long, value_name = "TURN")]
    pub(crate) from: Option<u64>,
    /// The last turn in films [default: the last of the match].
    #[arg(long, value_name = "TURN")]
    pub(crate) to: Option<u64>,
    /// Show every so many turns, or steps with --steps [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: Option<u64>,
    /// Show every step (batch of decisions), not every turn.
    #[arg(long)]
    pub(crate) steps: bool,
    /// Turns a second, or steps with --steps [default: 12.5; in cluster 2.5].
    #[arg(long, value_name = "N", value_parser = rate, conflicts_with = "fps")]
    pub(crate) speed: Option<f64>,
    /// Pictures a second [default: as --speed says].
    #[arg(long, value_name = "N", value_parser = rate)]
    pub(crate) fps: Option<f64>,
    /// So many more pictures between two turns, in which things move [default: 0; in cluster 7].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=60))]
    pub(crate) smooth: Option<u32>,
    /// Pixels of a cell [default: as large as fits into 960x720].
    #[arg(long, value_name = "PIXELS", conflicts_with = "size", value_parser = zoom)]
    pub(crate) zoom: Option<f32>,
    /// As large as fits into a picture of so many pixels.
    #[arg(long, value_name = "WxH")]
    pub(crate) size: Option<Size>,
    /// Give a player another colour, as a name or #rrggbb; may be given several times.
    #[arg(long, value_name = "PLAYER=COLOR")]
    pub(crate) player_color: Vec<String>,
    /// Leave out what stands beside the board.
    #[arg(long)]
    pub(crate) no_caption: bool,
}

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u32, pub(crate) u32);

/// More pixels than this in a row or column are a mistake.
const MAX_SIDE: u32 = 16_384;

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Size, &'static str> {
        let sides =
            text.split_once('x').and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
        let fits = |side: u32| (1..=MAX_SIDE).contains(&side);
        let sides = sides.filter(|&(width, height)| fits(width) && fits(height));
        sides
            .map(|(w, h)| Size(w, h))
            .ok_or("a size is width and height from 1 to 16384, as in 640x480")
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

fn rate(text: &str) -> Result<f64, &'static str> {
    let rate = text.parse().ok().filter(|rate| (0.1..=240.0).contains(rate));
    rate.ok_or("a number from 0.1 to 240")
}

fn zoom(text: &str) -> Result<f32, &'static str> {
    let zoom = text.parse::<u16>().ok().filter(|zoom| (1..=500).contains(zoom));
    zoom.map(f32::from).ok_or("a whole number of pixels from 1 to 500")
}

impl FilmArgs {
    /// What is asked for.
    pub(crate) fn options(&self) -> FilmOptions {
        let named = [
            (Format::Pictures, &self.png),
            (Format::Gif, &self.gif),
            (Format::Apng, &self.apng),
            (Format::Mp4, &self.mp4),
            (Format::WebM, &self.webm),
        ];
        let films = named.into_iter().filter_map(|(format, path)| Some((format, path.clone()?)));
        let style = FilmStyle {
            from: self.from,
            to: self.to,
            every: self.every,
            steps: self.steps,
            speed: self.speed,
            fps: self.fps,
            smooth: self.smooth,
            zoom: self.zoom,
            size: self.size.map(|Size(width, height)| (width, height)),
            bare: self.no_caption,
            ..FilmStyle::default()
        };
        FilmOptions { films: films.collect(), style, player_colors: self.player_color.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_two_numbers() {
        assert_eq!("640x480".parse(), Ok(Size(640, 480)));
        for text in ["640", "640x", "0x5", "640x480x2", "99999x5", "-1x5"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
