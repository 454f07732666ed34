//! Draws the samples of a legend as scenes. Viewers paint them beside the board.

use super::{Board, LegendEntry, Mark, Piece, Scene};

impl Scene {
    /// Returns a board of one place that shows a sample.
    pub fn of_sample(entry: &LegendEntry) -> Scene {
        let ink = entry.cell.contrast();
        let mark = entry.mark.map(|shape| Mark { place: 0, shape, ink });
        let piece = entry.piece.map(|(shape, ink)| Piece { id: 0, place: 0, shape, ink });
        Scene {
            board: Board::Grid { width: 1, height: 1, wraps: false },
            cells: vec![entry.cell],
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

    use super::{
        super::{Ink, Shape},
        *,
    };
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
        let flag = Scene::of_sample(&LegendEntry::marked(own, Shape::Flag, "flag"));
        assert_eq!((draw(&flag), flag.marks.len()), (vec!["a".to_owned()], 1));
        assert_ne!(flag.marks[0].ink, own);
        let agent = Scene::of_sample(&LegendEntry::piece(Shape::Disc(80), own, "agent"));
        assert_eq!((agent.cells[0], agent.pieces.len()), (Ink::GROUND, 1));
    }
}
