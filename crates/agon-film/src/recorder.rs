//! From the states of a match to films.

use std::time::Duration;

use agon_core::Player;
use agon_games::{
    GameId,
    scene::{Board, Render, Scene, Travel},
};
use agon_paint::{Caption, Frame, Instant, Painter, Rgb, Screenshot, Theme, ThemeName};
use thiserror::Error;

use crate::{Film, FilmError, Finished, Format, Output, Style};

/// What pictures look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilmStyle {
    /// The theme.
    pub theme: ThemeName,
    /// Players with other colours than the theme's.
    pub colors: Vec<(Player, Rgb)>,
    /// Pixels a cell; `None`: so that pictures become neither small nor huge.
    pub zoom: Option<f32>,
    /// The largest size of a picture; the zoom is the largest that fits.
    pub size: Option<(u32, u32)>,
    /// Whether there is nothing beside the board.
    pub bare: bool,
}

/// Why pictures cannot look so.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum FilmStyleError {
    /// The size is too small.
    #[error(
        "{}x{} pixels are too few: with a pixel a cell a picture has {}x{}{}",
        wanted.0, wanted.1, least.0, least.1,
        if *.bare { "" } else { "; --no-caption leaves out what stands beside the board" }
    )]
    TooSmall {
        /// The size wanted.
        wanted: (u32, u32),
        /// The size of the smallest picture.
        least: (u32, u32),
        /// Whether it is without caption.
        bare: bool,
    },
    /// Pictures would be larger than anybody can look at.
    #[error("pictures would have {}x{} pixels, more than {MAX_PIXELS} in all; take a smaller \
        --zoom", .0.0, .0.1)]
    TooLarge((u32, u32)),
}

/// Why there are no films.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// Pictures cannot look as wanted.
    #[error(transparent)]
    Look(#[from] FilmStyleError),
    /// A film cannot be made.
    #[error(transparent)]
    Film(#[from] FilmError),
    /// There would be more pictures than a film may have.
    #[error(
        "a film has {MAX_PICTURES} pictures at most; --every, --from and --to show fewer turns, \
         and --smooth 0 leaves out what is between them"
    )]
    TooMany,
    /// A picture would be seen for too long.
    #[error(
        "each picture would be seen for {0:.0} seconds, and {MAX_DELAY} are the most; --fps \
         says how many are seen in a second"
    )]
    TooSlow(f64),
    /// The match was over before.
    #[error("nothing is to be shown from {turn} {from} on: the match ends with {turn} {last}")]
    NothingShown {
        /// The first turn wanted.
        from: u64,
        /// The last turn of the match.
        last: u64,
        /// What the game calls a turn.
        turn: &'static str,
    },
}

/// Most pictures of a film, between turns too: more are a mistake, and fill the disk.
const MAX_PICTURES: u64 = 100_000;

/// The longest that a picture is seen, in seconds: a GIF has no more for one.
const MAX_DELAY: u32 = 600;

/// Which states are shown, and how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct Tempo {
    /// The first turn that is shown.
    pub from: u64,
    /// The last one; `None`: that of the last state.
    pub to: Option<u64>,
    /// Every so many turns, or steps, a state is shown.
    pub every: u64,
    /// Whether steps are shown, not turns.
    pub steps: bool,
    /// So many pictures between two states; `None`: as it suits the board.
    pub smooth: Option<u32>,
    /// Pictures a second; `None`: as `speed` says.
    pub fps: Option<f64>,
    /// Turns or steps a second; `None`: as it suits the board.
    pub speed: Option<f64>,
    /// How long the last picture is seen in addition.
    pub hold: Duration,
}

impl Default for Tempo {
    fn default() -> Tempo {
        Tempo {
            from: 0,
            to: None,
            every: 1,
            steps: false,
            smooth: None,
            fps: None,
            speed: None,
            hold: Duration::from_secs(2),
        }
    }
}

/// What was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// States that were shown.
    pub states: u64,
    /// The turn of the last state that came, shown or not.
    pub last_turn: u64,
}

/// Without a zoom or size, pictures of the board are at most so large.
const USUAL: (f32, f32) = (960.0, 720.0);

/// Nor are cells larger than this.
const MAX_CELL: f32 = 40.0;

/// More pixels make no sense, and no film.
const MAX_PIXELS: u64 = 1 << 26;

/// Paints the states of a match into films.
#[derive(Debug)]
pub struct Recorder<G: Render> {
    game: GameId,
    outputs: Vec<Output>,
    look: FilmStyle,
    tempo: Tempo,
    names: Vec<String>,
    /// What is fixed with the first state.
    studio: Option<Studio>,
    films: Vec<Box<dyn Film>>,
    /// The last state that was there, for what is on its way to the next one.
    state: Option<G>,
    /// The last state that was shown.
    scene: Option<Scene>,
    /// What has been on its way since.
    travels: Vec<Travel>,
    /// Steps and turn of the last state.
    at: Option<(u64, u64)>,
    shown: Shown,
    /// Pictures that were painted.
    pictures: u64,
    frame: Frame,
    /// How long the picture on the frame is to be seen, unless it has become part of the films
    /// already.
    painted: Option<Duration>,
}

/// What is the same for all pictures of a match.
#[derive(Debug)]
struct Studio {
    painter: Painter,
    zoom: f32,
    smooth: u32,
    fps: f64,
}

impl<G: Render> Recorder<G> {
    /// A recorder for a match of players with these names.
    ///
    /// # Panics
    /// If the type is not one of the games.
    pub fn new(
        outputs: Vec<Output>,
        look: FilmStyle,
        tempo: Tempo,
        names: Vec<String>,
    ) -> Recorder<G> {
        Recorder {
            game: G::META.id.parse().expect("whatever can be shown is one of the games"),
            outputs,
            look,
            tempo,
            names,
            studio: None,
            films: Vec::new(),
            state: None,
            scene: None,
            travels: Vec::new(),
            at: None,
            shown: Shown::default(),
            pictures: 0,
            frame: Frame::new(1, 1),
            painted: None,
        }
    }

    /// Takes the next state of the match and the answers that led to it; none at the start.
    ///
    /// # Errors
    /// If pictures cannot look as wanted, or a film cannot be written.
    pub fn state(&mut self, game: &G, answers: &[G::Answer]) -> Result<(), RecordError> {
        let turn = game.progress().turn;
        let (step, before) = self.at.map_or((0, None), |(step, turn)| (step + 1, Some(turn)));
        self.at = Some((step, turn));
        self.shown.last_turn = turn;
        let tempo = &self.tempo;
        if tempo.to.is_some_and(|to| turn > to) {
            return Ok(());
        }
        let smooth = self.smooth(game);
        if smooth > 0 && tempo.every == 1 && self.scene.is_some() {
            let state = self.state.as_ref();
            self.travels.extend(state.map(|state| state.travels(answers)).unwrap_or_default());
        }
        if smooth > 0 {
            self.state = Some(game.clone());
        }
        let tempo = &self.tempo;
        let is_due = match tempo.steps {
            true => step.is_multiple_of(tempo.every),
            false => {
                before != Some(turn)
                    && turn >= tempo.from
                    && (turn - tempo.from).is_multiple_of(tempo.every)
            }
        };
        let is_last = game.decisions().is_empty();
        if turn >= tempo.from && (is_due || is_last) { self.show(game) } else { Ok(()) }
    }

    /// Whether the turns that are wanted have all been shown.
    pub fn is_past_end(&self) -> bool {
        self.tempo.to.zip(self.at).is_some_and(|(to, (_, turn))| turn > to)
    }

    /// Forgets all: the next state is the first of the match, which is played again.
    pub fn begin_anew(&mut self) {
        let outputs = std::mem::take(&mut self.outputs);
        let names = std::mem::take(&mut self.names);
        *self = Recorder::new(outputs, std::mem::take(&mut self.look), self.tempo.clone(), names);
    }

    /// Ends the films.
    ///
    /// # Errors
    /// If a film cannot be written, or nothing was to be shown.
    pub fn finish(mut self) -> Result<(Vec<Finished>, Shown), RecordError> {
        if self.shown.states == 0 {
            let from = self.tempo.from;
            let last = self.shown.last_turn;
            return Err(RecordError::NothingShown { from, last, turn: G::META.turn_name });
        }
        let hold = self.tempo.hold;
        self.shoot(hold)?;
        let films = std::mem::take(&mut self.films).into_iter();
        Ok((films.map(|film| film.finish()).collect::<Result<_, _>>()?, self.shown))
    }

    /// Pictures between two states.
    fn smooth(&self, game: &G) -> u32 {
        match (self.tempo.smooth, &self.studio) {
            (Some(smooth), _) => smooth,
            (None, Some(studio)) => studio.smooth,
            (None, None) => usual_smooth(&game.scene().board),
        }
    }

    fn show(&mut self, game: &G) -> Result<(), RecordError> {
        let scene = game.scene();
        let is_first = self.scene.is_none();
        if is_first {
            self.open(&scene)?;
        }
        let studio = self.studio.as_ref().expect("it is there from the first scene on");
        let parts = studio.smooth + 1;
        let delay = Duration::from_secs_f64(1.0 / studio.fps);
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
        self.shown.states += 1;
        Ok(())
    }

    /// Fixes how pictures look, and begins the films.
    fn open(&mut self, scene: &Scene) -> Result<(), RecordError> {
        let mut theme = Theme::new(self.look.theme, self.game);
        for &(player, color) in &self.look.colors {
            theme.set_player(player, color);
        }
        let smooth = self.tempo.smooth.unwrap_or_else(|| usual_smooth(&scene.board));
        let speed = self.tempo.speed.unwrap_or_else(|| usual_speed(&scene.board));
        let fps = self.tempo.fps.unwrap_or(speed / self.tempo.every as f64 * f64::from(smooth + 1));
        // Pictures in a folder have no time.
        let is_film = self.outputs.iter().any(|output| output.format != Format::Pictures);
        if is_film && fps * f64::from(MAX_DELAY) < 1.0 {
            return Err(RecordError::TooSlow(1.0 / fps));
        }
        let fps = fps.max(1.0 / f64::from(MAX_DELAY));
        let caption = caption(self.look.bare, &self.names);
        let zoom = match (self.look.size, self.look.zoom) {
            (Some(size), _) => zoom_within(scene, caption, size)?,
            (None, Some(zoom)) => zoom,
            (None, None) => zoom_for(scene),
        };
        let size = Screenshot { zoom, caption }.size(scene);
        if u64::from(size.0) * u64::from(size.1) > MAX_PIXELS {
            return Err(FilmStyleError::TooLarge(size).into());
        }
        let players = scene.players.iter().map(|line| theme.color(line.ink));
        let style = Style {
            colors: [theme.paper, theme.text, theme.faint].into_iter().chain(players).collect(),
            fps,
        };
        let films = self.outputs.iter().map(|output| output.begin(size, &style));
        self.films = films.collect::<Result<_, _>>()?;
        self.studio = Some(Studio { painter: Painter::new(theme), zoom, smooth, fps });
        Ok(())
    }

    /// Paints the next picture, which is to be seen for `delay`.
    fn paint(&mut self, instant: &Instant<'_>, delay: Duration) -> Result<(), RecordError> {
        self.shoot(Duration::ZERO)?;
        let Some(studio) = &self.studio else { return Ok(()) };
        let still = Screenshot { zoom: studio.zoom, caption: caption(self.look.bare, &self.names) };
        if self.pictures == MAX_PICTURES {
            return Err(RecordError::TooMany);
        }
        self.pictures += 1;
        still.paint(&studio.painter, instant, &mut self.frame);
        self.painted = Some(delay);
        Ok(())
    }

    /// The picture that has been painted, if there is one, becomes part of all films, and is seen
    /// for so much longer.
    fn shoot(&mut self, longer: Duration) -> Result<(), RecordError> {
        let Some(delay) = self.painted.take() else { return Ok(()) };
        for film in &mut self.films {
            film.frame(&self.frame, delay + longer)?;
        }
        Ok(())
    }
}

fn caption(bare: bool, names: &[String]) -> Caption<'_> {
    if bare { Caption::None } else { Caption::Players(names) }
}

/// What falls and slides is followed more easily on its way; where hundreds of cells act at once
/// there is none.
fn usual_smooth(board: &Board) -> u32 {
    if matches!(board, Board::Hexagon { .. }) { 7 } else { 0 }
}

/// Turns a second at which one can still follow.
fn usual_speed(board: &Board) -> f64 {
    if matches!(board, Board::Hexagon { .. }) { 2.5 } else { 12.5 }
}

/// The zoom for a picture that is neither small nor huge.
pub fn zoom_for(scene: &Scene) -> f32 {
    let one = Screenshot { zoom: 64.0, caption: Caption::None }.size(scene);
    let cells = (one.0 as f32 / 64.0, one.1 as f32 / 64.0);
    (USUAL.0 / cells.0).min(USUAL.1 / cells.1).floor().clamp(1.0, MAX_CELL)
}

/// The largest zoom with which a picture is not larger than `size`: whole pixels on a grid,
/// quarters on hexagons.
///
/// # Errors
/// If not even the smallest one fits.
pub fn zoom_within(
    scene: &Scene,
    caption: Caption<'_>,
    wanted: (u32, u32),
) -> Result<f32, FilmStyleError> {
    let parts = if matches!(scene.board, Board::Hexagon { .. }) { 4 } else { 1 };
    let zoom = |number: u32| number as f32 / parts as f32;
    let fits = |number: &u32| {
        let size = Screenshot { zoom: zoom(*number), caption }.size(scene);
        size.0 <= wanted.0 && size.1 <= wanted.1
    };
    // A cell of the largest zoom alone is as large as all.
    let most = parts * wanted.0.min(wanted.1);
    let (mut low, mut high) = (parts, most.max(parts) + 1);
    if !fits(&low) {
        let least = Screenshot { zoom: 1.0, caption }.size(scene);
        return Err(FilmStyleError::TooSmall { wanted, least, bare: caption == Caption::None });
    }
    while low + 1 < high {
        let middle = low.midpoint(high);
        if fits(&middle) { low = middle } else { high = middle }
    }
    Ok(zoom(low))
}
