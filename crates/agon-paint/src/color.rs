//! A colour, its brightness, and its contrast to another colour.

/// A colour: red, green, blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Black.
    pub const BLACK: Rgb = Rgb(0, 0, 0);

    /// White.
    pub const WHITE: Rgb = Rgb(255, 255, 255);

    /// Returns its brightness: 0 is black, 1 is white (relative luminance, WCAG 2.2).
    pub fn luminance(self) -> f32 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2).
    pub fn contrast(self, other: Rgb) -> f32 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Returns black or white, whichever is more readable on it.
    pub fn contrasting(self) -> Rgb {
        let on_white = self.contrast(Rgb::WHITE);
        if self.contrast(Rgb::BLACK) >= on_white { Rgb::BLACK } else { Rgb::WHITE }
    }

    /// Returns red, green and blue as amounts of light, from 0 to 1 (sRGB, IEC 61966-2-1).
    pub(crate) fn linear(self) -> [f32; 3] {
        [self.0, self.1, self.2].map(|part| {
            let part = f32::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((Rgb::BLACK.contrast(Rgb::WHITE) - 21.0).abs() < 1e-4);
        assert_eq!(Rgb::WHITE.contrast(Rgb::WHITE), 1.0);
        // #777777 on white is the well-known pair just below 4.5.
        assert!((Rgb(0x77, 0x77, 0x77).contrast(Rgb::WHITE) - 4.48).abs() < 0.01);
        assert_eq!(Rgb(240, 228, 66).contrasting(), Rgb::BLACK);
        assert_eq!(Rgb(0, 40, 140).contrasting(), Rgb::WHITE);
    }
}
