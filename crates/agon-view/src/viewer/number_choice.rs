//! [`Numbers`]: which numbers are on the board. The key `l` chooses them.

/// The numbers that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Numbers {
    /// None.
    #[default]
    Off,
    /// Those of columns and rows.
    Edges,
    /// Those of all places.
    Places,
}

impl Numbers {
    /// Returns the next one.
    pub(super) fn next(self) -> Numbers {
        match self {
            Numbers::Off => Numbers::Edges,
            Numbers::Edges => Numbers::Places,
            Numbers::Places => Numbers::Off,
        }
    }

    /// Returns its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Numbers::Off => "off",
            Numbers::Edges => "edges",
            Numbers::Places => "places",
        }
    }
}
