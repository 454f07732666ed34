//! The cells of a grid as pixels.

use agon_games::scene::Ink;

use super::lattice::Lattice;
use crate::{Area, Frame, Rgb, Theme};

/// The inks of a grid, or of a moment between two.
pub(super) struct Cells<'a> {
    pub(super) now: &'a [Ink],
    /// What was there before, and how much of it is gone, from 0 to 256.
    pub(super) before: Option<(&'a [Ink], u32)>,
    pub(super) theme: &'a Theme,
}

impl Cells<'_> {
    /// The colour of a place.
    pub(super) fn color(&self, place: usize) -> Rgb {
        let [red, green, blue, _] = self.rgba(place);
        Rgb(red, green, blue)
    }

    fn rgba(&self, place: usize) -> [u8; 4] {
        let table = self.theme.table();
        let now = table[self.now[place].index()];
        match self.before {
            Some((before, part)) if before[place] != self.now[place] => {
                between(table[before[place].index()], now, part)
            }
            _ => now,
        }
    }

    /// The colours of some neighbouring places.
    fn colors(&self, from: usize, colors: &mut [[u8; 4]]) {
        let table = self.theme.table();
        let now = &self.now[from..from + colors.len()];
        for (color, ink) in colors.iter_mut().zip(now) {
            *color = table[ink.index()];
        }
        if let Some((before, part)) = self.before {
            let before = &before[from..from + colors.len()];
            for ((color, now), before) in
                colors.iter_mut().zip(now).zip(before).filter(|((_, now), before)| now != before)
            {
                let _ = now;
                *color = between(table[before.index()], *color, part);
            }
        }
    }

    /// Paints all cells, as far as they are in `clip`.
    pub(super) fn paint(&self, frame: &mut Frame, clip: Area, lattice: &Lattice) {
        if lattice.zoom < 1.0 {
            self.shrunk(frame, clip, lattice)
        } else {
            self.enlarged(frame, clip, lattice)
        }
    }

    /// At least a pixel a cell: a row of pixels is made, and copied for the others of its cells.
    fn enlarged(&self, frame: &mut Frame, clip: Area, lattice: &Lattice) {
        let columns = lattice.columns_between(clip.x, clip.width);
        let edges: Vec<i32> = (columns.start..=columns.end)
            .map(|column| lattice.left(column.into()).clamp(clip.x, clip.x + clip.width as i32))
            .collect();
        let mut colors = vec![[0; 4]; columns.len()];
        let bottom = clip.y + clip.height as i32;
        for row in lattice.rows_between(clip.y, clip.height) {
            let (top, end) = (lattice.top(row.into()), lattice.top(i64::from(row) + 1).min(bottom));
            let mut y = top.max(clip.y);
            if y >= end {
                continue;
            }
            if lattice.lined() && y == top {
                frame.fill(Area { y, height: 1, ..clip }, self.theme.line);
                y += 1;
            }
            if y < end {
                self.colors((row * lattice.columns + columns.start) as usize, &mut colors);
                let pixels = frame.row_mut(y, clip.x, clip.width);
                spread(pixels, clip.x, &edges, &colors);
                if lattice.lined() {
                    self.upright_lines(pixels, clip, lattice, &columns);
                }
                frame.repeat_row(y, clip.x, clip.width, (end - y - 1) as u32);
            }
        }
    }

    fn upright_lines(
        &self,
        pixels: &mut [[u8; 4]],
        clip: Area,
        lattice: &Lattice,
        columns: &std::ops::Range<u32>,
    ) {
        let Rgb(red, green, blue) = self.theme.line;
        for x in columns.clone().map(|column| lattice.left(column.into()) - clip.x) {
            if let Some(pixel) = usize::try_from(x).ok().and_then(|x| pixels.get_mut(x)) {
                *pixel = [red, green, blue, 255];
            }
        }
    }

    /// Less than a pixel a cell: each pixel gets the average of the cells whose middle it holds.
    fn shrunk(&self, frame: &mut Frame, clip: Area, lattice: &Lattice) {
        let columns = lattice.columns_between(clip.x, clip.width);
        let pixels: Vec<i32> = columns.clone().map(|column| lattice.middle_x(column) - clip.x).collect();
        let seen = pixels.partition_point(|&x| x < 0)..pixels.partition_point(|&x| x < clip.width as i32);
        let (first, pixels) = (columns.start + seen.start as u32, &pixels[seen]);
        let mut colors = vec![[0; 4]; pixels.len()];
        // Red, green, blue, and the number of cells.
        let mut sums = vec![[0u32; 4]; clip.width as usize];
        let rows = lattice.rows_between(clip.y, clip.height);
        let bottom = clip.y + clip.height as i32;
        let last = rows.end;
        for row in rows {
            let y = lattice.middle_y(row);
            if y < clip.y || y >= bottom {
                continue;
            }
            self.colors((row * lattice.columns + first) as usize, &mut colors);
            for (&x, color) in pixels.iter().zip(&colors) {
                let sum = &mut sums[x as usize];
                for (sum, part) in sum.iter_mut().zip([color[0], color[1], color[2], 1]) {
                    *sum += u32::from(part);
                }
            }
            if row + 1 == last || lattice.middle_y(row + 1) != y {
                for (pixel, sum) in frame.row_mut(y, clip.x, clip.width).iter_mut().zip(&mut sums) {
                    let [red, green, blue, count] = std::mem::take(sum);
                    if count > 0 {
                        *pixel = [(red / count) as u8, (green / count) as u8, (blue / count) as u8, 255];
                    }
                }
            }
        }
    }
}

/// Fills the pixels between each two edges with a colour.
fn spread(pixels: &mut [[u8; 4]], start: i32, edges: &[i32], colors: &[[u8; 4]]) {
    let width = edges.get(1).map_or(0, |edge| edge - edges[0]);
    let even = edges.windows(2).all(|pair| pair[1] - pair[0] == width);
    let from = edges.first().map_or(0, |&edge| (edge - start) as usize);
    // The usual widths as constants: without a loop in the loop.
    match (even, width) {
        (true, 1) => pixels[from..from + colors.len()].copy_from_slice(colors),
        (true, 2) => spread_evenly::<2>(&mut pixels[from..], colors),
        (true, 3) => spread_evenly::<3>(&mut pixels[from..], colors),
        (true, 4) => spread_evenly::<4>(&mut pixels[from..], colors),
        (true, 8) => spread_evenly::<8>(&mut pixels[from..], colors),
        _ => {
            for (pair, &color) in edges.windows(2).zip(colors) {
                pixels[(pair[0] - start) as usize..(pair[1] - start) as usize].fill(color);
            }
        }
    }
}

fn spread_evenly<const WIDTH: usize>(pixels: &mut [[u8; 4]], colors: &[[u8; 4]]) {
    for (pixels, &color) in pixels.as_chunks_mut::<WIDTH>().0.iter_mut().zip(colors) {
        *pixels = [color; WIDTH];
    }
}

/// A colour so many 256ths on the way to another.
fn between(from: [u8; 4], to: [u8; 4], part: u32) -> [u8; 4] {
    let mix = |at: usize| ((u32::from(from[at]) * (256 - part) + u32::from(to[at]) * part + 128) >> 8) as u8;
    [mix(0), mix(1), mix(2), 255]
}
