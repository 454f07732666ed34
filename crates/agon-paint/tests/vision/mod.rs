//! Measures how different two colours look, also to colour-blind people.
//!
//! The tests of themes check players' colours with it, and the example `search_palette` finds them.

use agon_paint::Rgb;
use palette::{FromColor, Lab, LinSrgb, Srgb, color_difference::Ciede2000};

/// A kind of colour vision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vision {
    /// Three kinds of cones.
    Usual,
    /// No cones for red.
    Protanopia,
    /// No cones for green.
    Deuteranopia,
    /// No cones for blue.
    Tritanopia,
}

impl Vision {
    /// All kinds.
    pub(crate) const ALL: [Vision; 4] =
        [Vision::Usual, Vision::Protanopia, Vision::Deuteranopia, Vision::Tritanopia];

    /// Returns the matrix from the real linear red, green and blue to the apparent ones.
    ///
    /// Source: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color
    /// Vision Deficiency", IEEE Transactions on Visualization and Computer Graphics 15 (2009),
    /// severity 1.0.
    fn matrix(self) -> [[f64; 3]; 3] {
        match self {
            Vision::Usual => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            Vision::Protanopia => [
                [0.152286, 1.052583, -0.204868],
                [0.114503, 0.786281, 0.099216],
                [-0.003882, -0.048116, 1.051998],
            ],
            Vision::Deuteranopia => [
                [0.367322, 0.860646, -0.227968],
                [0.280085, 0.672501, 0.047413],
                [-0.011820, 0.042940, 0.968881],
            ],
            Vision::Tritanopia => [
                [1.255528, -0.076749, -0.178779],
                [-0.078411, 0.930809, 0.147602],
                [0.004733, 0.691367, 0.303900],
            ],
        }
    }

    /// Returns how a colour looks, as CIELAB for daylight (D65).
    pub(crate) fn seen(self, Rgb(red, green, blue): Rgb) -> Lab<palette::white_point::D65, f64> {
        let linear = Srgb::new(red, green, blue).into_format::<f64>().into_linear();
        let real = [linear.red, linear.green, linear.blue];
        let apparent = self.matrix().map(|row| {
            let sum: f64 = row.iter().zip(real).map(|(part, value)| part * value).sum();
            sum.clamp(0.0, 1.0)
        });
        Lab::from_color(LinSrgb::from(apparent))
    }
}

/// Returns the difference of two colours as CIEDE2000: 1 is hardly visible, black and white have
/// 100.
///
/// Source: CIE 142-2001, "Improvement to industrial colour-difference evaluation".
pub(crate) fn difference(one: Rgb, other: Rgb, vision: Vision) -> f64 {
    vision.seen(one).difference(vision.seen(other))
}

/// Returns the least difference of two colours for all kinds of vision.
pub(crate) fn least_difference(one: Rgb, other: Rgb) -> f64 {
    Vision::ALL.iter().map(|&vision| difference(one, other, vision)).fold(f64::INFINITY, f64::min)
}
