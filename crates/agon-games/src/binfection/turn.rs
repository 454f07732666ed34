//! What a turn does: all moves at once, fights, growth.

use agon_core::Player;

use super::{Direction, field::Field};

/// Units of one owner on their way to a cell, or staying there.
struct Group {
    index: u32,
    owner: Player,
    units: u64,
}

impl Field {
    /// The field after all moves at once. `orders` has one entry per slot: where half of its units go, if
    /// anywhere.
    ///
    /// What stays and what comes from each of the four sides are five lists that are sorted already, so
    /// merging them visits every cell concerned once, together with all that meets there. No cell sees
    /// another's result: the outcome does not depend on any order.
    pub(super) fn moved(&self, orders: &[Option<Direction>], cap: u64) -> Field {
        let mut after = Field::empty(self.width, self.height);
        let [up, right, down, left] = Direction::ALL.map(Some);
        let mut groups = [None, up, right, down, left].map(|way| self.groups(orders, way).peekable());
        while let Some(index) = groups.iter_mut().filter_map(|list| Some(list.peek()?.index)).min() {
            let mut fight = Fight::default();
            for list in &mut groups {
                if let Some(group) = list.next_if(|group| group.index == index) {
                    fight.join(group.owner, group.units);
                }
            }
            if let Some((owner, units)) = fight.winner() {
                after.push(index, owner, units.min(cap));
            }
        }
        after
    }

    /// The units that go in a direction, or those that stay, sorted by the cell they arrive at. Units that
    /// leave the field are lost.
    fn groups(&self, orders: &[Option<Direction>], way: Option<Direction>) -> impl Iterator<Item = Group> {
        (0..self.len()).filter_map(move |slot| {
            let leaving = orders[slot].map_or(0, |_| self.units(slot) / 2);
            let (index, units) = match way {
                None => (self.index(slot), self.units(slot) - leaving),
                Some(_) if orders[slot] != way || leaving == 0 => return None,
                Some(direction) => (self.next(self.index(slot), direction)?, leaving),
            };
            Some(Group { index, owner: self.owner(slot), units })
        })
    }

    /// Multiplies all units.
    pub(super) fn grow(&mut self, coefficient: u64, cap: u64) {
        for units in self.all_units_mut() {
            *units = units.saturating_mul(coefficient).min(cap);
        }
    }
}

/// All that meets on one cell: at most one group that stays and four that arrive.
#[derive(Default)]
struct Fight {
    sides: [(Player, u64); 5],
    count: usize,
}

impl Fight {
    fn join(&mut self, owner: Player, units: u64) {
        let sides = &mut self.sides[..self.count];
        match sides.iter_mut().find(|(side, _)| *side == owner) {
            Some((_, sum)) => *sum += units,
            None => {
                self.sides[self.count] = (owner, units);
                self.count += 1;
            }
        }
    }

    /// Who keeps the cell and with how many units: the largest side's lead over the second largest.
    fn winner(self) -> Option<(Player, u64)> {
        let (mut best, mut second) = ((Player(0), 0), 0);
        for &(owner, units) in &self.sides[..self.count] {
            if units > best.1 {
                second = best.1;
                best = (owner, units);
            } else {
                second = second.max(units);
            }
        }
        let left = best.1 - second;
        (left > 0).then_some((best.0, left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binfection::Cell;

    type Stack = (u32, u32, u16, u64);

    /// Moves `((x, y), direction)` on the given stacks `(x, y, owner, units)`.
    fn moved(size: (u32, u32), cap: u64, stacks: &[Stack], moves: &[((u32, u32), u8)]) -> Vec<Stack> {
        let cells =
            stacks.iter().map(|&(x, y, owner, units)| Cell { x, y, owner: Some(Player(owner)), units });
        let field = Field::with_cells(size.0, size.1, cells);
        let mut orders = vec![None; field.len()];
        for &((x, y), direction) in moves {
            orders[field.slot_at(x, y).unwrap()] = Some(Direction::try_from(direction).unwrap());
        }
        let owner = |cell: &Cell| cell.owner.map_or(99, |player| player.0);
        field.moved(&orders, cap).cells().map(|cell| (cell.x, cell.y, owner(&cell), cell.units)).collect()
    }

    const CENTRE: [((u32, u32), u8); 4] = [((1, 0), 2), ((0, 1), 1), ((2, 1), 3), ((1, 2), 0)];

    #[test]
    fn half_rounded_down_leaves() {
        assert_eq!(moved((3, 1), 9, &[(0, 0, 0, 7)], &[((0, 0), 1)]), [(0, 0, 0, 4), (1, 0, 0, 3)]);
        assert_eq!(moved((3, 1), 9, &[(0, 0, 0, 1)], &[((0, 0), 1)]), [(0, 0, 0, 1)]);
    }

    #[test]
    fn units_that_leave_the_field_are_lost_on_every_side() {
        for direction in 0..4 {
            assert_eq!(moved((1, 1), 9, &[(0, 0, 0, 9)], &[((0, 0), direction)]), [(0, 0, 0, 5)]);
        }
        // Nor does a move to the left come out on the right of the row above.
        assert_eq!(moved((3, 2), 9, &[(0, 1, 0, 8)], &[((0, 1), 3)]), [(0, 1, 0, 4)]);
    }

    #[test]
    fn stacks_that_swap_fight_on_both_cells() {
        let after = moved((2, 1), 9, &[(0, 0, 0, 8), (1, 0, 1, 6)], &[((0, 0), 1), ((1, 0), 3)]);
        assert_eq!(after, [(0, 0, 0, 1), (1, 0, 0, 1)]);
        let after = moved((2, 1), 9, &[(0, 0, 0, 2), (1, 0, 1, 2)], &[((0, 0), 1), ((1, 0), 3)]);
        assert_eq!(after, [], "all may die at once");
    }

    #[test]
    fn of_many_owners_the_largest_keeps_its_lead_over_the_second() {
        let around = [(1, 0, 0, 20), (0, 1, 1, 14), (2, 1, 2, 8), (1, 2, 3, 4)];
        let after = moved((3, 3), 99, &around, &CENTRE);
        assert!(after.contains(&(1, 1, 0, 3)), "10 against 7, 4 and 2: {after:?}");
    }

    #[test]
    fn equal_largest_leave_the_cell_to_nobody() {
        let around = [(1, 0, 0, 14), (0, 1, 1, 14), (2, 1, 2, 8), (1, 2, 3, 4)];
        let after = moved((3, 3), 99, &around, &CENTRE);
        assert!(after.iter().all(|&(x, y, ..)| (x, y) != (1, 1)), "7 against 7: {after:?}");
    }

    #[test]
    fn allies_fight_together() {
        let around = [(1, 0, 0, 8), (0, 1, 1, 14), (2, 1, 0, 8), (1, 1, 2, 3), (1, 2, 0, 8)];
        let after = moved((3, 3), 99, &around, &CENTRE);
        assert!(after.contains(&(1, 1, 0, 5)), "4 + 4 + 4 against 7 and 3: {after:?}");
    }

    #[test]
    fn the_cap_counts_after_the_fight() {
        let stacks = [(0, 0, 0, 9), (1, 0, 0, 9), (2, 0, 1, 9)];
        let after = moved((3, 1), 9, &stacks, &[((0, 0), 1), ((2, 0), 3)]);
        assert_eq!(after, [(0, 0, 0, 5), (1, 0, 0, 9), (2, 0, 1, 5)], "9 + 4 - 4 = 9");
        assert_eq!(moved((1, 1), 9, &[(0, 0, 0, 12)], &[]), [(0, 0, 0, 9)]);
    }

    #[test]
    fn growth_stops_at_the_cap_and_never_overflows() {
        let cell = |units| Cell { x: 0, y: 0, owner: Some(Player(0)), units };
        for (units, coefficient, cap, expect) in
            [(3, 2, 100, 6), (60, 2, 100, 100), (u64::MAX / 2, 1_000_000, u64::MAX, u64::MAX)]
        {
            let mut field = Field::with_cells(1, 1, [cell(units)]);
            field.grow(coefficient, cap);
            assert_eq!(field.units(0), expect);
        }
    }
}
