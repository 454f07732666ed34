//! A scene on a frame.

use agon_games::scene::{Place, Scene, Travel};

use crate::{Area, Camera, Frame, Theme};

/// A moment to be painted: a scene, or a point of time on the way to it.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The scene; at the end of the way if there is one.
    pub scene: &'a Scene,
    /// The scene before it.
    pub before: Option<&'a Scene>,
    /// What was on its way between the two.
    pub travels: &'a [Travel],
    /// How much of the way is done, from 0 to 1.
    pub done: f32,
}

impl<'a> Instant<'a> {
    /// A scene at rest.
    pub fn still(scene: &'a Scene) -> Instant<'a> {
        Instant { scene, before: None, travels: &[], done: 1.0 }
    }
}

/// Paints boards in the colours of a theme.
#[derive(Clone, Debug)]
pub struct Painter {
    /// The colours.
    pub theme: Theme,
}

impl Painter {
    /// A painter.
    pub fn new(theme: Theme) -> Painter {
        Painter { theme }
    }

    /// Paints the board on `area` of the frame as `camera` sees it, and nothing beside the area.
    pub fn board(&self, frame: &mut Frame, area: Area, instant: &Instant<'_>, camera: &Camera) {
        frame.fill(area, self.theme.paper);
        let scene = instant.scene;
        for (place, &ink) in scene.cells.iter().enumerate() {
            let (x, y) = camera.pixel_of(&scene.board, place as Place, area);
            let size = camera.zoom;
            let (left, top) = ((x - size / 2.0) as i32, (y - size / 2.0) as i32);
            let cell = Area { x: left, y: top, width: size as u32, height: size as u32 };
            frame.fill(cell, self.theme.color(ink));
        }
    }
}
