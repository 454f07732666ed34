//! The colours of the species in the theme `classic`, as the original game has them.

use crate::scene::{ColorPair, Colors};

/// Red, blue, yellow, white, gray, orange, magenta, cyan.
const CLASSIC: [ColorPair; 8] = [
    ([255, 0, 0], [255, 115, 115]),
    ([0, 0, 255], [115, 115, 255]),
    ([255, 255, 0], [148, 148, 0]),
    ([255, 255, 255], [148, 148, 148]),
    ([128, 128, 128], [185, 185, 185]),
    ([255, 200, 0], [148, 116, 0]),
    ([255, 0, 255], [255, 115, 255]),
    ([0, 255, 255], [0, 148, 148]),
];

pub(super) const COLORS: Colors = Colors { classic: &CLASSIC, ..Colors::USUAL };
