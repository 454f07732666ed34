//! A bot that looks at one cell at a time.

use agon_core::{Policy, Rng};
use agon_simd::{Kernel, Level};

use crate::binfection::{Answer, Binfection, Direction, Kind, Move, Neighbor, View};

/// Every cell for itself: takes a weaker neighbour, else an empty one, else stays.
pub(super) struct Spreader;

impl Policy<Binfection> for Spreader {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        Level::best().run(Orders { view, rng })
    }
}

/// The orders for all cells; compiled for what the processor has, as cells are found by counting bits.
struct Orders<'a> {
    view: &'a View<'a>,
    rng: &'a mut Rng,
}

impl Kernel for Orders<'_> {
    type Output = Answer;

    #[inline(always)]
    fn run(self) -> Answer {
        let mut moves = Vec::with_capacity(self.view.own().len());
        for (number, cell) in self.view.own().enumerate().filter(|(_, cell)| cell.units > 1) {
            let mut directions = Direction::ALL;
            self.rng.shuffle(&mut directions);
            let [up, right, down, left] = self.view.beside(number);
            let gain = |next| gain(cell.units, next);
            let gains = [gain(up), gain(right), gain(down), gain(left)];
            // Of equally good ones the last, in an order of chance; no branch could foresee which one it is.
            let rated = |rank: usize| gains[usize::from(u8::from(directions[rank]))] << 2 | rank as u64;
            let best = rated(0).max(rated(1)).max(rated(2)).max(rated(3));
            if best >> 2 > 0 {
                moves.push(Move { x: cell.x, y: cell.y, direction: directions[best as usize & 3] });
            }
        }
        Answer { moves }
    }
}

/// What there is to gain next door: an enemy's units, something on empty ground, nothing at home.
#[inline(always)]
fn gain(units: u64, next: Neighbor) -> u64 {
    match next.kind {
        Kind::Empty => 1,
        Kind::Enemy if units / 2 > next.units => 1 + next.units,
        Kind::Enemy | Kind::Own(_) | Kind::Outside => 0,
    }
}
