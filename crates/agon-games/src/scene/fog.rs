//! Hides the places of a scene that a player does not see. Games with limited sight use it for the
//! screen of a person who plays.

use agon_core::Player;

use super::{Hue, Ink, Place, Scene};

impl Scene {
    /// The scene for a player who sees only `places`. Other places are hidden with everything on
    /// them, and so are the scores of the other players.
    pub(crate) fn seen_by(
        mut self,
        player: Player,
        places: impl IntoIterator<Item = Place>,
    ) -> Scene {
        let mut seen = vec![false; self.cells.len()];
        places.into_iter().for_each(|place| seen[place as usize] = true);
        for (cell, _) in self.cells.iter_mut().zip(&seen).filter(|(_, seen)| !**seen) {
            *cell = Ink::new(Hue::Hidden);
        }
        self.marks.retain(|mark| seen[mark.place as usize]);
        self.pieces.retain(|piece| seen[piece.place as usize]);
        for (_, line) in self.players.iter_mut().enumerate().filter(|(i, _)| *i != player.index()) {
            line.score.clear();
            line.hand.clear();
        }
        self
    }

    /// Returns the scene for nobody: the board and what players hold are hidden. A screen shows it
    /// while one person hands it over to another.
    #[must_use]
    pub fn covered(mut self) -> Scene {
        self.cells.fill(Ink::new(Hue::Hidden));
        self.marks.clear();
        self.pieces.clear();
        for line in &mut self.players {
            line.score.clear();
            line.hand.clear();
        }
        self
    }
}
