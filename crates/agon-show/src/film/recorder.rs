//! Turns the states of a match into films: chooses the states, their speed and their size.
//!
//! `agon-show` gives a [`Recorder`] each state of a match that runs, or of a replay.

use std::time::Duration;

use agon_core::Player;
use agon_games::any::{AnyAnswers, AnyGame, GameKind};
use agon_games::scene::{Board, Scene, Travel};
use agon_view::paint::{Frame, Instant, Rgb, Screenshot, Theme, ThemeName};
use anyhow::{Result, bail, ensure};

use super::{Film, Finished, Format, Output, Style};

/// The style of pictures, the states to show, and their speed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmStyle {
    /// The theme.
    pub theme: ThemeName,
    /// Whether all players have patterns.
    pub patterns: bool,
    /// Players with colours of their own.
    pub colors: Vec<(Player, Rgb)>,
    /// Pixels per cell; `None` fits `size`, or makes pictures of medium size.
    pub zoom: Option<f32>,
    /// The largest width and height in pixels, which limit the zoom.
    pub size: Option<(u32, u32)>,
    /// Whether pictures have only the board, without a caption.
    pub bare: bool,
    /// The first turn; `None` is turn 0.
    pub from: Option<u64>,
    /// The last turn; `None` is the last one of the match.
    pub to: Option<u64>,
    /// The distance of shown turns or steps; `None` shows all.
    pub every: Option<u64>,
    /// Whether steps (batches of decisions) count instead of turns.
    pub steps: bool,
    /// Turns or steps per second; `None` is usual for the game.
    pub speed: Option<f64>,
    /// Pictures per second; `None` depends on `speed`.
    pub fps: Option<f64>,
    /// The number of pictures between two turns; `None` is usual for the game.
    pub smooth: Option<u32>,
}

/// The most pictures of a film, including those between turns.
///
/// More are a mistake and fill the disk.
const MAX_PICTURES: u64 = 100_000;

/// The longest time of a picture in seconds: GIF allows no more.
const MAX_DELAY: u32 = 600;

/// The time for which the last picture stays longer.
const HOLD: Duration = Duration::from_secs(2);

/// The largest board without a requested zoom or size, in pixels.
const USUAL: (f32, f32) = (960.0, 720.0);

/// The largest cell in that case.
const MAX_CELL: f32 = 40.0;

/// The most pixels: more make no sense, and no film.
const MAX_PIXELS: u64 = 1 << 26;

/// Paints the states of a match into films.
#[derive(Debug)]
pub struct Recorder {
    pub(super) kind: &'static dyn GameKind,
    outputs: Vec<Output>,
    look: FilmStyle,
    names: Vec<String>,
    /// The fixed part, set by the first state.
    settings: Option<PictureSettings>,
    films: Vec<Box<dyn Film>>,
    /// The last state, for movements to the next one.
    state: Option<AnyGame>,
    /// The last state that was shown.
    scene: Option<Scene>,
    /// Movements since then.
    travels: Vec<Travel>,
    /// Steps and turn of the last state.
    at: Option<(u64, u64)>,
    /// The number of states that were shown.
    shown: u64,
    /// The turn of the last state, shown or not.
    last_turn: u64,
    /// The number of pictures painted.
    pictures: u64,
    frame: Frame,
    /// The time of the picture on the frame, until it is added to the films.
    painted: Option<Duration>,
}

/// The common part of all pictures of a match.
#[derive(Debug)]
struct PictureSettings {
    theme: Theme,
    zoom: f32,
    smooth: u32,
    fps: f64,
}

impl Recorder {
    /// Makes a recorder for a match of players with these names.
    pub fn new(
        kind: &'static dyn GameKind,
        outputs: Vec<Output>,
        look: FilmStyle,
        names: Vec<String>,
    ) -> Recorder {
        Recorder {
            kind,
            outputs,
            look,
            names,
            settings: None,
            films: Vec::new(),
            state: None,
            scene: None,
            travels: Vec::new(),
            at: None,
            shown: 0,
            last_turn: 0,
            pictures: 0,
            frame: Frame::new(1, 1),
            painted: None,
        }
    }

    /// Takes the next state of the match, and the answers that led to it; none at the start.
    /// Fails if the style is impossible, or a film cannot be written.
    pub fn state(&mut self, game: &AnyGame, answers: &AnyAnswers) -> Result<()> {
        let turn = game.progress().turn;
        let (step, before) = self.at.map_or((0, None), |(step, turn)| (step + 1, Some(turn)));
        self.at = Some((step, turn));
        self.last_turn = turn;
        let every = self.look.every.unwrap_or(1);
        if self.look.to.is_some_and(|to| turn > to) {
            return Ok(());
        }
        let smooth = self.smooth(game);
        if smooth > 0 && every == 1 && self.scene.is_some() {
            let state = self.state.as_ref();
            self.travels.extend(state.map(|state| state.travels(answers)).unwrap_or_default());
        }
        if smooth > 0 {
            self.state = Some(game.clone());
        }
        let from = self.look.from.unwrap_or(0);
        let is_due = match self.look.steps {
            true => step.is_multiple_of(every),
            false => before != Some(turn) && turn >= from && (turn - from).is_multiple_of(every),
        };
        let is_last = game.decisions().is_empty();
        if turn >= from && (is_due || is_last) { self.show(game) } else { Ok(()) }
    }

    /// Returns whether all requested turns have been shown.
    pub fn is_past_end(&self) -> bool {
        self.look.to.zip(self.at).is_some_and(|(to, (_, turn))| turn > to)
    }

    /// Forgets everything: the match is played again, so its first state comes next.
    pub fn begin_anew(&mut self) {
        let outputs = std::mem::take(&mut self.outputs);
        let names = std::mem::take(&mut self.names);
        *self = Recorder::new(self.kind, outputs, std::mem::take(&mut self.look), names);
    }

    /// Ends the films. Fails if one cannot be written, or there was nothing to show.
    pub fn finish(mut self) -> Result<Vec<Finished>> {
        if self.shown == 0 {
            let (from, last) = (self.look.from.unwrap_or(0), self.last_turn);
            let turn = self.kind.meta().turn_name;
            bail!(
                "there is nothing to show from {turn} {from} on: the match ends with {turn} {last}"
            );
        }
        self.add_to_films(HOLD)?;
        let films = std::mem::take(&mut self.films).into_iter();
        films.map(|film| film.finish()).collect()
    }

    /// Returns the number of pictures between two states.
    fn smooth(&self, game: &AnyGame) -> u32 {
        match (self.look.smooth, &self.settings) {
            (Some(smooth), _) => smooth,
            (None, Some(settings)) => settings.smooth,
            (None, None) => usual_smooth(&game.scene().board),
        }
    }

    fn show(&mut self, game: &AnyGame) -> Result<()> {
        let scene = game.scene();
        let is_first = self.scene.is_none();
        if is_first {
            self.open(&scene)?;
        }
        let settings = self.settings.as_ref().expect("it is there from the first scene on");
        let parts = settings.smooth + 1;
        let delay = Duration::from_secs_f64(1.0 / settings.fps);
        if is_first {
            self.paint(&Instant::still(&scene), delay)?;
        } else if let Some(before) = self.scene.take() {
            let travels = std::mem::take(&mut self.travels);
            for part in 1..=parts {
                let done = part as f32 / parts as f32;
                let instant = match part == parts {
                    true => Instant::still(&scene),
                    false => {
                        Instant { scene: &scene, before: Some(&before), travels: &travels, done }
                    }
                };
                self.paint(&instant, delay)?;
            }
        }
        self.scene = Some(scene);
        self.shown += 1;
        Ok(())
    }

    /// Fixes the style of pictures, and starts the films.
    fn open(&mut self, scene: &Scene) -> Result<()> {
        let mut theme = Theme::new(self.look.theme, self.kind);
        theme.patterns = self.look.patterns;
        for &(player, color) in &self.look.colors {
            theme.set_player(player, color);
        }
        let smooth = self.look.smooth.unwrap_or_else(|| usual_smooth(&scene.board));
        let speed = self.look.speed.unwrap_or_else(|| usual_speed(&scene.board));
        let every = self.look.every.unwrap_or(1);
        let fps = self.look.fps.unwrap_or(speed / every as f64 * f64::from(smooth + 1));
        // Pictures in a folder have no time.
        let is_film = self.outputs.iter().any(|output| output.format != Format::Pictures);
        if is_film && fps * f64::from(MAX_DELAY) < 1.0 {
            bail!(
                "each picture would be seen for {:.0} seconds, and {MAX_DELAY} are the most; --fps \
                 says how many are seen in a second",
                1.0 / fps
            );
        }
        let fps = fps.max(1.0 / f64::from(MAX_DELAY));
        let names = shown_names(self.look.bare, &self.names);
        let zoom = match (self.look.size, self.look.zoom) {
            (Some(size), _) => zoom_within(scene, names, size)?,
            (None, Some(zoom)) => zoom,
            (None, None) => zoom_for(scene),
        };
        let size = Screenshot { zoom, names }.size(scene);
        check_pixels(size)?;
        let players = scene.players.iter().map(|line| theme.color(line.ink));
        let style = Style {
            colors: [theme.paper, theme.text, theme.faint].into_iter().chain(players).collect(),
            fps,
        };
        let films = self.outputs.iter().map(|output| output.begin(size, &style));
        self.films = films.collect::<Result<_>>()?;
        self.settings = Some(PictureSettings { theme, zoom, smooth, fps });
        Ok(())
    }

    /// Paints the next picture, which stays for `delay`.
    fn paint(&mut self, instant: &Instant<'_>, delay: Duration) -> Result<()> {
        self.add_to_films(Duration::ZERO)?;
        let Some(settings) = &self.settings else { return Ok(()) };
        let still =
            Screenshot { zoom: settings.zoom, names: shown_names(self.look.bare, &self.names) };
        ensure!(
            self.pictures < MAX_PICTURES,
            "a film has {MAX_PICTURES} pictures at most; --every, --from and --to show fewer \
             turns, and --smooth 0 leaves out what is between them"
        );
        self.pictures += 1;
        still.paint(&settings.theme, instant, &mut self.frame);
        self.painted = Some(delay);
        Ok(())
    }

    /// Adds the painted picture, if there is one, to all films; it stays for `longer`.
    fn add_to_films(&mut self, longer: Duration) -> Result<()> {
        let Some(delay) = self.painted.take() else { return Ok(()) };
        for film in &mut self.films {
            film.frame(&self.frame, delay + longer)?;
        }
        Ok(())
    }
}

/// Checks that pictures of this size make sense.
pub(crate) fn check_pixels((width, height): (u32, u32)) -> Result<()> {
    ensure!(
        u64::from(width) * u64::from(height) <= MAX_PIXELS,
        "pictures would have {width}x{height} pixels, more than {MAX_PIXELS} in all; take a \
         smaller --zoom"
    );
    Ok(())
}

/// Returns the names for the caption, if there is one.
fn shown_names(bare: bool, names: &[String]) -> Option<&[String]> {
    (!bare).then_some(names)
}

/// Returns the default number of pictures between two states.
///
/// Falling and sliding pieces are easier to follow on their way. If hundreds of cells act at once,
/// there are none.
fn usual_smooth(board: &Board) -> u32 {
    if matches!(board, Board::Hexagon { .. }) { 7 } else { 0 }
}

/// Returns the turns per second that a person can still follow.
fn usual_speed(board: &Board) -> f64 {
    if matches!(board, Board::Hexagon { .. }) { 2.5 } else { 12.5 }
}

/// Returns the zoom for a picture of medium size.
fn zoom_for(scene: &Scene) -> f32 {
    let one = Screenshot { zoom: 64.0, names: None }.size(scene);
    let cells = (one.0 as f32 / 64.0, one.1 as f32 / 64.0);
    (USUAL.0 / cells.0).min(USUAL.1 / cells.1).floor().clamp(1.0, MAX_CELL)
}

/// Returns the largest zoom for pictures up to `size`: whole pixels on a grid.
///
/// On hexagons it is a multiple of a quarter. Fails if not even the smallest one fits.
fn zoom_within(scene: &Scene, names: Option<&[String]>, wanted: (u32, u32)) -> Result<f32> {
    let parts = if matches!(scene.board, Board::Hexagon { .. }) { 4 } else { 1 };
    let zoom = |number: u32| number as f32 / parts as f32;
    let fits = |number: &u32| {
        let size = Screenshot { zoom: zoom(*number), names }.size(scene);
        size.0 <= wanted.0 && size.1 <= wanted.1
    };
    // At the largest zoom a single cell has the requested size.
    let most = parts * wanted.0.min(wanted.1);
    let (mut low, mut high) = (parts, most.max(parts) + 1);
    if !fits(&low) {
        let least = Screenshot { zoom: 1.0, names }.size(scene);
        let remedy = match names {
            None => "",
            Some(_) => "; --no-caption leaves out what stands beside the board",
        };
        bail!(
            "{}x{} pixels are too few: with a pixel a cell a picture has {}x{}{remedy}",
            wanted.0,
            wanted.1,
            least.0,
            least.1
        );
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        if fits(&middle) { low = middle } else { high = middle }
    }
    Ok(zoom(low))
}
