//! A table of at most 256 colours, for GIF films and for PNG pictures of few colours.
//!
//! A GIF film has one table for all pictures. Once it is full, new colours become the nearest ones
//! in it.

use std::collections::HashMap;

use agon_view::paint::{Frame, Rgb};

/// The number of colours from which a new one must differ from all others to get its own place.
const CROWDED: usize = 160;

/// That difference: the sum of squared differences of red, green and blue.
const DIFFERENT: u32 = 3 * 6 * 6;

/// A table of colours that grows with the pictures; once full, it uses the nearest colours.
#[derive(Debug)]
pub(crate) struct Palette {
    colors: Vec<Rgb>,
    most: usize,
    /// The place of a pixel's colour in the table.
    places: HashMap<u32, u8>,
    /// The last colours by a hash, because most pixels repeat an earlier one.
    recent: Vec<(u32, u8)>,
}

impl Palette {
    /// Makes a table with at most `most` colours, and reserves places for `first`.
    ///
    /// # Panics
    /// If it has no place, or more than 256.
    pub(crate) fn new(most: usize, first: &[Rgb]) -> Palette {
        assert!((1..=256).contains(&most), "a palette has 1 to 256 places");
        // No pixel has this key: its alpha is 255.
        let recent = vec![(0, 0); 1024];
        let mut palette = Palette { colors: Vec::new(), most, places: HashMap::new(), recent };
        for &Rgb(r, g, b) in first.iter().take(most / 2) {
            palette.place([r, g, b, 255]);
        }
        palette
    }

    /// Returns a picture's colours, three bytes each; fills in the place of each pixel's colour.
    ///
    /// `None` if there are more than 256 colours.
    pub(crate) fn exact(frame: &Frame, indices: &mut Vec<u8>) -> Option<Vec<u8>> {
        let mut palette = Palette::new(256, &[]);
        for &pixel in frame.data().as_chunks::<4>().0 {
            let known = palette.colors.len();
            let index =
                palette.known(pixel).or_else(|| (known < 256).then(|| palette.add(pixel)))?;
            indices.push(index);
        }
        Some(palette.table(palette.colors.len()))
    }

    /// Returns the place of a pixel's colour, or of the nearest one.
    pub(crate) fn place(&mut self, pixel: [u8; 4]) -> u8 {
        if let Some(place) = self.known(pixel) {
            return place;
        }
        if self.colors.len() < CROWDED.min(self.most) {
            return self.add(pixel);
        }
        let (nearest, distance) = self.nearest(pixel);
        if self.colors.len() < self.most && distance > DIFFERENT {
            return self.add(pixel);
        }
        self.places.insert(key(pixel), nearest);
        nearest
    }

    /// Returns the table, three bytes per colour, filled with black up to `length` colours.
    pub(crate) fn table(&self, length: usize) -> Vec<u8> {
        let mut table: Vec<u8> = self.colors.iter().flat_map(|&Rgb(r, g, b)| [r, g, b]).collect();
        table.resize(3 * length, 0);
        table
    }

    fn known(&mut self, pixel: [u8; 4]) -> Option<u8> {
        let key = key(pixel);
        let slot = &mut self.recent[(key.wrapping_mul(0x9E37_79B1) >> 22) as usize];
        if slot.0 != key {
            *slot = (key, *self.places.get(&key)?);
        }
        Some(slot.1)
    }

    fn add(&mut self, pixel: [u8; 4]) -> u8 {
        let place = u8::try_from(self.colors.len()).expect("there are at most 256 colours");
        self.colors.push(Rgb(pixel[0], pixel[1], pixel[2]));
        self.places.insert(key(pixel), place);
        place
    }

    fn nearest(&self, pixel: [u8; 4]) -> (u8, u32) {
        let distance = |&Rgb(r, g, b): &Rgb| {
            [(r, pixel[0]), (g, pixel[1]), (b, pixel[2])]
                .iter()
                .map(|&(one, other)| u32::from(one.abs_diff(other)).pow(2))
                .sum()
        };
        let nearest =
            self.colors.iter().map(distance).enumerate().min_by_key(|&(_, distance)| distance);
        let (place, distance) = nearest.expect("no colour is looked for before there is one");
        (place as u8, distance)
    }
}

fn key(pixel: [u8; 4]) -> u32 {
    u32::from_le_bytes(pixel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_256_colours_are_exact_and_of_257_are_not() {
        for (width, fits) in [(256, true), (257, false)] {
            let mut frame = Frame::new(width, 1);
            for (n, pixel) in frame.data_mut().chunks_exact_mut(4).enumerate() {
                pixel[0] = n as u8;
                pixel[1] = (n / 256) as u8;
            }
            let mut indices = Vec::new();
            let table = Palette::exact(&frame, &mut indices);
            assert_eq!(table.is_some(), fits);
            if let Some(table) = table {
                assert_eq!((table.len(), indices[255], table[3 * 255]), (768, 255, 255));
            }
        }
    }
}
