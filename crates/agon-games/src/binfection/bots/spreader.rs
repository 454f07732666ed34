//! A bot that looks at one cell at a time.

use agon_core::{Policy, Rng};

use crate::binfection::{Answer, Binfection, Cell, Direction, Move, View};

/// Every cell for itself: takes a weaker neighbour, else an empty one, else stays.
pub(super) struct Spreader;

impl Policy<Binfection> for Spreader {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let mut moves = Vec::with_capacity(view.own().len());
        for cell in view.own().filter(|cell| cell.units > 1) {
            let mut directions = Direction::ALL;
            rng.shuffle(&mut directions);
            let gains = view.beside(cell.x, cell.y).map(|next| next.and_then(|next| gain(&cell, &next)));
            let gain = |direction: &Direction| gains[usize::from(u8::from(*direction))];
            let best = directions.into_iter().filter(|d| gain(d).is_some()).max_by_key(gain);
            moves.extend(best.map(|direction| Move { x: cell.x, y: cell.y, direction }));
        }
        Answer { moves }
    }
}

/// What there is to gain next door: an enemy's units, something on empty ground, nothing at home.
fn gain(cell: &Cell, next: &Cell) -> Option<u64> {
    match next.owner {
        None => Some(1),
        Some(owner) if Some(owner) == cell.owner => None,
        Some(_) => (cell.units / 2 > next.units).then_some(1 + next.units),
    }
}
