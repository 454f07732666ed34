//! A whole picture of a scene, with its caption, as in films and exported pictures.
//!
//! `agon-show` paints each picture of a match with a [`Screenshot`]. The viewer has a layout of its
//! own.

use agon_games::scene::{Board, PlayerLine, Scene};

use crate::paint::{Area, Camera, Frame, Instant, Theme, text_fit, text_width};

/// The form of pictures of one match, which all have the same size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screenshot<'a> {
    /// Pixels per cell.
    pub zoom: f32,
    /// The names of the players, for a caption with game, turn, players and their scores; `None`
    /// leaves it out, and the picture has exactly the pixels of the board.
    pub names: Option<&'a [String]>,
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
    pub fn paint(&self, theme: &Theme, instant: &Instant<'_>, frame: &mut Frame) {
        let layout = self.layout(instant.scene);
        frame.resize(layout.size.0, layout.size.1);
        if let (Some(names), Some(area)) = (self.names, layout.caption) {
            frame.fill(frame.area(), theme.paper);
            paint_caption(frame, area, theme, instant.scene, names);
        }
        let camera = Camera { zoom: self.zoom, ..Camera::fit(&instant.scene.board, layout.board) };
        theme.paint_board(frame, layout.board, instant, &camera);
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
        if self.names.is_none() {
            let board = Area { x: 0, y: 0, width, height };
            return Layout { size: (width, height), board, caption: None };
        }
        let beside = beside(height, scene.players.len());
        let below = below(width, scene.players.len());
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

/// The height of a line of text.
const TEXT: u32 = 16;

/// The distance from the edges and between parts.
const SPACE: u32 = 12;

/// The height of a player: name and score.
const PLAYER: u32 = 46;

/// The width of a player.
const COLUMN: u32 = 236;

/// The width of a thing in hand.
const HAND: u32 = 18;

/// The height of the part above the players: the game and its progress.
const TITLE: u32 = SPACE + 2 * TEXT + 4 + SPACE;

/// Returns the size of a caption beside a board of this height, which is at least as high.
fn beside(height: u32, players: usize) -> (u32, u32) {
    let players = players.max(1) as u32;
    let rows =
        (height.saturating_sub(TITLE) / PLAYER).clamp(players.min(4), players.max(4)).min(players);
    (SPACE + players.div_ceil(rows) * COLUMN, TITLE + rows * PLAYER)
}

/// Returns the size of a caption below a board of this width, which is at least as wide.
fn below(width: u32, players: usize) -> (u32, u32) {
    let players = players.max(1) as u32;
    let columns = (width.saturating_sub(SPACE) / COLUMN).clamp(1, players);
    (SPACE + columns * COLUMN, TITLE + players.div_ceil(columns) * PLAYER)
}

/// Writes the caption. Players use as many columns as fit, or as are needed.
fn paint_caption(frame: &mut Frame, area: Area, theme: &Theme, scene: &Scene, names: &[String]) {
    let left = area.x + SPACE as i32;
    let width = area.width.saturating_sub(2 * SPACE);
    let top = area.y + SPACE as i32;
    let game = text_fit(theme.kind.meta().name(), TEXT, true, width);
    frame.text(left, top, &game, TEXT, true, theme.text);
    let title = text_fit(&scene.title, TEXT, false, width);
    frame.text(left, top + TEXT as i32 + 4, &title, TEXT, false, theme.text);
    let rows = ((area.height.saturating_sub(TITLE)) / PLAYER).max(1) as usize;
    let columns = ((area.width.saturating_sub(SPACE)) / COLUMN).max(1) as usize;
    // Evenly: two rows of four look better than one of seven and one of one.
    let used = scene.players.len().div_ceil(rows).max(1);
    let across = area.width > area.height;
    for (index, player) in scene.players.iter().enumerate() {
        let (column, row) =
            if across { (index % columns, index / columns) } else { (index % used, index / used) };
        let cell = Area {
            x: left + (column as u32 * COLUMN) as i32,
            y: area.y + (TITLE + row as u32 * PLAYER) as i32,
            width: COLUMN - SPACE,
            height: PLAYER - 6,
        };
        let name = names.get(index).map_or("", String::as_str);
        line(frame, cell, theme, player, name);
    }
}

/// Paints a player: a swatch, the name, the score.
fn line(frame: &mut Frame, area: Area, theme: &Theme, player: &PlayerLine, name: &str) {
    const SWATCH: u32 = 10;
    let Area { x, y, width, height } = area;
    if player.to_move {
        frame.rounded(Area { x: x - 4, width: width + 4, ..area }, 4.0, theme.faint, 56);
    }
    let color = theme.color(player.ink);
    let swatch = Area { x: x + 2, y: y + 3, width: SWATCH, height: height - 6 };
    frame.rounded(swatch, 3.0, color, if player.out { 90 } else { 255 });
    theme.draw_pattern(frame, swatch, player.ink);
    let text = x + (SWATCH + 12) as i32;
    let room = width - SWATCH - 12;
    let ink = if player.out { theme.faint } else { theme.text };
    let note = if player.out { "out" } else { "" };
    let noted = text_width(note, TEXT, false);
    let name = text_fit(name, TEXT, true, room - noted - if noted > 0 { 8 } else { 20 });
    let written = frame.text(text, y + 3, &name, TEXT, true, ink);
    if player.out {
        let middle = (y + 3 + TEXT as i32 / 2) as f32;
        frame.lines(
            &[(text as f32, middle), ((text + written as i32) as f32, middle)],
            1.0,
            theme.faint,
        );
        frame.text(x + (width - noted) as i32 - 4, y + 3, note, TEXT, false, theme.faint);
    } else if player.to_move {
        let tip = (x + width as i32) as f32 - 13.0;
        let middle = (y + 3 + TEXT as i32 / 2) as f32;
        frame.polygon(&[(tip, middle), (tip + 7.0, middle - 5.0), (tip + 7.0, middle + 5.0)], ink);
    }
    let below = y + 3 + TEXT as i32 + 2;
    // Things in hand, from the right.
    let kept = (player.hand.len() as u32).min(room / 2 / HAND) * HAND;
    for (index, &ink) in player.hand.iter().rev().take((kept / HAND) as usize).enumerate() {
        let center = (
            (x + width as i32) as f32 - 12.0 - (index as u32 * HAND) as f32,
            (below + TEXT as i32 / 2) as f32,
        );
        frame.disc(center, 6.5, theme.color(ink));
        let (left, top) = ((center.0 - 6.0) as i32, (center.1 - 6.0) as i32);
        theme.draw_pattern(frame, Area { x: left, y: top, width: 12, height: 12 }, ink);
    }
    let score = text_fit(&player.score, TEXT, false, room - kept);
    frame.text(text, below, &score, TEXT, false, theme.faint);
}

#[cfg(test)]
mod tests {
    use agon_core::Player;
    use agon_games::scene::{Ink, PlayerLine};

    use super::*;

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
    fn sizes_are_even_and_the_same_for_all_pictures_of_a_match() {
        for (width, height) in [(1, 1), (9, 9), (64, 64), (33, 101), (301, 51), (1000, 1000)] {
            for players in [1, 2, 4, 10, 70] {
                for zoom in [0.3, 1.0, 4.5, 16.0] {
                    let names = vec!["a very long name of a bot".to_owned(); players];
                    let still = Screenshot { zoom, names: Some(&names) };
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
                    let empty = Screenshot { zoom, names: Some(&[]) };
                    assert_eq!(empty.size(&scene), size);
                }
            }
        }
    }
}
