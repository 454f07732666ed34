//! A whole picture of a scene, with its caption, as in films and exported pictures.
//!
//! `agon-film` paints each picture of a match with a [`Screenshot`]. The viewer has a layout of its
//! own.

mod caption;

use agon_games::scene::{Board, Scene};

use crate::{Area, Camera, Frame, Instant, Painter};

/// The contents beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caption<'a> {
    /// Nothing: the picture has exactly the pixels of the board.
    None,
    /// Game, turn, and the players of these names with their scores.
    Players(&'a [String]),
}

/// The form of pictures of one match, which all have the same size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screenshot<'a> {
    /// Pixels per cell.
    pub zoom: f32,
    /// The contents beside the board.
    pub caption: Caption<'a>,
}

/// The areas of a picture's parts.
struct Layout {
    size: (u32, u32),
    board: Area,
    caption: Option<Area>,
}

impl Screenshot<'_> {
    /// Returns the size of pictures of scenes like this one, in pixels.
    ///
    /// Without a caption it may be odd. With one, both are even, as films require. It depends only
    /// on the board, the zoom and the number of players.
    pub fn size(&self, scene: &Scene) -> (u32, u32) {
        self.layout(scene).size
    }

    /// Paints a picture; the frame gets the necessary size.
    pub fn paint(&self, painter: &Painter, instant: &Instant<'_>, frame: &mut Frame) {
        let layout = self.layout(instant.scene);
        frame.resize(layout.size.0, layout.size.1);
        if let (Caption::Players(names), Some(area)) = (self.caption, layout.caption) {
            frame.fill(frame.area(), painter.theme.paper);
            caption::paint(frame, area, &painter.theme, instant.scene, names);
        }
        let camera = Camera { zoom: self.zoom, ..Camera::fit(&instant.scene.board, layout.board) };
        painter.board(frame, layout.board, instant, &camera);
    }

    /// Returns the size of the board in pixels.
    fn board(&self, board: &Board) -> (u32, u32) {
        let pixels = |cells: f32| ((cells * self.zoom).round() as u32).max(1);
        match *board {
            Board::Grid { width, height, .. } => (pixels(width as f32), pixels(height as f32)),
            // As wide as high, so that it can turn.
            Board::Hexagon { side, .. } => (pixels(2.0 * side as f32), pixels(2.0 * side as f32)),
        }
    }

    fn layout(&self, scene: &Scene) -> Layout {
        let (width, height) = self.board(&scene.board);
        if self.caption == Caption::None {
            let board = Area { x: 0, y: 0, width, height };
            return Layout { size: (width, height), board, caption: None };
        }
        let beside = caption::beside(height, scene.players.len());
        let below = caption::below(width, scene.players.len());
        // Beside boards that are about as high as wide, and below boards that are much wider.
        let board = |size: (u32, u32)| Area {
            x: ((size.0 - width) / 2) as i32,
            y: ((size.1 - height) / 2) as i32,
            width,
            height,
        };
        if width <= height + height / 2 {
            let size = (even(width + beside.0), even(height.max(beside.1)));
            let area = Area { x: width as i32, y: 0, width: size.0 - width, height: size.1 };
            Layout { size, board: board((width, size.1)), caption: Some(area) }
        } else {
            let size = (even(width.max(below.0)), even(height + below.1));
            let area = Area { x: 0, y: height as i32, width: size.0, height: size.1 - height };
            Layout { size, board: board((size.0, height)), caption: Some(area) }
        }
    }
}

fn even(length: u32) -> u32 {
    length.next_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use agon_core::Player;
    use agon_games::{
        GameId,
        scene::{Ink, PlayerLine},
    };

    use super::*;
    use crate::{Theme, ThemeName};

    fn scene(width: u32, height: u32, players: usize) -> Scene {
        let line = |player| PlayerLine {
            ink: Ink::player(Player(player as u16)),
            score: "12 cells".to_owned(),
            hand: vec![Ink::GROUND; player],
            to_move: player == 0,
            out: player == 1,
        };
        Scene {
            board: Board::Grid { width, height, wraps: true },
            cells: vec![Ink::player(Player(0)); (width * height) as usize],
            marks: Vec::new(),
            pieces: Vec::new(),
            title: "turn 12 of 500".to_owned(),
            players: (0..players).map(line).collect(),
        }
    }

    #[test]
    fn without_a_caption_there_is_only_the_board() {
        let still = Screenshot { zoom: 3.0, caption: Caption::None };
        let scene = scene(7, 5, 2);
        let painter = Painter::new(Theme::new(ThemeName::Dark, GameId::Cellhack));
        let mut frame = Frame::new(1, 1);
        still.paint(&painter, &Instant::still(&scene), &mut frame);
        assert_eq!((frame.width(), frame.height()), (21, 15));
        let [red, green, blue] = [0, 1, 2].map(|at| frame.data()[at]);
        assert_eq!(painter.theme.color(Ink::player(Player(0))), crate::Rgb(red, green, blue));
        assert!(frame.data().chunks(4).all(|pixel| pixel == frame.data()[..4].as_ref()));
    }

    #[test]
    fn sizes_are_even_and_the_same_for_all_pictures_of_a_match() {
        for (width, height) in [(1, 1), (9, 9), (64, 64), (33, 101), (301, 51), (1000, 1000)] {
            for players in [1, 2, 4, 10, 70] {
                for zoom in [0.3, 1.0, 4.5, 16.0] {
                    let names = vec!["a very long name of a bot".to_owned(); players];
                    let still = Screenshot { zoom, caption: Caption::Players(&names) };
                    let mut scene = scene(width, height, players);
                    let size = still.size(&scene);
                    assert!(size.0.is_multiple_of(2) && size.1.is_multiple_of(2), "{size:?}");
                    let layout = still.layout(&scene);
                    let all = Area { x: 0, y: 0, width: size.0, height: size.1 };
                    let caption = layout.caption.unwrap();
                    assert!(all.contains(layout.board) && all.contains(caption));
                    assert!(layout.board.intersection(caption).is_empty());
                    scene.title = "turn 100000000 of 100000000".to_owned();
                    scene.players[0].score = "123456789 cells, 3 flags".to_owned();
                    assert_eq!(still.size(&scene), size);
                    let empty = Screenshot { zoom, caption: Caption::Players(&[]) };
                    assert_eq!(empty.size(&scene), size);
                }
            }
        }
    }
}
