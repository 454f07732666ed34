//! A picture in memory.

use tiny_skia::PixmapMut;

/// A colour: red, green, blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// A rectangle of a frame, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// The left edge.
    pub x: i32,
    /// The upper edge.
    pub y: i32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

/// A picture of opaque pixels: red, green, blue and 255, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: u32,
    height: u32,
    data: Vec<u8>,
}

impl Frame {
    /// A black picture.
    ///
    /// # Panics
    /// If it is empty.
    pub fn new(width: u32, height: u32) -> Frame {
        assert!(width > 0 && height > 0, "a picture has at least one pixel");
        let data = [0, 0, 0, 255].repeat(width as usize * height as usize);
        Frame { width, height, data }
    }

    /// Changes the size; what it shows is undefined afterwards, but opaque.
    ///
    /// # Panics
    /// As [`Frame::new`].
    pub fn resize(&mut self, width: u32, height: u32) {
        if (self.width, self.height) != (width, height) {
            *self = Frame::new(width, height);
        }
    }

    /// Pixels in a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// All of it.
    pub fn area(&self) -> Area {
        Area { x: 0, y: 0, width: self.width, height: self.height }
    }

    /// The pixels, four bytes each.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The pixels, four bytes each, to be changed; the fourth stays 255.
    pub fn data_mut(&mut self) -> &mut [u8] {
        &mut self.data
    }

    /// The colour of a pixel.
    ///
    /// # Panics
    /// If there is no such pixel.
    pub fn pixel(&self, x: u32, y: u32) -> Rgb {
        assert!(x < self.width && y < self.height, "the picture has no pixel {x},{y}");
        let at = 4 * (y as usize * self.width as usize + x as usize);
        Rgb(self.data[at], self.data[at + 1], self.data[at + 2])
    }

    /// Fills an area, as far as it is on the picture.
    pub fn fill(&mut self, area: Area, color: Rgb) {
        let clip = |from: i32, length: u32, most: u32| {
            let end = from.saturating_add_unsigned(length).clamp(0, most as i32);
            from.clamp(0, end) as usize..end as usize
        };
        let (columns, rows) = (clip(area.x, area.width, self.width), clip(area.y, area.height, self.height));
        let pixel = [color.0, color.1, color.2, 255];
        for row in rows {
            let start = 4 * row * self.width as usize;
            let row = &mut self.data[start + 4 * columns.start..start + 4 * columns.end];
            row.as_chunks_mut().0.fill(pixel);
        }
    }

    /// The frame as what tiny-skia draws on.
    pub(crate) fn pixmap(&mut self) -> PixmapMut<'_> {
        PixmapMut::from_bytes(&mut self.data, self.width, self.height)
            .expect("four bytes a pixel, and at least one pixel")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_clipped() {
        let mut frame = Frame::new(4, 3);
        frame.fill(Area { x: -2, y: 1, width: 3, height: 9 }, Rgb(9, 8, 7));
        let filled = |x, y| frame.pixel(x, y) == Rgb(9, 8, 7);
        let all: Vec<_> = (0..3).map(|y| (0..4).map(|x| filled(x, y)).collect::<Vec<_>>()).collect();
        assert_eq!(all, [[false; 4], [true, false, false, false], [true, false, false, false]]);
        frame.fill(Area { x: 7, y: -9, width: 3, height: 2 }, Rgb(1, 1, 1));
        assert!(frame.data().iter().skip(3).step_by(4).all(|&alpha| alpha == 255));
    }
}
