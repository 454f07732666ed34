//! The colours of the players in all themes.

use crate::scene::{ColorPair, Colors};

/// Blue and light blue, red and orange.
const CLASSIC: [ColorPair; 2] = [([48, 80, 255], [130, 190, 255]), ([235, 30, 30], [255, 150, 70])];

/// Four colours that everybody can tell apart, found by the example `search_palette` of
/// `agon-paint`.
const DARK: [ColorPair; 2] = [([134, 140, 245], [0, 235, 255]), ([255, 99, 19], [255, 228, 128])];

/// The same on light ground.
const LIGHT: [ColorPair; 2] = [([23, 7, 73], [158, 42, 230]), ([83, 0, 0], [167, 86, 0])];

pub(super) const COLORS: Colors = Colors {
    classic: &CLASSIC,
    classic_ground: Some([40, 42, 48]),
    dark: &DARK,
    light: &LIGHT,
    are_cells_single: true,
};
