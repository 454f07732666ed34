//! Films that are done.

use std::{io::Write, time::Duration};

use agon_contest::events::{Event, FilmFile};
use agon_games::scene::Render;
use agon_show::encoding::{Finished, Recorder};
use anyhow::Result;
use indicatif::DecimalBytes;

use super::{DIM, plural, print_event};

/// Ends the films and tells of them: on stderr for people, on `out` as JSON Lines.
///
/// # Errors
/// If a film cannot be written, or nothing was shown.
pub(crate) fn print_films<G: Render>(
    film: Recorder<G>,
    json: bool,
    out: &mut impl Write,
) -> Result<()> {
    let films = film.finish()?;
    for film in &films {
        if json {
            print_event(Event::Film(event(film)), out)?;
        } else {
            say!("{}", line(film));
        }
    }
    Ok(())
}

/// A film for programs.
fn event(film: &Finished) -> FilmFile<'_> {
    let (width, height) = film.size;
    FilmFile {
        path: film.path.to_string_lossy(),
        format: film.format.to_string(),
        pictures: film.pictures,
        width,
        height,
        bytes: film.bytes,
        seconds: film.length.map(|length| length.as_secs_f64()),
        encoder: &film.encoder,
    }
}

/// A film in a line.
fn line(film: &Finished) -> String {
    let Finished { path, format, pictures, bytes, length, size, encoder } = film;
    let length = length.map_or_else(String::new, |length| format!(" in {}", seconds(length)));
    let pictures = plural(*pictures, "picture");
    let bytes = DecimalBytes(*bytes);
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
