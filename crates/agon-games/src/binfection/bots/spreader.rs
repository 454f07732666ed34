//! The built-in bot `spreader`: decides for each cell alone. It takes a weaker neighbour, or else
//! an empty one.

use agon_core::{Policy, Rng};

use crate::binfection::{Answer, Binfection, Direction, Move, View};

/// Each cell takes a weaker neighbour, else an empty one, else stays.
pub(super) struct Spreader;

impl Policy<Binfection> for Spreader {
    fn decide(&mut self, view: &View<'_>, stream: &mut Rng) -> Answer {
        let mut moves = Vec::with_capacity(view.own().len());
        // A local copy stays in registers.
        let mut rng = stream.clone();
        view.survey(|cell, against| {
            if cell.units <= 1 {
                return;
            }
            let ranks = &RANKS[rng.index(4)][rng.index(3)][rng.index(2)];
            // Among equally good directions a random one wins. No processor could predict a branch
            // here, so there is none.
            let rated =
                |way: usize| gain(cell.units, against[way]) << 4 | ranks[way] << 2 | way as u64;
            let best = rated(0).max(rated(1)).max(rated(2)).max(rated(3));
            if best >> 4 > 0 {
                moves.push(Move {
                    x: cell.x,
                    y: cell.y,
                    direction: Direction::ALL[best as usize & 3],
                });
            }
        });
        *stream = rng;
        Answer { moves }
    }
}

/// The gain of a move: 1 plus the units that it beats, or 0 if it is too weak.
#[inline(always)]
fn gain(units: u64, against: u64) -> u64 {
    if against < units / 2 { 1 + against } else { 0 }
}

/// The rank of each direction in the order that [`Rng::shuffle`] makes of all four, by its draws
/// below 4, 3 and 2.
const RANKS: [[[[u64; 4]; 2]; 3]; 4] = {
    let mut ranks = [[[[0; 4]; 2]; 3]; 4];
    let mut draw = 0;
    while draw < 24 {
        let drawn = [draw / 6, draw / 2 % 3, draw % 2];
        let mut order = [0, 1, 2, 3];
        let mut last = 3;
        while last > 0 {
            order.swap(last, drawn[3 - last]);
            last -= 1;
        }
        let mut rank = 0;
        while rank < 4 {
            ranks[drawn[0]][drawn[1]][drawn[2]][order[rank]] = rank as u64;
            rank += 1;
        }
        draw += 1;
    }
    ranks
};

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn ranks_are_those_of_a_shuffle() {
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        for _ in 0..500 {
            let mut order = [0, 1, 2, 3];
            rng.clone().shuffle(&mut order);
            let ranks = RANKS[rng.index(4)][rng.index(3)][rng.index(2)];
            assert_eq!(order.map(|way: usize| ranks[way]), [0, 1, 2, 3]);
        }
    }
}
