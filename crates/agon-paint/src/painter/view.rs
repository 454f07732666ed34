//! How a board is painted: its colours, its visible part, and whether players have patterns.
//!
//! [`Painter`](super::Painter) makes it for the painters of grids and hexagons.

use crate::{Camera, Theme};

/// How a board is painted.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) theme: &'a Theme,
    pub(super) camera: &'a Camera,
    pub(super) has_patterns: bool,
}
