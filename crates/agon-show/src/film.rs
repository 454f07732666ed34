//! Films of matches: their options, and how a match or replay gets into them.
//!
//! `agon play` films a match with an observer ([`Filming`]), `agon replay export` a replay
//! ([`record`]).

use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

use crate::encoding::{FilmStyle, Format, Output, Recorder, color};
use agon_core::{Player, Progress, did_you_mean};
use agon_games::scene::Render;
use agon_match::replay::Replay;
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played};
use agon_view::paint::{Appearance, Rgb};
use anyhow::{Context, Result, bail, ensure};

/// The films of a match, and their style.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmOptions {
    /// The formats and files of the films; for pictures, the folder.
    pub films: Vec<(Format, PathBuf)>,
    /// Their style, except for colours.
    pub style: FilmStyle,
    /// Other colours of players, as `PLAYER=COLOR`.
    pub player_colors: Vec<String>,
}

impl FilmOptions {
    /// Checks the options, and returns the films to make.
    ///
    /// # Errors
    /// If a film cannot be made here, or an option has no effect.
    pub fn outputs(&self) -> Result<Vec<Output>> {
        if self.films.is_empty() && *self != FilmOptions::default() {
            bail!(
                "how films look is told, but there is none: name --png, --gif, --apng, --mp4 or \
                 --webm"
            );
        }
        let output = |(format, path): &(Format, PathBuf)| Output {
            format: *format,
            path: path.clone(),
            overwrite: false,
        };
        let outputs: Vec<Output> = self.films.iter().map(output).collect();
        for (number, output) in outputs.iter().enumerate() {
            ensure!(
                outputs[..number].iter().all(|other| other.path != output.path),
                "{} is named for two films",
                output.path.display()
            );
            output.check()?;
        }
        if let (Some(from), Some(to)) = (self.style.from, self.style.to) {
            ensure!(from <= to, "--from {from} --to {to}: the first turn is after the last one");
        }
        Ok(outputs)
    }

    /// Makes the recorder for a match of players with these names.
    ///
    /// # Errors
    /// If a colour or its player does not exist.
    pub fn recorder<G: Render>(
        &self,
        outputs: Vec<Output>,
        appearance: Appearance,
        names: Vec<String>,
    ) -> Result<Recorder<G>> {
        let style = FilmStyle {
            theme: appearance.theme,
            patterns: appearance.patterns,
            colors: player_colors(&self.player_colors, &names)?,
            ..self.style.clone()
        };
        Ok(Recorder::new(outputs, style, names))
    }
}

/// The observer that films a match while it is played.
pub struct Filming<G: Render>(pub Recorder<G>);

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

/// Plays a replay into films; `None` if `stop` was set meanwhile.
///
/// `progress` is called with the progress of each state.
///
/// # Errors
/// If the replay does not fit its game, or a film cannot be written.
pub fn record<G: Render>(
    replay: &Replay,
    mut recorder: Recorder<G>,
    stop: &AtomicBool,
    mut progress: impl FnMut(Progress),
) -> Result<Option<Recorder<G>>> {
    let mut cursor = replay.cursor::<G>()?;
    recorder.state(cursor.game(), &[])?;
    let mut answers = Vec::new();
    while !recorder.is_past_end() {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        answers.clear();
        answers.extend_from_slice(cursor.frame()?.given);
        if !cursor.advance()? {
            break;
        }
        recorder.state(cursor.game(), &answers)?;
        progress(cursor.game().progress());
    }
    Ok(Some(recorder))
}

/// Parses the colours of `--player-color PLAYER=COLOR`.
///
/// # Errors
/// If there is no such player or colour.
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
}
