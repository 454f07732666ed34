//! The type [`Colors`]: player colours of a game's own, for the themes of `agon-paint`. Most games
//! keep the usual ones.

/// A player's first and second colour, each as red, green and blue.
pub type ColorPair = ([u8; 3], [u8; 3]);

/// The colours of a game that differ from the usual ones. Players beyond the end of a list get the
/// usual colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colors {
    /// The players in the theme `classic`: the colours of the original game.
    pub classic: &'static [ColorPair],
    /// The ground in the theme `classic`; `None` for black.
    pub classic_ground: Option<[u8; 3]>,
    /// The players in the theme `dark`.
    pub dark: &'static [ColorPair],
    /// The players in the theme `light`.
    pub light: &'static [ColorPair],
    /// Whether people look at single cells, so that empty ones should stand out from the
    /// background.
    pub are_cells_single: bool,
}

impl Colors {
    /// The usual colours.
    pub const USUAL: Colors = Colors {
        classic: &[],
        classic_ground: None,
        dark: &[],
        light: &[],
        are_cells_single: false,
    };
}
