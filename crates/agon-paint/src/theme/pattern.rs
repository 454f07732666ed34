//! Patterns of players: motifs that tell them apart without colour.
//!
//! The painter draws them on players' cells, pieces and swatches, where [`Theme`](super::Theme) has
//! one for the ink.

use agon_games::scene::Hue;

use crate::Area;

/// The number of players who differ by colour alone. Those after them always have a pattern.
pub(super) const COLOR_ALONE: usize = 6;

/// A pattern of three by three fields, some of which are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Motif(u16);

/// The motifs of players, one after the other. No motif is the negative of another.
const MOTIFS: [Motif; 12] = [
    Motif(0b000_010_000),
    Motif(0b000_111_000),
    Motif(0b010_010_010),
    Motif(0b010_111_010),
    Motif(0b100_010_001),
    Motif(0b101_010_101),
    Motif(0b001_010_100),
    Motif(0b111_010_010),
    Motif(0b100_100_111),
    Motif(0b101_101_111),
    Motif(0b101_111_101),
    Motif(0b111_100_111),
];

impl Motif {
    /// The number of motifs. The player after the last one has the first motif again.
    #[cfg(test)]
    pub(crate) const COUNT: usize = MOTIFS.len();

    /// Returns the motif of a hue: a player's own one, or its negative for the second colour.
    pub(super) fn of(hue: Hue) -> Option<Motif> {
        let motif = |player: agon_core::Player| MOTIFS[player.index() % MOTIFS.len()];
        match hue {
            Hue::Player(player) => Some(motif(player)),
            Hue::PlayerSecondary(player) => Some(Motif(!motif(player).0 & 0b111_111_111)),
            _ => None,
        }
    }

    /// Returns the marked parts of an area. It needs at least three pixels on both sides.
    pub(crate) fn parts(self, area: Area) -> impl Iterator<Item = Area> {
        let edge = |start: i32, length: u32, at: u32| {
            (start + (length * at / 3) as i32, length * (at + 1) / 3 - length * at / 3)
        };
        let marked = (0..9).filter(move |field| self.0 >> (8 - field) & 1 == 1);
        marked.map(move |field| {
            let (x, width) = edge(area.x, area.width, field % 3);
            let (y, height) = edge(area.y, area.height, field / 3);
            Area { x, y, width, height }
        })
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Player;

    use super::*;

    #[test]
    fn no_motif_is_that_of_somebody_else() {
        let hues = |player| {
            let player = Player(player);
            [Hue::Player(player), Hue::PlayerSecondary(player)]
        };
        let mut motifs: Vec<u16> = (0..Motif::COUNT as u16)
            .flat_map(hues)
            .map(|hue| Motif::of(hue).expect("players have motifs").0)
            .collect();
        motifs.sort_unstable();
        motifs.dedup();
        assert_eq!(motifs.len(), 2 * Motif::COUNT);
        assert!(!motifs.contains(&0) && !motifs.contains(&0b111_111_111));
        assert_eq!(Motif::of(Hue::Player(Player(12))), Motif::of(Hue::Player(Player(0))));
        assert_eq!(Motif::of(Hue::Food), None);
    }

    #[test]
    fn parts_fill_their_area_without_overlap() {
        for (width, height) in [(3, 3), (4, 5), (7, 3), (40, 41)] {
            let area = Area { x: -2, y: 9, width, height };
            let both = [Hue::Player(Player(5)), Hue::PlayerSecondary(Player(5))];
            let parts: Vec<Area> = both
                .into_iter()
                .flat_map(|hue| Motif::of(hue).expect("players have motifs").parts(area))
                .collect();
            assert!(parts.iter().all(|part| area.contains(*part) && !part.is_empty()));
            let pixels: u32 = parts.iter().map(|part| part.width * part.height).sum();
            assert_eq!(pixels, width * height);
            for (at, part) in parts.iter().enumerate() {
                assert!(parts[..at].iter().all(|other| other.intersection(*part).is_empty()));
            }
        }
    }
}
