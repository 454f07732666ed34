//! [`LegendEntry`]: what a shape or colour of a scene means. Viewers list the entries of a game
//! beside its board.

use super::{Board, Ink, Mark, Piece, Scene, Shape};

/// A sample of something on the board, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegendEntry {
    /// The ink of the sample's place.
    pub cell: Ink,
    /// The mark on the place, in an ink that is readable there.
    pub mark: Option<Shape>,
    /// The piece on the place.
    pub piece: Option<(Shape, Ink)>,
    /// What it is, in one or a few words.
    pub label: &'static str,
}

impl LegendEntry {
    /// A place in this ink.
    pub const fn cell(cell: Ink, label: &'static str) -> LegendEntry {
        LegendEntry { cell, mark: None, piece: None, label }
    }

    /// A place in this ink with a mark, whose ink stands out from it. For ground use a piece.
    pub const fn marked(cell: Ink, mark: Shape, label: &'static str) -> LegendEntry {
        LegendEntry { cell, mark: Some(mark), piece: None, label }
    }

    /// A piece on empty ground.
    pub const fn piece(shape: Shape, ink: Ink, label: &'static str) -> LegendEntry {
        LegendEntry { cell: Ink::GROUND, mark: None, piece: Some((shape, ink)), label }
    }

    /// Returns a board of one place that shows the sample.
    pub fn scene(&self) -> Scene {
        let ink = self.cell.contrast();
        let mark = self.mark.map(|shape| Mark { place: 0, shape, ink });
        let piece = self.piece.map(|(shape, ink)| Piece { id: 0, place: 0, shape, ink });
        Scene {
            board: Board::Grid { width: 1, height: 1, wraps: false },
            cells: vec![self.cell],
            marks: mark.into_iter().collect(),
            pieces: piece.into_iter().collect(),
            title: String::new(),
            players: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Player;

    use super::*;
    use crate::scene::drawing::draw;

    #[test]
    fn every_sample_can_be_seen() {
        fn check<G: crate::scene::Render>() {
            for entry in G::LEGEND {
                assert!(entry.mark.is_none() || entry.cell != Ink::GROUND, "{entry:?}");
                assert!(entry.piece.is_none_or(|(_, ink)| ink != Ink::GROUND), "{entry:?}");
                assert!(!entry.label.is_empty() && entry.label.len() < 30, "{entry:?}");
            }
        }
        crate::GameId::ALL.into_iter().for_each(|id| crate::with_game!(id, G => check::<G>()));
    }

    #[test]
    fn a_sample_is_a_board_of_one_place() {
        let own = Ink::player(Player(0));
        let flag = LegendEntry::marked(own, Shape::Flag, "flag").scene();
        assert_eq!((draw(&flag), flag.marks.len()), (vec!["a".to_owned()], 1));
        assert_ne!(flag.marks[0].ink, own);
        let agent = LegendEntry::piece(Shape::Disc(80), own, "agent").scene();
        assert_eq!((agent.cells[0], agent.pieces.len()), (Ink::GROUND, 1));
    }
}
