//! What has been done to keep a person's units in sight.
//!
//! `units_in_sight` uses it.

use agon_games::scene::Place;

/// What has been done to keep units in sight.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// Whether the size of the picture is known.
    pub(super) has_painted: bool,
    /// Whether the board has been zoomed on the person's units.
    pub(super) has_begun: bool,
    /// The chosen units that were brought into sight last.
    pub(super) chosen: Vec<Place>,
}
