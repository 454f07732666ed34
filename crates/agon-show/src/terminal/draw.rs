//! Draws the whole viewer on a buffer of characters: the board and the panels around it. Everything
//! that is drawn uses only the colours and characters that the terminal has ([`Capabilities`]).
//!
//! `show` calls it for each picture. On terminals with colours and Unicode, boards are blocks: each
//! character has two colours, and its shape divides them. On others `letters` writes them.

use agon_view::paint::{Frame, Rgb};
use agon_view::{TextApp, TextLayout};
use ratatui_core::style::{Color, Style};
use ratatui_core::{buffer::Buffer, layout::Rect};

use super::letters::rect;

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
    let area = rect(app.sheet().layout.board);
    if look.has_blocks() {
        app.paint_board(frame, DETAIL);
        draw_blocks(frame, look, area, buffer);
    }
    let sheet = app.sheet();
    let mut drawing = Drawing { sheet: &sheet, look, buffer };
    if !look.has_blocks() {
        drawing.write_letters();
    }
    drawing.write_over();
    drawing.caption();
    drawing.inspector();
    drawing.events();
    drawing.message();
    drawing.choices();
    drawing.bar();
    if let Some(keys) = &sheet.help {
        drawing.help(keys);
    }
}

/// What is drawn, how and where: `letters` draws the board, and `panels` what stands around it.
pub(super) struct Drawing<'a, 'b> {
    pub(super) sheet: &'a TextLayout<'b>,
    pub(super) look: Capabilities,
    pub(super) buffer: &'a mut Buffer,
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

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    /// All of them.
    True,
    /// A table of 256.
    Indexed,
    /// None, or none are wanted.
    None,
}

/// The colours and characters that a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Its colours.
    pub colors: Colors,
    /// Whether it has more characters than those of ASCII.
    pub unicode: bool,
}

impl Capabilities {
    /// Reads the environment; `colors` is the person's own choice, if there is one.
    ///
    /// NO_COLOR, TERM, COLORTERM, LC_ALL, LC_CTYPE and LANG have their usual meaning.
    pub fn of_environment(colors: Option<bool>) -> Capabilities {
        Capabilities::of(colors, |name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn of(wanted: Option<bool>, variable: impl Fn(&str) -> Option<String>) -> Capabilities {
        let term = variable("TERM").unwrap_or_else(|| "dumb".to_owned());
        let has_none = term == "dumb" || term.starts_with("vt");
        let wanted = wanted.unwrap_or_else(|| variable("NO_COLOR").is_none() && !has_none);
        let colorterm = variable("COLORTERM").unwrap_or_default();
        let is_true =
            matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct");
        let colors = match (wanted, is_true) {
            (false, _) => Colors::None,
            (true, true) => Colors::True,
            (true, false) => Colors::Indexed,
        };
        let unicode = agon_core::text::takes_unicode(variable) && term != "dumb";
        Capabilities { colors, unicode }
    }

    /// Returns whether boards are painted with blocks; otherwise they are written with letters.
    pub(crate) fn has_blocks(self) -> bool {
        self.unicode && self.colors != Colors::None
    }

    /// Returns the nearest colour that it has.
    pub(crate) fn color(self, color: Rgb) -> Color {
        let Rgb(red, green, blue) = color;
        match self.colors {
            Colors::True => Color::Rgb(red, green, blue),
            Colors::Indexed => Color::Indexed(nearest(color)),
            Colors::None => Color::Reset,
        }
    }
}

/// Returns the nearest colour of the table of 256.
///
/// The table has a cube of six steps from 16 on, and greys from 232 on. Users may change the
/// first 16.
fn nearest(color: Rgb) -> u8 {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let step = |value: u8| {
        (0..6u8)
            .min_by_key(|&step| STEPS[usize::from(step)].abs_diff(value))
            .expect("there are steps")
    };
    let Rgb(red, green, blue) = color;
    let r = step(red);
    let g = step(green);
    let b = step(blue);
    let of = |step: u8| STEPS[usize::from(step)];
    let grey = ((u16::from(red) + u16::from(green) + u16::from(blue)) / 3).saturating_sub(3) / 10;
    let grey = grey.min(23) as u8;
    let level = 8 + 10 * grey;
    if distance(color, Rgb(level, level, level)) < distance(color, Rgb(of(r), of(g), of(b))) {
        232 + grey
    } else {
        16 + 36 * r + 6 * g + b
    }
}

/// Returns the squared distance of two colours.
pub(crate) fn distance(one: Rgb, other: Rgb) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(one.0, other.0) + square(one.1, other.1) + square(one.2, other.2)
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

    fn look(wanted: Option<bool>, variables: &[(&str, &str)]) -> (Colors, bool) {
        let find = |name: &str| variables.iter().find(|v| v.0 == name).map(|v| v.1.to_owned());
        let Capabilities { colors, unicode } = Capabilities::of(wanted, find);
        (colors, unicode)
    }

    #[test]
    fn the_environment_says_what_a_terminal_can_do() {
        use Colors::{Indexed, None as Without, True};
        let utf8 = ("LANG", "de_DE.UTF-8");
        assert_eq!(
            look(None, &[("TERM", "xterm"), ("COLORTERM", "truecolor"), utf8]),
            (True, true)
        );
        assert_eq!(look(None, &[("TERM", "xterm-256color"), utf8]), (Indexed, true));
        assert_eq!(look(None, &[("TERM", "xterm"), utf8, ("LC_ALL", "C")]), (Indexed, false));
        assert_eq!(look(None, &[("TERM", "xterm"), utf8, ("NO_COLOR", "1")]), (Without, true));
        assert_eq!(
            look(Some(true), &[("TERM", "xterm"), utf8, ("NO_COLOR", "1")]),
            (Indexed, true)
        );
        assert_eq!(look(Some(false), &[("TERM", "xterm"), utf8]), (Without, true));
        assert_eq!(look(None, &[("TERM", "dumb"), utf8]), (Without, false));
        assert_eq!(look(None, &[]), (Without, false));
    }

    #[test]
    fn colours_are_near() {
        assert_eq!(nearest(Rgb(0, 0, 0)), 16);
        assert_eq!(nearest(Rgb(255, 255, 255)), 231);
        assert_eq!(nearest(Rgb(255, 0, 0)), 196);
        assert_eq!(nearest(Rgb(118, 118, 118)), 243);
        assert_eq!(nearest(Rgb(14, 17, 23)), 233);
    }
}
