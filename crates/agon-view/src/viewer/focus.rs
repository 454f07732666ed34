//! What has been done to keep in sight what a person needs.
//!
//! `units_in_sight` and `person` use it.

use agon_games::scene::Place;

/// What has been done to keep units in sight.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// Whether the size of the picture is known.
    pub(super) has_painted: bool,
    /// Whether the board has been zoomed on the person's units.
    pub(super) has_begun: bool,
    /// Whether the panel about what is not on the board has been opened.
    pub(super) has_panel: bool,
    /// The chosen units that were brought into sight last.
    pub(super) chosen: Vec<Place>,
}
