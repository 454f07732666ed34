//! Films as they are asked for on the command line.

use std::{fmt, io::Write, path::PathBuf, str::FromStr, time::Duration};

use agon_core::{Player, did_you_mean};
use agon_film::{FilmStyle, Finished, Format, Output, Recorder, Tempo, color};
use agon_games::scene::Render;
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played};
use agon_paint::{Rgb, ThemeName};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;

use crate::output::{DIM, plural};

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
    /// Write an animated WebP.
    #[arg(long, value_name = "FILE")]
    pub(crate) webp: Option<PathBuf>,
    /// Write an MP4 (needs `agon-film-host` or ffmpeg).
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
    /// The films that are wanted.
    ///
    /// # Errors
    /// If a film cannot be made here, or a flag has no effect.
    pub(crate) fn outputs(&self) -> Result<Vec<Output>> {
        let named = [
            (Format::Pictures, &self.png),
            (Format::Gif, &self.gif),
            (Format::Apng, &self.apng),
            (Format::WebP, &self.webp),
            (Format::Mp4, &self.mp4),
            (Format::WebM, &self.webm),
        ];
        let outputs: Vec<Output> = named
            .into_iter()
            .filter_map(|(format, path)| {
                Some(Output { format, path: path.clone()?, overwrite: false })
            })
            .collect();
        if outputs.is_empty() && *self != FilmArgs::default() {
            bail!(
                "how films look is told, but there is none: name --png, --gif, --apng, --webp, \
                 --mp4 or --webm"
            );
        }
        for (number, output) in outputs.iter().enumerate() {
            ensure!(
                outputs[..number].iter().all(|other| other.path != output.path),
                "{} is named for two films",
                output.path.display()
            );
            agon_film::prepare(output.format, |line| say!("{line}"))?;
            output.check()?;
        }
        if let (Some(from), Some(to)) = (self.from, self.to) {
            ensure!(from <= to, "--from {from} --to {to}: the first turn is after the last one");
        }
        Ok(outputs)
    }

    /// What makes the films of a match of these players.
    ///
    /// # Errors
    /// If a colour or its player does not exist.
    pub(crate) fn recorder<G: Render>(
        &self,
        outputs: Vec<Output>,
        theme: Option<ThemeName>,
        names: Vec<String>,
    ) -> Result<Recorder<G>> {
        let look = FilmStyle {
            theme: theme.unwrap_or_default(),
            colors: player_colors(&self.player_color, &names)?,
            zoom: self.zoom,
            size: self.size.map(|Size(width, height)| (width, height)),
            bare: self.no_caption,
        };
        let tempo = Tempo {
            from: self.from.unwrap_or(0),
            to: self.to,
            every: self.every.unwrap_or(1),
            steps: self.steps,
            smooth: self.smooth,
            fps: self.fps,
            speed: self.speed,
            ..Tempo::default()
        };
        Ok(Recorder::new(outputs, look, tempo, names))
    }
}

/// Films a match while it is played.
pub(crate) struct Filming<G: Render>(pub(crate) Recorder<G>);

impl<G: Render> Observer<G> for Filming<G> {
    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        self.0.state(event.game, event.led_by)?;
        Ok(Control::Continue)
    }

    fn void(&mut self, _: &Played<G>, _: u32) -> Result<(), ObserverError> {
        self.0.begin_anew();
        Ok(())
    }
}

/// The colours that `--player-color PLAYER=COLOR` gives.
///
/// # Errors
/// If there is no such player or colour.
pub(crate) fn player_colors(texts: &[String], names: &[String]) -> Result<Vec<(Player, Rgb)>> {
    let one = |text: &String| {
        let flag = || format!("--player-color {text}");
        // The colour has no `=`, a name may have one.
        let (name, value) =
            text.rsplit_once('=').with_context(|| format!("{}: expected PLAYER=COLOR", flag()))?;
        let player = names.iter().position(|player| player == name).with_context(|| {
            let hint = match did_you_mean(name, names.iter().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("there are: {}", names.join(", ")),
            };
            format!("{}: there is no player `{name}`; {hint}", flag())
        })?;
        Ok((Player(player as u16), color(value).with_context(flag)?))
    };
    texts.iter().map(one).collect()
}

/// Ends the films and tells of them: on stderr for people, on `out` as JSON Lines.
///
/// # Errors
/// If a film cannot be written, or nothing was shown.
pub(crate) fn print_films<G: Render>(
    film: Recorder<G>,
    json: bool,
    out: &mut impl Write,
) -> Result<()> {
    let (films, _) = film.finish()?;
    for film in &films {
        if json {
            let data = json!({
                "path": film.path, "format": film.format.to_string(), "pictures": film.pictures,
                "width": film.size.0, "height": film.size.1, "bytes": film.bytes,
                "seconds": film.length.map(|length| length.as_secs_f64()), "encoder": film.encoder
            });
            writeln!(out, "{}", json!({ "type": "film", "data": data }))?;
        } else {
            say!("{}", line(film));
        }
    }
    Ok(())
}

/// A film in a line.
fn line(film: &Finished) -> String {
    let Finished { path, format, pictures, bytes, length, size, encoder } = film;
    let length = length.map_or_else(String::new, |length| format!(" in {}", seconds(length)));
    let pictures = plural(*pictures, "picture");
    let bytes = file_size(*bytes);
    format!(
        "{}: {format}, {pictures} of {}x{}{length}, {bytes} {DIM}by {encoder}{DIM:#}",
        path.display(),
        size.0,
        size.1
    )
}

fn seconds(length: Duration) -> String {
    format!("{:.1} s", length.as_secs_f64())
}

/// The size of a file: `850 B`, `47.5 kB`, `3.2 MB`.
fn file_size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
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
        assert_eq!([850, 47_512, 3_200_000].map(file_size), ["850 B", "47.5 kB", "3.2 MB"]);
    }

    #[test]
    fn colours_are_for_players_that_there_are() {
        let names = ["rosa".to_owned(), "a=b".to_owned()];
        let colors = |text: &str| player_colors(&[text.to_owned()], &names);
        assert_eq!(colors("rosa=red").unwrap(), [(Player(0), Rgb(255, 0, 0))]);
        assert_eq!(colors("a=b=#010203").unwrap(), [(Player(1), Rgb(1, 2, 3))]);
        let error = |text: &str| format!("{:#}", colors(text).unwrap_err());
        assert_eq!(
            error("rosi=red"),
            "--player-color rosi=red: there is no player `rosi`; did you mean `rosa`?"
        );
        assert!(error("rosa=rad").ends_with("there is no colour `rad`; did you mean `red`?"));
        assert!(error("rosa").contains("expected PLAYER=COLOR"));
    }
}
