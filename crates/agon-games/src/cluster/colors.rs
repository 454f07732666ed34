//! The colours of the players in the themes `classic` and `dark`.

use crate::scene::{ColorPair, Colors};

/// Blue and light blue, red and orange.
const CLASSIC: [ColorPair; 2] = [([48, 80, 255], [130, 190, 255]), ([235, 30, 30], [255, 150, 70])];

/// The usual colours with lighter second colours, because single discs must be easy to see.
const DARK: [ColorPair; 2] = [([44, 157, 255], [160, 216, 255]), ([255, 130, 24], [255, 200, 146])];

pub(super) const COLORS: Colors = Colors {
    classic: &CLASSIC,
    classic_ground: Some([40, 42, 48]),
    dark: &DARK,
    are_cells_single: true,
};
