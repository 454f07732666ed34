//! The viewer: a board with a caption, a bar for moving through the match, and panels that say what
//! happened and why.
//!
//! [`Viewer`] is the app that windows, terminals, browsers and VNC clients show. Each module adds
//! one part: a panel, the layout of all panels, or inputs.

mod banner;
mod beside;
mod characters;
mod chart;
mod choice_flow;
mod choices;
mod events;
mod inputs;
mod inspector;
mod layout;
mod notes;
mod overview;
mod painting;
mod person;

use std::time::Duration;

use agon_games::human::{Choice, Gesture};
use agon_games::scene::{Board, Place, Scene};
use chart::ChartPanel;
use events::EventsPanel;
use inspector::Inspector;
use layout::{Layout, PanelSettings};
use notes::ResultText;
use overview::VisibleArea;
use painting::ThemePainter;

use crate::paint::{Appearance, Area, Camera, Frame, Instant, ThemeName, text_width};
use crate::{
    App, Button, HumanPlayer, Input, Key, Playback, Redraw, Rematch, Speed, StateSource, Status,
};

pub use notes::Notes;

/// The least height of buttons for fingers, in pixels of a plain screen.
const TOUCH_TARGET: f32 = 40.0;

/// The time between two pictures.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// The viewer of a game.
pub struct Viewer {
    playback: Playback,
    notes: Notes,
    person: Option<HumanPlayer>,
    look: ThemePainter,
    visible: VisibleArea,
    inspector: Inspector,
    charts: ChartPanel,
    events_panel: EventsPanel,
    numbers: Numbers,
    pointer: Pointer,
    /// The piece that the camera follows, by its number.
    followed: Option<u32>,
    /// Whether the next `q` ends the match in which the person plays.
    asks_to_leave: bool,
    /// Whether the match was running when it was seen.
    was_live: bool,
    /// The way to ask for another match.
    rematch: Option<Rematch>,
    focus: Focus,
    is_banner_closed: bool,
    /// The result that the state of this step shows.
    shown_result: Option<(u64, Option<ResultText>)>,
    /// The size of the last picture, and the screen's pixels per pixel of a plain screen.
    size: (u32, u32),
    screen_scale: f32,
    /// The pixels per pixel of a plain screen of moderate size: text grows with large windows.
    scale: f32,
    /// The number of rows of buttons with enough space, and the page of buttons if there are more.
    choice_rows: u32,
    choice_page: usize,
    /// Whether the person uses fingers.
    is_touched: bool,
    /// Columns and rows, if it is shown in characters.
    characters: Option<(u32, u32)>,
    shows_help: bool,
    is_closed: bool,
}

impl Viewer {
    /// Makes a viewer of a match.
    pub fn new(states: impl StateSource + 'static, notes: Notes) -> Viewer {
        let kind = states.game().kind();
        let mut playback = Playback::new(Box::new(states));
        if let Some(ending) = &notes.ending {
            playback.set_speed(Speed::of_match(ending.turns));
        }
        // A short match may be over before the first picture.
        let was_live = playback.is_live();
        let mut viewer = Viewer {
            playback,
            notes,
            person: None,
            look: ThemePainter::new(ThemeName::default(), kind),
            visible: VisibleArea::default(),
            inspector: Inspector::default(),
            charts: ChartPanel::default(),
            events_panel: EventsPanel::default(),
            numbers: Numbers::default(),
            pointer: Pointer::default(),
            followed: None,
            asks_to_leave: false,
            was_live,
            rematch: None,
            focus: Focus::default(),
            is_banner_closed: false,
            shown_result: None,
            size: (960, 640),
            screen_scale: 1.0,
            scale: 1.0,
            choice_rows: 0,
            choice_page: 0,
            is_touched: false,
            characters: None,
            shows_help: false,
            is_closed: false,
        };
        viewer.inspect();
        viewer
    }

    /// Sets the theme, and whether all players have patterns.
    #[must_use]
    pub fn with_appearance(mut self, appearance: impl Into<Appearance>) -> Viewer {
        let Appearance { theme, patterns } = appearance.into();
        self.look.set_theme(theme);
        self.look.colors.patterns = patterns;
        self
    }

    /// Lets people play in it.
    #[must_use]
    pub fn with_person(mut self, person: HumanPlayer) -> Viewer {
        self.person = Some(person);
        // A player must not see hidden things even in the first picture.
        self.adapt();
        self
    }

    /// Offers another match when this one is over.
    #[must_use]
    pub fn with_rematch(mut self, rematch: Option<Rematch>) -> Viewer {
        self.rematch = rematch;
        self
    }

    /// Returns the playback.
    pub fn playback(&mut self) -> &mut Playback {
        &mut self.playback
    }

    fn layout(&self) -> Layout {
        let mut layout = self.layout_without_choices();
        self.make_room(&mut layout);
        if self.has_panels() {
            self.add_panels(&mut layout);
        }
        if !self.notes.faults.is_empty() {
            let width = if self.characters.is_some() { 3 } else { layout.bar.height };
            layout.add_fault_button(width);
        }
        if self.charts.is_open() && self.characters.is_none() {
            layout.split_board(self.scale);
        }
        layout
    }

    /// Returns whether panels say what happens in the match: not while somebody plays in it.
    fn has_panels(&self) -> bool {
        self.characters.is_none() && !self.is_played()
    }

    fn add_panels(&self, layout: &mut Layout) {
        let aspect = match self.playback.scene().board {
            Board::Grid { width, height, .. } => width as f32 / height as f32,
            Board::Hexagon { .. } => 1.0,
        };
        let width = layout.caption.width;
        let columns = width.saturating_sub(2 * layout.gap) / text_width("x", layout.text, false);
        layout.add_panels(&PanelSettings {
            scale: self.scale,
            aspect,
            caption_lines: self.playback.players().len() as u32 + 1,
            result_lines: self.result_lines(columns as usize).len() as u32,
            legend_lines: self.legend_lines(width, layout),
            inspects: self.inspector.is_open,
            has_chart: self.charts.is_open(),
        });
    }

    fn layout_without_choices(&self) -> Layout {
        let ((width, height), players) = (self.size, self.playback.players().len());
        match self.characters {
            Some((columns, rows)) => {
                let inspects = self.inspector.is_open;
                let mut layout = Layout::characters(columns, rows, players, inspects);
                if !self.is_played() && !inspects {
                    layout.add_events_in_characters(players as u32);
                }
                layout
            }
            None => {
                let mut layout =
                    Layout::new(width, height, self.scale, players, self.inspector.is_open);
                if self.is_touched {
                    layout.enlarge_bar(height, (TOUCH_TARGET * self.scale) as u32);
                }
                layout
            }
        }
    }

    /// Switches to the view of the person who plays.
    fn adapt(&mut self) {
        if let Some(person) = &self.person {
            let game = self.playback.game();
            let eyes = person.player(game);
            let paced = !person.is_hasty(game);
            if self.playback.see_as(eyes, person.is_covered(), paced) {
                self.inspector.said_of = None;
            }
            self.show_seen_beside();
            self.count_choice_rows();
            self.keep_units_in_sight();
        }
        self.charts.set_beside(!self.is_played(), &self.playback, &self.notes.faults);
        self.is_banner_closed &= self.playback.is_at_end();
    }

    /// Returns the place of the board under the pointer.
    fn place(&self) -> Option<Place> {
        let area = self.layout().board;
        let scene = self.playback.scene();
        if !layout::contains(area, self.pointer.at) {
            return None;
        }
        self.camera(scene, area).place_at(&scene.board, area, self.pointer.at)
    }

    /// Returns the camera of the board on its area.
    fn camera(&self, scene: &Scene, area: Area) -> Camera {
        let mut camera = self.visible.camera(&scene.board, area);
        if let Some(center) = self.followed_point() {
            camera.center = center;
        }
        if self.characters.is_none() {
            return camera;
        }
        let camera = if self.visible.chosen.is_none() {
            overview::enlarged(camera, &scene.board, area)
        } else {
            camera
        };
        overview::aligned(camera, scene, area)
    }

    /// Returns the scene with the marks of the person who plays, if there is one.
    fn overlaid(&self) -> Option<Scene> {
        let person = self.person.as_ref()?;
        let game = self.playback.game();
        let mut scene = self.playback.scene().clone();
        let act = self.pointed_act();
        if !act.is_some_and(|act| person.preview(act, &mut scene, game)) {
            person.mark(&mut scene, game);
        }
        Some(scene)
    }

    /// Returns the current picture; `overlaid` is the scene with the person's marks.
    fn instant<'a>(&'a self, overlaid: Option<&'a Scene>) -> Instant<'a> {
        let instant = self.playback.instant();
        let Some(scene) = overlaid else { return instant };
        // A player must not see hidden things even for a moment.
        let hides = self
            .person
            .as_ref()
            .is_some_and(|person| person.player(self.playback.game()).is_some());
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
        self.look.colors.paint_board(frame, layout.board, &instant, &camera);
        self.paint_halos(frame, layout.board, &instant, &camera);
        self.paint_numbers(frame, layout.board, instant.scene, &camera);
        if let Some(place) = self.inspector.selected {
            self.look.select(
                frame,
                layout.board,
                camera.pixel_of(board, place, layout.board),
                camera.zoom,
            );
        }
    }

    /// Updates the inspector of the selected place, because the state has changed.
    fn inspect(&mut self) {
        self.track();
        self.note_result();
        self.inspector.look_at(&self.playback, &self.notes);
    }
}

impl App for Viewer {
    fn title(&self) -> String {
        let game = self.playback.game().meta().name();
        // A shell might take some characters as commands.
        agon_core::text::escape(&format!("{game}: {} - Agon", self.playback.players().join(", ")))
            .into_owned()
    }

    fn input(&mut self, input: Input) -> Redraw {
        if let Input::Move { x, y } = input {
            self.pointer.at = (x, y);
        }
        if let Input::Key(key) = input
            && !matches!(key, Key::Char('q' | 'Q'))
        {
            self.asks_to_leave = false;
        }
        let is_entry = |choice: &Choice| matches!(choice.act, Gesture::Choose(_));
        if matches!(input, Input::Key(_)) && self.choices().iter().any(is_entry) {
            // Keys move the cursor of a list, which has to be seen.
            self.choice_page = 0;
        }
        if let Some(redraw) = self.press_choice(input) {
            self.adapt();
            return redraw;
        }
        if let Some(redraw) = self.early_key(input) {
            return redraw;
        }
        let game = self.playback.game();
        if let Some(redraw) = self.person.as_mut().and_then(|person| person.input(input, game)) {
            self.adapt();
            return redraw;
        }
        let redraw = match input {
            Input::Key(key) => self.key(key),
            Input::Move { .. } => self.point(),
            Input::Press(button) => self.press(button),
            Input::Release(button) => self.release(button),
            Input::Wheel(notches) => self.wheel(notches),
            Input::Scale(scale) => {
                self.screen_scale = if scale.is_finite() { scale.clamp(0.5, 4.0) } else { 1.0 };
                self.scale = layout::grown_scale(self.size, self.screen_scale);
                Redraw::Yes
            }
            Input::Touch => {
                let redraw = if self.is_touched { Redraw::No } else { Redraw::Yes };
                self.is_touched = true;
                redraw
            }
            Input::Theme(theme) => {
                self.look.set_theme(theme);
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
        self.was_live |= self.playback.is_live();
        let steps = self.playback.steps();
        let visible = self.visible;
        let redraw = self.playback.tick(now);
        let game = self.playback.game();
        let asked = self.person.as_mut().map_or(Redraw::No, |person| person.tick(game));
        self.adapt();
        self.inspect();
        let chart = self.charts.tick(now, &self.playback);
        let moved = self.playback.steps() != steps || self.visible != visible;
        if asked == Redraw::Yes || chart == Redraw::Yes || moved { Redraw::Yes } else { redraw }
    }

    fn idle(&self) -> Option<Duration> {
        let idle = self.playback.idle();
        if self.charts.is_busy() {
            Some(idle.map_or(FRAME_INTERVAL, |idle| idle.min(FRAME_INTERVAL)))
        } else {
            idle
        }
    }

    fn open_at(&mut self, turn: Option<u64>, plays: bool) {
        if self.is_played() {
            return;
        }
        if let Some(turn) = turn
            && self.playback.go_to_turn(turn).is_err()
        {
            // As far as it is good; the message says what is wrong there.
            self.playback.to_end();
        }
        if turn.is_some() || !plays {
            self.playback.pause();
        }
        if plays && !self.playback.playing && !self.playback.is_at_end() {
            self.playback.toggle();
        }
        self.adapt();
        self.inspect();
    }

    fn open_at_step(&mut self, step: u64) {
        if self.is_played() {
            return;
        }
        self.playback.seek(step);
        self.playback.pause();
        self.adapt();
        self.inspect();
    }

    fn paint(&mut self, frame: &mut Frame) {
        (self.size, self.characters) = ((frame.width(), frame.height()), None);
        self.scale = layout::grown_scale(self.size, self.screen_scale);
        self.focus.has_painted = true;
        // The size may be new: buttons have to react where they are painted.
        self.count_choice_rows();
        let layout = self.layout();
        self.paint_board(frame, &layout);
        self.paint_overview(frame, &layout);
        self.paint_caption(frame, &layout);
        self.paint_bar(frame, &layout);
        self.paint_chart(frame, &layout);
        self.paint_result(frame, &layout);
        self.paint_legend(frame, &layout);
        self.paint_curves(frame, &layout);
        self.paint_events(frame, &layout);
        self.paint_inspector(frame, &layout);
        self.paint_choices(frame, &layout);
        self.paint_banner(frame, &layout);
        let message = match self.shows_banner(&layout) {
            true => self.urgent_message(),
            false => self.message(),
        };
        if let Some(message) = message {
            self.look.message(frame, &layout, &message);
        }
        if self.shows_help {
            self.paint_help(frame, &layout);
        }
    }

    fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn status(&self) -> Status {
        self.describe()
    }
}

/// The pointer's place, and the thing that it holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) at: (f32, f32),
    pub(super) held: Option<Held>,
    /// What a click there would do for a person who plays.
    pub(super) act: Option<Gesture>,
}

impl Default for Pointer {
    /// Nowhere: nobody has moved it yet.
    fn default() -> Pointer {
        Pointer { at: (-1.0, -1.0), held: None, act: None }
    }
}

/// The thing that the pointer holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// The board, with the start and the last place of the drag, and whether it has moved.
    Board { by: Button, from: (f32, f32), last: (f32, f32), moved: bool },
    /// A line of time, and whether playback continues afterwards.
    Time { line: TimeLine, was_playing: bool },
}

/// What moves through the match when it is dragged.
#[derive(Clone, Copy, Debug)]
pub(super) enum TimeLine {
    /// The seek bar.
    Bar,
    /// The chart below the board.
    Chart,
    /// The curves beside the board.
    Curves,
}

/// What has been done to keep units in sight.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// Whether the size of the picture is known.
    pub(super) has_painted: bool,
    /// Whether the board has been zoomed on the person's units.
    pub(super) has_begun: bool,
    /// Whether the panel about what is not on the board has been opened.
    pub(super) has_panel: bool,
    /// The chosen units that were brought into sight last.
    pub(super) chosen: Vec<Place>,
}

/// The numbers that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Numbers {
    /// None.
    #[default]
    Off,
    /// Those of columns and rows.
    Edges,
    /// Those of all places.
    Places,
}

impl Numbers {
    /// Returns the next one.
    pub(super) fn next(self) -> Numbers {
        match self {
            Numbers::Off => Numbers::Edges,
            Numbers::Edges => Numbers::Places,
            Numbers::Places => Numbers::Off,
        }
    }

    /// Returns its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Numbers::Off => "off",
            Numbers::Edges => "edges",
            Numbers::Places => "places",
        }
    }
}
