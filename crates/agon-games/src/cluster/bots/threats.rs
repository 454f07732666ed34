//! [`Threats`]: the wins that both players have at once in a position of the search.

use agon_core::Player;

use super::super::{COLORS, own_colors};
use super::geometry::Geometry;
use super::six_boards::SixBoards;
use super::trial_board::Verdict;

/// The immediate wins of both players.
pub(super) struct Threats {
    /// The number of lines on which each colour wins.
    pub(super) lines: [u32; COLORS],
    /// What each gravity leads to.
    verdicts: [Verdict; 6],
}

impl Threats {
    /// What both players could win with on these boards.
    pub(super) fn of(six: &SixBoards, geometry: &Geometry) -> Threats {
        let mut lines = [0; COLORS];
        for line in 0..geometry.lines() {
            if let Some(spot) = six.landing(geometry, line) {
                let winning = six.winning_colors(geometry, spot);
                if winning != 0 {
                    (0..COLORS).for_each(|color| lines[color] += u32::from(winning >> color & 1));
                }
            }
        }
        let verdict = |gravity: usize| {
            if gravity == usize::from(six.gravity) {
                Verdict::Open
            } else {
                six.verdict(geometry, gravity as u8)
            }
        };
        Threats { lines, verdicts: std::array::from_fn(verdict) }
    }

    /// The number of rotations with which a player wins.
    pub(super) fn rotations(&self, player: Player) -> usize {
        self.verdicts.iter().filter(|&&verdict| verdict == Verdict::Wins(player)).count()
    }

    /// The number of moves with which a player wins if it has the colours.
    pub(super) fn count(&self, player: Player) -> usize {
        let lines: u32 =
            own_colors(player).iter().map(|&color| self.lines[usize::from(color)]).sum();
        self.rotations(player) + lines as usize
    }
}
