//! Draws the whole viewer on a buffer of characters: the board and the panels around it.
//!
//! `run` calls it for each picture.

use agon_paint::Frame;
use agon_view::TextApp;
use ratatui_core::{buffer::Buffer, style::Style};

use crate::terminal::{blocks, capabilities::Capabilities, letters, panels::Panels, written};

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
    let area = letters::rect(app.sheet().board.area);
    if look.has_blocks() {
        app.paint_board(frame, blocks::DETAIL);
        blocks::draw(frame, look, area, buffer);
    }
    let sheet = app.sheet();
    if !look.has_blocks() {
        letters::draw(&sheet.board, sheet.theme, look, buffer);
    }
    written::draw(&sheet.board, sheet.theme, look, buffer);
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
