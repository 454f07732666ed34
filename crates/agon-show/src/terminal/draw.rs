//! Draws the whole viewer on a buffer of characters: the board and the panels around it.
//!
//! `run` calls it for each picture. On terminals with colours and Unicode, boards are blocks: each
//! character has two colours, and its shape divides them. On others `letters` writes them.

use agon_view::TextApp;
use agon_view::paint::{Frame, Rgb};
use ratatui_core::{buffer::Buffer, layout::Rect, style::Style};

use super::{
    capabilities::{Capabilities, distance},
    letters::{BoardWriter, rect},
    panels::Panels,
};

/// The minimum size of a terminal.
const MIN_SIZE: (u16, u16) = (24, 8);

/// Draws an app on the whole buffer, with `frame` as its canvas.
pub fn draw(app: &mut dyn TextApp, look: Capabilities, frame: &mut Frame, buffer: &mut Buffer) {
    let (width, height) = (buffer.area.width, buffer.area.height);
    buffer.reset();
    if width < MIN_SIZE.0 || height < MIN_SIZE.1 {
        too_small(buffer);
        return;
    }
    app.lay_out(u32::from(width), u32::from(height));
    let area = rect(app.sheet().board.area);
    if look.has_blocks() {
        app.paint_board(frame, DETAIL);
        draw_blocks(frame, look, area, buffer);
    }
    let sheet = app.sheet();
    let mut writer = BoardWriter { board: &sheet.board, theme: sheet.theme, look, buffer };
    if !look.has_blocks() {
        writer.write_letters();
    }
    writer.write_over();
    let mut panels = Panels { sheet: &sheet, look, buffer };
    panels.caption();
    if let Some(inspector) = &sheet.inspector {
        panels.inspector(inspector);
    }
    if let Some(events) = &sheet.events {
        panels.events(events);
    }
    panels.message();
    panels.choices();
    panels.bar();
    if let Some(keys) = &sheet.help {
        panels.help(keys);
    }
}

fn too_small(buffer: &mut Buffer) {
    let (width, height) = (buffer.area.width, buffer.area.height);
    let least = format!("{}x{}", MIN_SIZE.0, MIN_SIZE.1);
    let texts = ["Too small:", &format!("{width}x{height};"), "needs", &least];
    for (row, text) in (0..height).zip(texts) {
        buffer.set_stringn(0, row, text, usize::from(width), Style::new());
    }
}

/// Pixels across a character; down it there are twice as many.
const DETAIL: u32 = 2;

/// Characters with their foreground quarters.
///
/// The order is upper left, upper right, lower left, lower right.
const BLOCKS: [(&str, [bool; 4]); 8] = [
    ("▀", [true, true, false, false]),
    ("▌", [true, false, true, false]),
    ("▘", [true, false, false, false]),
    ("▝", [false, true, false, false]),
    ("▖", [false, false, true, false]),
    ("▗", [false, false, false, true]),
    ("▚", [true, false, false, true]),
    (" ", [false; 4]),
];

/// Draws a picture with 2 times 4 pixels per character.
fn draw_blocks(frame: &Frame, look: Capabilities, area: Rect, buffer: &mut Buffer) {
    for row in 0..area.height {
        for column in 0..area.width {
            let quarter = |index: u32| {
                let x = u32::from(column) * DETAIL + index % 2;
                let y = u32::from(row) * 2 * DETAIL + index / 2 * 2;
                [frame.pixel(x, y), frame.pixel(x, y + 1)]
            };
            let (symbol, front, back) = block([quarter(0), quarter(1), quarter(2), quarter(3)]);
            if let Some(cell) = buffer.cell_mut((area.x + column, area.y + row)) {
                cell.set_symbol(symbol);
                cell.set_style(Style::new().fg(look.color(front)).bg(look.color(back)));
            }
        }
    }
}

/// Returns the block and the two colours that are nearest to some pixels.
fn block(quarters: [[Rgb; 2]; 4]) -> (&'static str, Rgb, Rgb) {
    let first = quarters[0][0];
    if quarters.as_flattened().iter().all(|&pixel| pixel == first) {
        return (" ", first, first);
    }
    let tried = BLOCKS.iter().map(|&(symbol, shape)| {
        let pixels = |front: bool| {
            let quarters = quarters.iter().zip(shape).filter(move |(_, part)| *part == front);
            quarters.flat_map(|(quarter, _)| *quarter)
        };
        let front = mean(pixels(true));
        let back = mean(pixels(false));
        let wrong =
            |front: bool, color| pixels(front).map(|pixel| distance(pixel, color)).sum::<u32>();
        (wrong(true, front) + wrong(false, back), (symbol, front, back))
    });
    tried.min_by_key(|(wrong, _)| *wrong).expect("there are blocks").1
}

fn mean(pixels: impl Iterator<Item = Rgb>) -> Rgb {
    let mut sum = [0u32; 3];
    let mut count = 0u32;
    for Rgb(red, green, blue) in pixels {
        sum = [sum[0] + u32::from(red), sum[1] + u32::from(green), sum[2] + u32::from(blue)];
        count += 1;
    }
    let [red, green, blue] = sum.map(|sum| (sum / count.max(1)) as u8);
    Rgb(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_the_shape_of_what_is_painted() {
        let black = Rgb(0, 0, 0);
        let red = Rgb(200, 0, 0);
        for (symbol, shape) in BLOCKS {
            let quarters = shape.map(|front| if front { [red; 2] } else { [black; 2] });
            let (found, front, back) = block(quarters);
            assert_eq!((found, back), (symbol, black));
            assert!(symbol == " " || front == red);
        }
        // Three quarters are the same as one quarter with exchanged colours.
        assert_eq!(block([[red; 2], [red; 2], [red; 2], [black; 2]]), ("▗", black, red));
    }
}
