//! Films: how long they will take, and what is done.

use std::io::Write;
use std::time::{Duration, Instant};

use agon_contest::events::{Event, FilmFile};
use agon_core::Progress;
use agon_match::{Control, MatchEvent, Observer, ObserverError};
use agon_show::film::{Finished, Recorder};
use anyhow::Result;
use indicatif::{DecimalBytes, HumanDuration};

use super::{DIM, plural, print_event, tell};

/// Ends the films and tells of them: on stderr for people, on `out` as JSON Lines.
pub(crate) fn print_films(film: Recorder, json: bool, out: &mut impl Write) -> Result<()> {
    let films = film.finish()?;
    for Finished { path, format, pictures, bytes, length, size, encoder } in &films {
        let (width, height) = *size;
        if json {
            let film = FilmFile {
                path: path.to_string_lossy(),
                format: format.to_string(),
                pictures: *pictures,
                width,
                height,
                bytes: *bytes,
                seconds: length.map(|length| length.as_secs_f64()),
                encoder,
            };
            print_event(Event::Film(film), out)?;
            continue;
        }
        let length = length.map(|length| format!(" in {:.1} s", length.as_secs_f64()));
        let length = length.unwrap_or_default();
        let pictures = plural(*pictures, "picture");
        let bytes = DecimalBytes(*bytes);
        let by = format!("{DIM}by {encoder}{DIM:#}");
        let path = path.display();
        say!("{path}: {format}, {pictures} of {width}x{height}{length}, {bytes} {by}");
    }
    Ok(())
}

/// The time after which a forecast is good enough.
const MEASURED: Duration = Duration::from_secs(2);

/// A film that takes no longer than this needs no forecast.
const LONG: Duration = Duration::from_secs(60);

/// Says once that films will take minutes, as soon as that is clear.
pub(crate) struct FilmTime {
    begun: Instant,
    /// The first filmed turn, and the last one, if it is known.
    from: u64,
    to: Option<u64>,
    is_told: bool,
}

impl FilmTime {
    /// The forecast of films from one turn to another; a match may end earlier.
    pub(crate) fn new(from: Option<u64>, to: Option<u64>) -> FilmTime {
        FilmTime { begun: Instant::now(), from: from.unwrap_or(0), to, is_told: false }
    }

    /// Takes the progress of the match that is filmed.
    pub(crate) fn show(&mut self, progress: Progress) {
        if self.is_told {
            return;
        }
        if progress.turn <= self.from {
            // Nothing was filmed so far.
            self.begun = Instant::now();
            return;
        }
        let last = [self.to, progress.limit].into_iter().flatten().min();
        let Some(all) = last.and_then(|last| last.checked_sub(self.from)) else { return };
        if let Some(time) = forecast(self.begun.elapsed(), progress.turn - self.from, all) {
            self.is_told = true;
            tell(format!(
                "films of {all} turns take about {:#}; `--every N` or `--to TURN` make them \
                 shorter, and Ctrl-C ends them",
                HumanDuration(time)
            ));
        }
    }
}

impl Observer for FilmTime {
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.show(event.game.progress());
        Ok(Control::Continue)
    }
}

/// Returns the time for all turns if it is long, from the time that some took.
fn forecast(spent: Duration, done: u64, all: u64) -> Option<Duration> {
    if spent < MEASURED || done == 0 || done >= all {
        return None;
    }
    let time = spent.as_secs_f64() / done as f64 * all as f64;
    let time = Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX);
    (time > LONG).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_films_are_announced() {
        let seconds = Duration::from_secs;
        assert_eq!(forecast(seconds(3), 10, 1_000), Some(seconds(300)));
        assert_eq!(forecast(seconds(3), 500, 1_000), None);
        assert_eq!(forecast(seconds(1), 1, 1_000), None, "too early to say");
        assert_eq!(forecast(seconds(3), 0, 1_000), None);
        assert_eq!(forecast(seconds(90), 10, 10), None, "it is done");
        assert_eq!(forecast(seconds(u64::MAX), 1, u64::MAX), Some(Duration::MAX));
    }
}
