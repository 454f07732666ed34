//! The colours of the players in the theme `classic`.

use crate::scene::{ColorPair, Colors};

/// Red, blue, green, orange, magenta, cyan, old rose, teal, purple, white.
const CLASSIC: [ColorPair; 10] = [
    ([255, 0, 0], [255, 115, 115]),
    ([64, 64, 255], [150, 150, 255]),
    ([0, 255, 0], [0, 148, 0]),
    ([255, 165, 0], [148, 96, 0]),
    ([255, 0, 255], [255, 115, 255]),
    ([0, 255, 255], [0, 148, 148]),
    ([163, 109, 122], [204, 175, 182]),
    ([0, 128, 128], [115, 185, 185]),
    ([128, 0, 128], [185, 115, 185]),
    ([255, 255, 255], [148, 148, 148]),
];

pub(super) const COLORS: Colors = Colors { classic: &CLASSIC, ..Colors::USUAL };
