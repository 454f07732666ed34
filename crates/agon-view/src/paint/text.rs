//! Letters as pixels, and the width of texts.
//!
//! The font is Noto Sans Mono, drawn beforehand in three sizes. Other sizes are made from the
//! largest. So text looks the same everywhere.

use std::{borrow::Cow, collections::BTreeMap};

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};

/// Returns the width of a text in pixels; lines are `size` pixels high.
pub fn text_width(text: &str, size: u32, bold: bool) -> u32 {
    text.chars().count() as u32 * Face::new(size, bold).advance
}

/// Returns as much of the text as fits into `width` pixels, with an ellipsis if shortened.
pub fn text_fit(text: &str, size: u32, bold: bool, width: u32) -> Cow<'_, str> {
    let room = (width / Face::new(size, bold).advance) as usize;
    if text.chars().count() <= room {
        return Cow::Borrowed(text);
    }
    let Some(kept) = room.checked_sub(1) else { return Cow::Borrowed("") };
    let mut shortened: String = text.chars().take(kept).collect();
    shortened.truncate(shortened.trim_end().len());
    Cow::Owned(shortened + "…")
}

/// The font in one size, with the glyphs used so far.
#[derive(Debug)]
pub(crate) struct Face {
    size: u32,
    bold: bool,
    raster: RasterHeight,
    /// The width of each character in pixels.
    pub(crate) advance: u32,
    glyphs: BTreeMap<char, Vec<u8>>,
}

impl Face {
    /// Makes a font with lines of this many pixels, at least 4.
    pub(crate) fn new(size: u32, bold: bool) -> Face {
        let size = size.max(4);
        let raster = match size {
            16 => RasterHeight::Size16,
            24 => RasterHeight::Size24,
            _ => RasterHeight::Size32,
        };
        let width = get_raster_width(weight(bold), raster) as f32;
        let advance = (width * size as f32 / raster.val() as f32).round() as u32;
        Face { size, bold, raster, advance, glyphs: BTreeMap::new() }
    }

    pub(crate) fn is(&self, size: u32, bold: bool) -> bool {
        (self.size, self.bold) == (size, bold)
    }

    /// Returns the coverage of pixels by a character: `size` rows of `advance` pixels.
    pub(crate) fn glyph(&mut self, character: char) -> &[u8] {
        let Face { size, bold, raster, advance, .. } = *self;
        self.glyphs.entry(character).or_insert_with(|| {
            let character = plain(character);
            match get_raster(character, weight(bold), raster) {
                Some(glyph) => resized(
                    glyph.pixels(),
                    (glyph.width(), glyph.height()),
                    (advance as usize, size as usize),
                ),
                None => drawn(character, bold, advance, size),
            }
        })
    }
}

fn weight(bold: bool) -> FontWeight {
    if bold { FontWeight::Bold } else { FontWeight::Regular }
}

/// Replaces typographic characters that the font lacks by ones that it has.
fn plain(character: char) -> char {
    match character {
        '‘' | '’' | '′' => '\'',
        '“' | '”' | '″' => '"',
        '\u{2007}'..='\u{200a}' | '\u{202f}' | '\t' => ' ',
        other => other,
    }
}

/// Resizes a glyph.
fn resized(pixels: &[u8], from: (usize, usize), to: (usize, usize)) -> Vec<u8> {
    if from == to {
        return pixels.to_vec();
    }
    let (columns, rows) = (weights(from.0, to.0), weights(from.1, to.1));
    let mut made = Vec::with_capacity(to.0 * to.1);
    for row in &rows {
        for column in &columns {
            let sum: f32 = row
                .iter()
                .flat_map(|&(y, high)| {
                    column.iter().map(move |&(x, wide)| (y * from.0 + x, high * wide))
                })
                .map(|(at, weight)| f32::from(pixels[at]) * weight)
                .sum();
            made.push((sum + 0.5) as u8);
        }
    }
    made
}

/// Returns for each of `to` pixels its sources among `from` pixels, with their weights.
fn weights(from: usize, to: usize) -> Vec<Vec<(usize, f32)>> {
    let scale = from as f32 / to as f32;
    let one = |pixel: usize| {
        let (start, end) = (pixel as f32 * scale, (pixel + 1) as f32 * scale);
        // A larger glyph uses the two nearest pixels, a smaller one all pixels that it covers.
        let middle = (start + end) / 2.0;
        let weight = |source: usize| match scale < 1.0 {
            true => 1.0 - (source as f32 + 0.5 - middle).abs(),
            false => end.min(source as f32 + 1.0) - start.max(source as f32),
        };
        let used: Vec<_> =
            (0..from).map(|source| (source, weight(source))).filter(|(_, w)| *w > 0.0).collect();
        let sum: f32 = used.iter().map(|(_, weight)| weight).sum();
        used.into_iter().map(|(source, weight)| (source, weight / sum)).collect()
    };
    (0..to).map(one).collect()
}

/// A point on the character's cell, in shares of the line's height.
///
/// `x` goes to the right from the middle, `y` downwards from the middle of small letters. The cell
/// goes from -0.22 to 0.22.
type Point = (f32, f32);

/// Returns the coverage of each pixel by a character; an unknown character is a box.
fn drawn(character: char, bold: bool, width: u32, height: u32) -> Vec<u8> {
    const PARTS: u32 = 4;
    let thickness = if bold { 0.055 } else { 0.04 };
    // Thin strokes must stay visible in small letters.
    let thickness = f32::max(thickness, 0.5 / height as f32);
    let covered = |x: u32, y: u32| {
        let at = |pixel: u32, part: u32| (pixel * PARTS + part) as f32 + 0.5;
        let scale = (PARTS * height) as f32;
        let middle = (width * PARTS) as f32 / 2.0;
        let points = (0..PARTS * PARTS).filter(|part| {
            let point = ((at(x, part % PARTS) - middle) / scale, at(y, part / PARTS) / scale - 0.5);
            inside(character, point, thickness)
        });
        (points.count() as u32 * 255 / (PARTS * PARTS)) as u8
    };
    (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| covered(x, y)).collect()
}

fn inside(character: char, (x, y): Point, thickness: f32) -> bool {
    // A block fills the cell, while letters keep a distance from its edges.
    let block = |from: f32, to: f32| y >= from && y < to;
    let y_letters = y - 0.05;
    let round = |radius: f32| x.hypot(y_letters) <= radius;
    let square = |half: f32| x.abs() <= half && y_letters.abs() <= half;
    let rule = |half: f32| x.abs() <= half && y_letters.abs() <= thickness;
    let dot = |at: f32| (x - at).hypot(y - 0.24) <= thickness * 1.1;
    match character {
        '→' => arrow(x, y_letters, thickness),
        '←' => arrow(-x, y_letters, thickness),
        '↓' => arrow(y_letters, x, thickness),
        '↑' => arrow(-y_letters, x, thickness),
        '▶' | '►' => pointed(x, y_letters),
        '◀' | '◄' => pointed(-x, y_letters),
        '▼' => pointed(y_letters, x),
        '▲' => pointed(-y_letters, x),
        '●' => round(0.19),
        '○' => round(0.19) && !round(0.19 - 2.0 * thickness),
        '•' => round(0.1),
        '■' => square(0.17),
        '□' => square(0.17) && !square(0.17 - 2.0 * thickness),
        '◆' => x.abs() + y_letters.abs() <= 0.22,
        '█' => true,
        '▀' => block(-0.5, 0.0),
        '▄' => block(0.0, 0.5),
        '─' | '—' => rule(0.23),
        '–' | '−' => rule(0.16),
        '│' => x.abs() <= thickness,
        '…' => dot(-0.14) || dot(0.0) || dot(0.14),
        '✓' => {
            let stroke = |from, to| near((x, y_letters), from, to, thickness);
            stroke((-0.17, 0.02), (-0.06, 0.14)) || stroke((-0.06, 0.14), (0.18, -0.16))
        }
        '✗' | '✕' => {
            let stroke = |from, to| near((x, y_letters), from, to, thickness);
            stroke((-0.15, -0.15), (0.15, 0.15)) || stroke((-0.15, 0.15), (0.15, -0.15))
        }
        '∞' => {
            let loops = |at: f32| ((x - at).hypot(y_letters) - 0.09).abs() <= thickness;
            loops(-0.09) || loops(0.09)
        }
        _ => {
            let frame = |less: f32| x.abs() <= 0.19 - less && (y + 0.03).abs() <= 0.3 - less;
            frame(0.0) && !frame(1.6 * thickness)
        }
    }
}

/// Returns whether a point lies on an arrow to the right.
fn arrow(x: f32, y: f32, thickness: f32) -> bool {
    let shaft = (-0.2..=0.12).contains(&x) && y.abs() <= thickness;
    shaft || ((0.0..=0.2).contains(&x) && y.abs() <= (0.2 - x) * 0.75)
}

/// Returns whether a point lies in a triangle that points to the right.
fn pointed(x: f32, y: f32) -> bool {
    x >= -0.17 && y.abs() <= (0.19 - x) * 0.55
}

/// Returns whether a point lies on a stroke.
fn near(point: Point, from: Point, to: Point, thickness: f32) -> bool {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let along = ((point.0 - from.0) * dx + (point.1 - from.1) * dy) / (dx * dx + dy * dy);
    let along = along.clamp(0.0, 1.0);
    (point.0 - from.0 - along * dx).hypot(point.1 - from.1 - along * dy) <= thickness
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::{Frame, Rgb};

    const WHITE: Rgb = Rgb(255, 255, 255);

    /// Returns how much is written on a frame, in whole pixels.
    fn ink(frame: &Frame) -> usize {
        frame.data().iter().step_by(4).map(|&red| usize::from(red)).sum::<usize>() / 255
    }

    #[test]
    fn text_is_as_wide_as_it_says() {
        for size in [9, 12, 16, 20, 24, 32, 48] {
            let mut frame = Frame::new(400, 60);
            let width = frame.text(0, 0, "Agonizing", size, false, WHITE);
            assert_eq!(width, text_width("Agonizing", size, false));
            let mut outside = frame.clone();
            outside.fill(crate::paint::Area { x: 0, y: 0, width, height: size }, Rgb(0, 0, 0));
            assert_eq!(ink(&outside), 0, "size {size}");
            assert!(ink(&frame) > size as usize * 4, "size {size}: {}", ink(&frame));
        }
    }

    #[test]
    fn unknown_characters_become_a_box() {
        let glyph = |text: &str| {
            let mut frame = Frame::new(16, 16);
            frame.text(0, 0, text, 16, false, WHITE);
            frame
        };
        assert_eq!(glyph("漢"), glyph("字"));
        assert!(ink(&glyph("漢")) > 20);
        assert_eq!(ink(&glyph(" ")), 0);
        let known = "→←↑↓▲▼▶◀●■…–Äßřœ";
        for character in known.chars() {
            assert_ne!(glyph(&character.to_string()), glyph("漢"), "{character}");
        }
    }

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        let advance = text_width("x", 16, false);
        let fit = |text, letters| text_fit(text, 16, false, letters * advance).into_owned();
        assert_eq!(fit("wanderer", 8), "wanderer");
        assert_eq!(fit("wanderer", 7), "wander…");
        assert_eq!(fit("a bot", 3), "a…");
        assert_eq!(fit("ab", 0), "");
    }
}
