//! The caption beside or below a board in films: the turn, and the standing of the players.
//!
//! [`Screenshot`](super::Screenshot) paints it. The viewer has a caption of its own.

use agon_games::scene::{PlayerLine, Scene};

use crate::{Area, Frame, Theme, text_fit, text_width};

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
pub(super) fn beside(height: u32, players: usize) -> (u32, u32) {
    let players = players.max(1) as u32;
    let rows =
        (height.saturating_sub(TITLE) / PLAYER).clamp(players.min(4), players.max(4)).min(players);
    (SPACE + players.div_ceil(rows) * COLUMN, TITLE + rows * PLAYER)
}

/// Returns the size of a caption below a board of this width, which is at least as wide.
pub(super) fn below(width: u32, players: usize) -> (u32, u32) {
    let players = players.max(1) as u32;
    let columns = (width.saturating_sub(SPACE) / COLUMN).clamp(1, players);
    (SPACE + columns * COLUMN, TITLE + players.div_ceil(columns) * PLAYER)
}

/// Writes the caption. Players use as many columns as fit, or as are needed.
pub(super) fn paint(frame: &mut Frame, area: Area, theme: &Theme, scene: &Scene, names: &[String]) {
    let left = area.x + SPACE as i32;
    let width = area.width.saturating_sub(2 * SPACE);
    let top = area.y + SPACE as i32;
    let game = text_fit(theme.game.meta().id, TEXT, true, width);
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
        frame.line(
            (text as f32, middle),
            ((text + written as i32) as f32, middle),
            1.0,
            theme.faint,
        );
        frame.text(x + (width - noted) as i32 - 4, y + 3, note, TEXT, false, theme.faint);
    } else if player.to_move {
        let tip = (x + width as i32) as f32 - 13.0;
        let middle = (y + 3 + TEXT as i32 / 2) as f32;
        frame.triangle([(tip, middle), (tip + 7.0, middle - 5.0), (tip + 7.0, middle + 5.0)], ink);
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
