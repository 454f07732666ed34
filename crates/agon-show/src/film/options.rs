//! What people ask for: formats and files of films, the style of pictures, and colours by name.
//! How a match or replay gets into films.
//!
//! `agon play` films a match with the [`Recorder`] as an observer, `agon replay export` a replay
//! ([`record`]).

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use agon_core::{Player, Progress, did_you_mean};
use agon_games::any::GameKind;
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played, replay::Replay};
use agon_view::paint::{Appearance, Rgb};
use anyhow::{Context, Result, bail, ensure};

use super::animated::{Animated, Apng, Gif};
use super::png::{Pictures, check_empty};
use super::video::{Video, encoder};
use super::{Film, FilmStyle, Format, Recorder, Style};

/// The films of a match, and their style.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmOptions {
    /// The films.
    pub films: Vec<Output>,
    /// Their style, except for colours.
    pub style: FilmStyle,
    /// Other colours of players, as `PLAYER=COLOR`.
    pub player_colors: Vec<String>,
}

impl FilmOptions {
    /// Checks that all films can be made here, and that no option is without effect.
    pub fn check(&self) -> Result<()> {
        if self.films.is_empty() && *self != FilmOptions::default() {
            bail!(
                "how films look is told, but there is none: name --png, --gif, --apng, --mp4 or \
                 --webm"
            );
        }
        for (number, output) in self.films.iter().enumerate() {
            ensure!(
                self.films[..number].iter().all(|other| other.path != output.path),
                "{} is named for two films",
                output.path.display()
            );
            output.check()?;
        }
        if let (Some(from), Some(to)) = (self.style.from, self.style.to) {
            ensure!(from <= to, "--from {from} --to {to}: the first turn is after the last one");
        }
        Ok(())
    }

    /// Makes the recorder for a match of players with these names.
    pub fn recorder(
        self,
        kind: &'static dyn GameKind,
        Appearance { theme, patterns }: Appearance,
        names: Vec<String>,
    ) -> Result<Recorder> {
        let colors = player_colors(&self.player_colors, &names)?;
        let style = FilmStyle { theme, patterns, colors, ..self.style };
        Ok(Recorder::new(kind, self.films, style, names))
    }
}

/// Films a match while it is played.
impl Observer for Recorder {
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.state(event.game, event.led_by)?;
        Ok(Control::Continue)
    }

    fn void(&mut self, _: &Played, _: u32) -> Result<(), ObserverError> {
        self.begin_anew();
        Ok(())
    }
}

/// Plays a replay into films; `None` if `stop` was set meanwhile.
///
/// `progress` is called with the progress of each state.
pub fn record(
    replay: &Replay,
    mut recorder: Recorder,
    stop: &AtomicBool,
    mut progress: impl FnMut(Progress),
) -> Result<Option<Recorder>> {
    let mut cursor = replay.cursor(recorder.kind)?;
    recorder.state(cursor.game(), &recorder.kind.no_answers())?;
    while !recorder.is_past_end() {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let answers = cursor.frame()?.given.clone();
        if !cursor.advance()? {
            break;
        }
        recorder.state(cursor.game(), &answers)?;
        progress(cursor.game().progress());
    }
    Ok(Some(recorder))
}

/// Parses the colours of `--player-color PLAYER=COLOR`.
pub fn player_colors(texts: &[String], names: &[String]) -> Result<Vec<(Player, Rgb)>> {
    let one = |text: &String| {
        let flag = || format!("--player-color {text}");
        // A name may contain `=`, a colour may not.
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

/// A requested film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The format.
    pub format: Format,
    /// The file, or the folder for pictures. Missing folders are made.
    pub path: PathBuf,
    /// Whether existing files in a folder for pictures are overwritten.
    pub overwrite: bool,
}

impl Output {
    /// Checks whether the film can be made here, as far as that is known without a picture: there
    /// is an encoder, and the folder for pictures is empty.
    pub fn check(&self) -> Result<()> {
        match self.format {
            Format::Pictures if !self.overwrite => check_empty(&self.path),
            Format::Mp4 | Format::WebM => encoder(self.format).map(drop),
            _ => Ok(()),
        }
    }

    /// Starts the film with pictures of the size `first`.
    pub fn begin(&self, first: (u32, u32), style: &Style) -> Result<Box<dyn Film>> {
        let path = self.path.as_path();
        Ok(match self.format {
            Format::Pictures => Box::new(Pictures::create(path, self.overwrite)?),
            Format::Gif => Box::new(Animated::<Gif>::create(path, first, style)?),
            Format::Apng => Box::new(Animated::<Apng>::create(path, first, style)?),
            Format::Mp4 | Format::WebM => {
                Box::new(Video::create(self.format, path, first, style.fps)?)
            }
        })
    }
}

/// Colours with names: those of species of amoebas (Java's), and of agents of rezzo.
const CLASSIC_COLORS: [(&str, Rgb); 12] = [
    ("red", Rgb(255, 0, 0)),
    ("blue", Rgb(0, 0, 255)),
    ("yellow", Rgb(255, 255, 0)),
    ("white", Rgb(255, 255, 255)),
    ("gray", Rgb(128, 128, 128)),
    ("orange", Rgb(255, 200, 0)),
    ("magenta", Rgb(255, 0, 255)),
    ("cyan", Rgb(0, 255, 255)),
    ("green", Rgb(0, 255, 0)),
    ("teal", Rgb(0, 128, 128)),
    ("purple", Rgb(128, 0, 128)),
    ("black", Rgb(0, 0, 0)),
];

/// Returns the colour of a name or of `#rrggbb`.
fn color(text: &str) -> Result<Rgb> {
    if let Some(&(_, color)) = CLASSIC_COLORS.iter().find(|(name, _)| *name == text) {
        return Ok(color);
    }
    let hex = text
        .strip_prefix('#')
        .filter(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    if let Some(number) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
        let [_, r, g, b] = number.to_be_bytes();
        return Ok(Rgb(r, g, b));
    }
    let names = CLASSIC_COLORS.map(|(name, _)| name);
    match did_you_mean(text, names) {
        Some(name) => bail!("there is no colour `{text}`; did you mean `{name}`?"),
        None => bail!(
            "there is no colour `{text}`; colours are `#rrggbb` in hexadecimal, or a name: {}",
            names.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn colours_are_names_or_numbers() {
        assert_eq!(color("orange").unwrap(), Rgb(255, 200, 0));
        assert_eq!(color("#0a80Ff").unwrap(), Rgb(10, 128, 255));
        let error = |text| color(text).unwrap_err().to_string();
        assert_eq!(error("orangge"), "there is no colour `orangge`; did you mean `orange`?");
        for text in ["#12345", "#1234567", "#12345g", "#+12345", "", "12345678"] {
            assert!(error(text).contains("colours are `#rrggbb`"), "{text}");
        }
    }
}
