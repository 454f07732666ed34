//! The viewer: a board with a caption, a bar for moving through the match, and an inspector.
//!
//! [`Viewer`] is the app that windows, terminals, browsers and VNC clients show. Each module adds
//! one part: a panel, the layout of all panels, or inputs.

mod bar;
mod caption;
mod character_camera;
mod characters;
mod chart;
mod choices;
mod help;
mod inspector;
mod inspector_painting;
mod json;
mod keys;
mod layout;
mod pointer;
mod pointer_input;
mod theme_painter;
mod visible_area;

use std::{fmt, time::Duration};

use agon_core::Fault;
use agon_games::{
    GameId,
    jsonl::JsonGame,
    scene::{Place, Render, Scene},
};
use agon_paint::{Area, Camera, Frame, Instant, ThemeName};

use crate::{App, Input, Overlay, Playback, Redraw, StateSource, Status, TextApp};
use chart::ChartPanel;
use inspector::Inspector;
use layout::Layout;
use pointer::Pointer;
use theme_painter::ThemePainter;
use visible_area::VisibleArea;

/// The time between two pictures.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// Faults and warnings of a match.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Faults of the bots.
    pub faults: Vec<Fault>,
    /// A warning about the file or the match, such as damage or a void match.
    pub warning: Option<String>,
}

/// The viewer of a game.
pub struct Viewer<G: Render + JsonGame> {
    playback: Playback<G>,
    notes: Notes,
    overlay: Option<Box<dyn Overlay<G>>>,
    look: ThemePainter,
    visible: VisibleArea,
    inspector: Inspector,
    charts: ChartPanel<G>,
    pointer: Pointer,
    /// The size of the last picture, and the screen's pixels per pixel of a plain screen.
    size: (u32, u32),
    scale: f32,
    /// The number of rows of buttons with enough space.
    choice_rows: u32,
    /// Columns and rows, if it is shown in characters.
    characters: Option<(u32, u32)>,
    shows_help: bool,
    is_closed: bool,
}

impl<G: Render + JsonGame> fmt::Debug for Viewer<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Viewer").field(&self.status()).finish()
    }
}

impl<G: Render + JsonGame> Viewer<G> {
    /// Makes a viewer of a match.
    ///
    /// # Panics
    /// If the game is not one of [`GameId`].
    pub fn new(states: impl StateSource<G> + 'static, notes: Notes) -> Viewer<G> {
        let game: GameId = G::META.id.parse().expect("all games are named");
        Viewer {
            playback: Playback::new(Box::new(states)),
            notes,
            overlay: None,
            look: ThemePainter::new(ThemeName::default(), game),
            visible: VisibleArea::default(),
            inspector: Inspector::default(),
            charts: ChartPanel::default(),
            pointer: Pointer::default(),
            size: (960, 640),
            scale: 1.0,
            choice_rows: 0,
            characters: None,
            shows_help: false,
            is_closed: false,
        }
    }

    /// Sets the theme.
    #[must_use]
    pub fn with_theme(mut self, theme: ThemeName) -> Viewer<G> {
        self.look.set_theme(theme);
        self
    }

    /// Sets the overlay of the board.
    #[must_use]
    pub fn with_overlay(mut self, overlay: Box<dyn Overlay<G>>) -> Viewer<G> {
        self.overlay = Some(overlay);
        // A player must not see hidden things even in the first picture.
        self.adapt();
        self
    }

    /// Returns the playback.
    pub fn playback(&mut self) -> &mut Playback<G> {
        &mut self.playback
    }

    fn layout(&self) -> Layout {
        let mut layout = self.layout_without_choices();
        self.make_room(&mut layout);
        if self.charts.is_open() && self.characters.is_none() {
            layout.split_board(self.scale);
        }
        layout
    }

    fn layout_without_choices(&self) -> Layout {
        let ((width, height), players) = (self.size, self.playback.players().len());
        match self.characters {
            Some((columns, rows)) => {
                Layout::characters(columns, rows, players, self.inspector.is_open())
            }
            None => Layout::new(width, height, self.scale, players, self.inspector.is_open()),
        }
    }

    /// Switches to the view of the overlay's player.
    fn adapt(&mut self) {
        if let Some(overlay) = &self.overlay {
            let game = self.playback.game();
            let eyes = overlay.player(game);
            let paced = !overlay.is_hasty(game);
            if self.playback.see_as(eyes, paced) {
                self.inspector.forget();
            }
            self.count_choice_rows();
        }
    }

    /// Returns the place of the board under the pointer.
    fn place(&self) -> Option<Place> {
        let area = self.layout().board;
        let scene = self.playback.scene();
        if !layout::contains(area, self.pointer.at()) {
            return None;
        }
        self.camera(scene, area).place_at(&scene.board, area, self.pointer.at())
    }

    /// Returns the camera of the board on its area.
    fn camera(&self, scene: &Scene, area: Area) -> Camera {
        let camera = self.visible.camera(&scene.board, area);
        if self.characters.is_none() {
            return camera;
        }
        let camera = if self.visible.is_fit() {
            character_camera::enlarged(camera, &scene.board, area)
        } else {
            camera
        };
        character_camera::aligned(camera, scene, area)
    }

    /// Returns the scene with the overlay's marks, if there is an overlay.
    fn overlaid(&self) -> Option<Scene> {
        let overlay = self.overlay.as_ref()?;
        let game = self.playback.game();
        let mut scene = self.playback.scene().clone();
        overlay.mark(&mut scene, game);
        Some(scene)
    }

    /// Returns the current picture; `overlaid` is the scene with the overlay's marks.
    fn instant<'a>(&'a self, overlaid: Option<&'a Scene>) -> Instant<'a> {
        let instant = self.playback.instant();
        let Some(scene) = overlaid else { return instant };
        // A player must not see hidden things even for a moment.
        let hides = self
            .overlay
            .as_ref()
            .is_some_and(|overlay| overlay.player(self.playback.game()).is_some());
        if hides { Instant::still(scene) } else { Instant { scene, ..instant } }
    }

    fn paint_board(&self, frame: &mut Frame, layout: &Layout) {
        if layout.board.width == 0 || layout.board.height == 0 {
            return;
        }
        let overlaid = self.overlaid();
        let instant = self.instant(overlaid.as_ref());
        let board = &instant.scene.board;
        let camera = self.camera(instant.scene, layout.board);
        self.look.painter().board(frame, layout.board, &instant, &camera);
        if let Some(place) = self.inspector.selected() {
            self.look.select(
                frame,
                layout.board,
                camera.pixel_of(board, place, layout.board),
                camera.zoom,
            );
        }
    }

    /// Returns the line for the person: the overlay's line first, then problems.
    fn message(&self) -> Option<String> {
        let game = self.playback.game();
        // A person who is about to see the state of the line needs no hint about its place.
        let is_told = !self.playback.is_following() || !self.choices().is_empty();
        let overlay =
            self.overlay.as_ref().filter(|_| is_told).and_then(|overlay| overlay.text(game));
        let trouble = || {
            self.playback
                .trouble()
                .map(|trouble| format!("shown up to step {}: {trouble}", self.playback.steps()))
        };
        let warning = || self.notes.warning.clone().filter(|_| self.playback.is_at_end());
        let outcome = || {
            let outcome = self.playback.game().standing().outcome?;
            Some(outcome.sentence(|player| &self.playback.players()[player.index()]))
        };
        let chart = || {
            let cannot = self.charts.is_open() && self.characters.is_some();
            cannot.then(|| {
                "Charts need pixels: a window, a page, or `agon replay chart`; c goes on".to_owned()
            })
        };
        overlay.or_else(chart).or_else(trouble).or_else(warning).or_else(outcome)
    }

    /// Updates the inspector of the selected place, because the state has changed.
    fn inspect(&mut self) {
        self.inspector.look_at(&self.playback, &self.notes.faults);
    }
}

impl<G: Render + JsonGame> App for Viewer<G> {
    fn title(&self) -> String {
        let game = G::META.id;
        // A shell might take some characters as commands.
        agon_text::escape(&format!("{game}: {} - Agon", self.playback.players().join(", ")))
            .into_owned()
    }

    fn input(&mut self, input: Input) -> Redraw {
        if let Input::Move { x, y } = input {
            self.pointer.move_to((x, y));
        }
        if let Some(redraw) = self.press_choice(input) {
            self.adapt();
            return redraw;
        }
        let place = self.place();
        let game = self.playback.game();
        if let Some(redraw) =
            self.overlay.as_mut().and_then(|overlay| overlay.input(input, place, game))
        {
            self.adapt();
            return redraw;
        }
        let redraw = match input {
            Input::Key(key) => self.key(key),
            Input::Move { .. } => self.drag(),
            Input::Press(button) => self.press(button),
            Input::Release(button) => self.release(button),
            Input::Wheel(notches) => self.wheel(notches),
            Input::Scale(scale) => {
                self.scale = if scale.is_finite() { scale.clamp(0.5, 4.0) } else { 1.0 };
                Redraw::Yes
            }
            Input::Close => {
                self.is_closed = true;
                Redraw::No
            }
        };
        self.adapt();
        self.inspect();
        redraw
    }

    fn tick(&mut self, now: Duration) -> Redraw {
        let steps = self.playback.steps();
        let redraw = self.playback.tick(now);
        let game = self.playback.game();
        let overlay = self.overlay.as_mut().map_or(Redraw::No, |overlay| overlay.tick(game));
        self.adapt();
        self.inspect();
        let chart = self.charts.tick(now, &self.playback);
        if overlay == Redraw::Yes || chart == Redraw::Yes || self.playback.steps() != steps {
            Redraw::Yes
        } else {
            redraw
        }
    }

    fn idle(&self) -> Option<Duration> {
        let idle = self.playback.idle();
        if self.charts.is_busy() {
            Some(idle.map_or(FRAME_INTERVAL, |idle| idle.min(FRAME_INTERVAL)))
        } else {
            idle
        }
    }

    fn paint(&mut self, frame: &mut Frame) {
        (self.size, self.characters) = ((frame.width(), frame.height()), None);
        let layout = self.layout();
        self.paint_board(frame, &layout);
        self.paint_caption(frame, &layout);
        self.paint_bar(frame, &layout);
        self.paint_chart(frame, &layout);
        self.paint_inspector(frame, &layout);
        self.paint_choices(frame, &layout);
        if let Some(message) = self.message() {
            self.look.message(frame, &layout, &message);
        }
        if self.shows_help {
            self.paint_help(frame, &layout);
        }
    }

    fn in_characters(&mut self) -> Option<&mut dyn TextApp> {
        Some(self)
    }

    fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn status(&self) -> Status {
        Status {
            players: self.playback.players().to_vec(),
            step: self.playback.step(),
            steps: self.playback.steps(),
            turn: self.playback.turn(),
            playing: self.playback.is_playing(),
            following: self.playback.is_following(),
            live: self.playback.is_live(),
            speed: self.playback.speed().to_string(),
            theme: self.look.theme().to_string(),
            fits: self.visible.is_fit(),
            selected: self.inspector.selected(),
            inspector: self.inspector.text(),
            help: self.shows_help,
            trouble: self.playback.trouble().map(str::to_owned),
            message: self.message(),
            choices: self.offers(),
            chart: self.charts.status(),
        }
    }
}
