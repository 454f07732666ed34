//! Draws characters that the font lacks: arrows, blocks, dashes.
//!
//! `text` falls back to it. An unknown character becomes a box.

/// A point on the character's cell, in shares of the line's height.
///
/// `x` goes to the right from the middle, `y` downwards from the middle of small letters. The cell
/// goes from -0.22 to 0.22.
type Point = (f32, f32);

/// Returns the coverage of each pixel by a character; an unknown character is a box.
pub(crate) fn drawn(character: char, bold: bool, width: u32, height: u32) -> Vec<u8> {
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
