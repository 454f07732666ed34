//! Paints the cells of a grid as pixels, from less than a pixel per cell to many.
//!
//! The painter of grids starts with it. Marks and pieces come on top, at the positions of a
//! [`Lattice`], so that all of them fit together.

use std::ops::Range;

use agon_games::scene::Ink;

use crate::paint::{Area, Camera, Frame, Rgb, Theme};

/// The inks of a grid, or of a moment between two.
pub(super) struct Cells<'a> {
    pub(super) now: &'a [Ink],
    /// The inks before, and their disappeared share, from 0 to 256.
    pub(super) before: Option<(&'a [Ink], u32)>,
    pub(super) theme: &'a Theme,
}

impl Cells<'_> {
    /// Returns the colour of a place.
    pub(super) fn color(&self, place: usize) -> Rgb {
        let [red, green, blue, _] = self.rgba(place);
        Rgb(red, green, blue)
    }

    /// Returns the ink that a place has more of.
    pub(super) fn ink(&self, place: usize) -> Ink {
        match self.before {
            Some((before, part)) if part < 128 => before[place],
            _ => self.now[place],
        }
    }

    fn rgba(&self, place: usize) -> [u8; 4] {
        let table = &self.theme.inks;
        let now = table[self.now[place].index()];
        match self.before {
            Some((before, part)) if before[place] != self.now[place] => {
                between(table[before[place].index()], now, part)
            }
            _ => now,
        }
    }

    /// Collects the colours of some neighbouring places.
    fn colors(&self, from: usize, colors: &mut [[u8; 4]]) {
        let table = &self.theme.inks;
        let now = &self.now[from..from + colors.len()];
        for (color, ink) in colors.iter_mut().zip(now) {
            *color = table[ink.index()];
        }
        if let Some((before, part)) = self.before {
            let before = &before[from..from + colors.len()];
            for ((color, now), before) in colors.iter_mut().zip(now).zip(before) {
                if before != now {
                    *color = between(table[before.index()], *color, part);
                }
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

    /// Paints at least a pixel per cell: makes a row of pixels and copies it for the others.
    fn enlarged(&self, frame: &mut Frame, clip: Area, lattice: &Lattice) {
        let columns = lattice.columns_between(clip.x, clip.width);
        let edges: Vec<i32> = (columns.start..=columns.end)
            .map(|column| lattice.left(column.into()).clamp(clip.x, clip.x + clip.width as i32))
            .collect();
        let mut colors = vec![[0; 4]; columns.len()];
        let bottom = clip.y + clip.height as i32;
        for row in lattice.rows_between(clip.y, clip.height) {
            let top = lattice.top(row.into());
            let end = lattice.top(i64::from(row) + 1).min(bottom);
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
        columns: &Range<u32>,
    ) {
        let Rgb(red, green, blue) = self.theme.line;
        for x in columns.clone().map(|column| lattice.left(column.into()) - clip.x) {
            if let Some(pixel) = usize::try_from(x).ok().and_then(|x| pixels.get_mut(x)) {
                *pixel = [red, green, blue, 255];
            }
        }
    }

    /// Paints less than a pixel per cell: each pixel is the mean of the cells whose middle it has.
    fn shrunk(&self, frame: &mut Frame, clip: Area, lattice: &Lattice) {
        let columns = lattice.columns_between(clip.x, clip.width);
        let pixels: Vec<i32> =
            columns.clone().map(|column| lattice.middle_x(column) - clip.x).collect();
        let seen =
            pixels.partition_point(|&x| x < 0)..pixels.partition_point(|&x| x < clip.width as i32);
        let first = columns.start + seen.start as u32;
        let pixels = &pixels[seen];
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
                    let mean = |sum: u32| sum.checked_div(count).map(|mean| mean as u8);
                    if let (Some(red), Some(green), Some(blue)) =
                        (mean(red), mean(green), mean(blue))
                    {
                        *pixel = [red, green, blue, 255];
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
    // The usual widths are constants, which avoids a loop in the loop.
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

/// Returns a colour `part` 256ths on the way to another.
fn between(from: [u8; 4], to: [u8; 4], part: u32) -> [u8; 4] {
    let mix = |at: usize| {
        ((u32::from(from[at]) * (256 - part) + u32::from(to[at]) * part + 128) >> 8) as u8
    };
    [mix(0), mix(1), mix(2), 255]
}

/// The edges of a grid's cells in pixels.
///
/// Neighbours touch. If a cell has a whole number of pixels, all cells have exactly that many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// Pixels per cell.
    pub(super) zoom: f64,
    left: f64,
    top: f64,
}

impl Lattice {
    /// Lines are drawn between cells from this many pixels per cell on.
    const LINES: f64 = 12.0;

    pub(super) fn new(columns: u32, rows: u32, area: Area, camera: &Camera) -> Lattice {
        let zoom = f64::from(camera.zoom);
        let whole = zoom >= 1.0 && zoom.fract() == 0.0;
        let start = |from: i32, length: u32, center: f32| {
            let start = f64::from(from) + f64::from(length) / 2.0 - f64::from(center) * zoom;
            if whole { (start + 0.5).floor() } else { start }
        };
        let left = start(area.x, area.width, camera.center.0);
        let top = start(area.y, area.height, camera.center.1);
        Lattice { columns, rows, zoom, left, top }
    }

    /// Returns the first pixel of a column, which may lie beside the board.
    pub(super) fn left(&self, column: i64) -> i32 {
        (self.left + column as f64 * self.zoom + 0.5).floor() as i32
    }

    /// Returns the first pixel of a row, which may lie beside the board.
    pub(super) fn top(&self, row: i64) -> i32 {
        (self.top + row as f64 * self.zoom + 0.5).floor() as i32
    }

    /// Returns the pixels of a cell, which may lie beside the board.
    pub(super) fn cell(&self, column: i64, row: i64) -> Area {
        let (x, y) = (self.left(column), self.top(row));
        Area {
            x,
            y,
            width: (self.left(column + 1) - x) as u32,
            height: (self.top(row + 1) - y) as u32,
        }
    }

    /// Returns the pixels of all cells.
    pub(super) fn bounds(&self) -> Area {
        let (x, y) = (self.left(0), self.top(0));
        let (right, bottom) = (self.left(self.columns.into()), self.top(self.rows.into()));
        Area { x, y, width: (right - x) as u32, height: (bottom - y) as u32 }
    }

    /// Returns whether each cell has a line of one pixel along its left and upper edge.
    pub(super) fn lined(&self) -> bool {
        self.zoom >= Lattice::LINES
    }

    /// Returns the columns that may be visible between two pixels.
    pub(super) fn columns_between(&self, x: i32, width: u32) -> Range<u32> {
        visible(self.left, self.zoom, self.columns, x, width)
    }

    /// Returns the rows that may be visible between two pixels.
    pub(super) fn rows_between(&self, y: i32, height: u32) -> Range<u32> {
        visible(self.top, self.zoom, self.rows, y, height)
    }

    /// Returns the pixel with the middle of a column.
    pub(super) fn middle_x(&self, column: u32) -> i32 {
        (self.left + (f64::from(column) + 0.5) * self.zoom).floor() as i32
    }

    /// Returns the pixel with the middle of a row.
    pub(super) fn middle_y(&self, row: u32) -> i32 {
        (self.top + (f64::from(row) + 0.5) * self.zoom).floor() as i32
    }
}

fn visible(start: f64, zoom: f64, count: u32, from: i32, length: u32) -> Range<u32> {
    // One more cell on both sides, because edges are rounded.
    let first = ((f64::from(from) - start) / zoom).floor() - 1.0;
    let last = ((f64::from(from) + f64::from(length) - start) / zoom).ceil() + 1.0;
    let bound = |at: f64| at.clamp(0.0, f64::from(count)) as u32;
    bound(first)..bound(last)
}

/// How a board is painted.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) theme: &'a Theme,
    pub(super) camera: &'a Camera,
    pub(super) has_patterns: bool,
}

#[cfg(test)]
mod tests {
    use agon_core::Player;
    use agon_games::{GameId, scene::Hue};

    use super::*;
    use crate::paint::{Camera, ThemeName};

    const WIDTH: u32 = 23;
    const HEIGHT: u32 = 17;

    /// Makes a grid without order, from a simple generator of numbers.
    fn inks(seed: u32) -> Vec<Ink> {
        let mut number = seed;
        let mut next = || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            number >> 16
        };
        (0..WIDTH * HEIGHT)
            .map(|_| match next() % 3 {
                0 => Ink::GROUND,
                1 => Ink::faded(Hue::Food, (next() % 64) as u8),
                _ => Ink::player(Player((next() % 8) as u16)),
            })
            .collect()
    }

    fn painted(cells: &Cells<'_>, camera: &Camera, area: Area) -> (Frame, Lattice) {
        let mut frame = Frame::new(120, 100);
        let lattice = Lattice::new(WIDTH, HEIGHT, area, camera);
        let clip = area.intersection(frame.area()).intersection(lattice.bounds());
        if !clip.is_empty() {
            cells.paint(&mut frame, clip, &lattice);
        }
        (frame, lattice)
    }

    /// Looks up each pixel by itself.
    #[test]
    fn every_pixel_has_the_colour_of_its_cell() {
        let theme = Theme::new(ThemeName::Dark, GameId::Cellhack.kind());
        let (now, before) = (inks(1), inks(2));
        let area = Area { x: 7, y: 5, width: 91, height: 73 };
        let zooms = [1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 1.7, 4.25, 9.9, 12.0, 14.5];
        let centers = [(11.5, 8.5), (2.3, 15.9), (30.0, 8.0)];
        let cameras =
            || zooms.iter().flat_map(|&zoom| centers.map(|center| Camera { center, zoom }));
        let expected = |cells: &Cells<'_>, lattice: &Lattice, (x, y): (i32, i32)| {
            let columns =
                |column: u32| lattice.left(column.into())..lattice.left((column + 1).into());
            let rows = |row: u32| lattice.top(row.into())..lattice.top((row + 1).into());
            let column = (0..WIDTH).find(|&column| columns(column).contains(&x));
            let row = (0..HEIGHT).find(|&row| rows(row).contains(&y));
            let Some((column, row)) = column.zip(row) else { return Rgb::BLACK };
            let is_edge = columns(column).start == x || rows(row).start == y;
            match lattice.lined() && is_edge {
                true => theme.line,
                false => cells.color((row * WIDTH + column) as usize),
            }
        };
        for before in [None, Some((&before[..], 100))] {
            let cells = Cells { now: &now, before, theme: &theme };
            for camera in cameras() {
                let (frame, lattice) = painted(&cells, &camera, area);
                for (x, y) in (5..78).flat_map(|y| (7..98).map(move |x| (x, y))) {
                    let found = frame.pixel(x as u32, y as u32);
                    assert_eq!(found, expected(&cells, &lattice, (x, y)), "{x},{y} at {camera:?}");
                }
            }
        }
    }

    #[test]
    fn cells_have_exactly_as_many_pixels_as_asked_for() {
        for (zoom, width) in [(3.0, 90), (3.0, 91), (16.0, 555)] {
            let camera = Camera { center: (11.5, 8.5), zoom };
            let lattice =
                Lattice::new(WIDTH, HEIGHT, Area { x: 1, y: 2, width, height: 77 }, &camera);
            for column in -2..30 {
                let cell = lattice.cell(column, 3);
                assert_eq!((cell.width, cell.height), (zoom as u32, zoom as u32));
            }
        }
    }

    /// Half a pixel a cell: each pixel is the mean of four.
    #[test]
    fn small_boards_are_averaged() {
        let theme = Theme::new(ThemeName::Dark, GameId::Cellhack.kind());
        let now = inks(3);
        let cells = Cells { now: &now, before: None, theme: &theme };
        let area = Area { x: 0, y: 0, width: 40, height: 40 };
        let camera = Camera { center: (40.0, 40.0), zoom: 0.5 };
        let (frame, lattice) = painted(&cells, &camera, area);
        assert_eq!(lattice.bounds(), Area { x: 0, y: 0, width: 12, height: 9 });
        for (x, y) in (0..8).flat_map(|y| (0..11).map(move |x| (x, y))) {
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)];
            let colors =
                four.map(|(dx, dy)| cells.color(((2 * y + dy) * WIDTH + 2 * x + dx) as usize));
            let mean = |part: fn(Rgb) -> u8| {
                (colors.iter().map(|&c| u32::from(part(c))).sum::<u32>() / 4) as u8
            };
            assert_eq!(frame.pixel(x, y), Rgb(mean(|c| c.0), mean(|c| c.1), mean(|c| c.2)));
        }
    }
}
