//! Films that are done.

use std::{io::Write, time::Duration};

use agon_film::{Finished, Recorder};
use agon_games::scene::Render;
use anyhow::Result;
use serde_json::json;

use super::{DIM, plural};

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
    fn sizes_have_three_digits() {
        assert_eq!([850, 47_512, 3_200_000].map(file_size), ["850 B", "47.5 kB", "3.2 MB"]);
    }
}
