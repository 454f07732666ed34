//! Places the buttons of a person's choices in rows.
//!
//! Directions form a cross, as they lie on the picture, where there is space for one. `choices`
//! measures the buttons, and paints them where this puts them.

use agon_games::scene::Arrow;

/// The rows and columns of a cross.
const CROSS: u32 = 3;

/// Fewer directions than these are no cross.
const LEAST_WAYS: usize = 3;

/// A button to be placed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The width of the button.
    pub(super) width: u32,
    pub(super) kind: Kind,
}

/// What decides about the place of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It comes before all others. Such buttons are the first items.
    First,
    /// It stands for a direction on the picture.
    Way(Arrow),
    /// Any other button.
    Other,
}

/// The place of a button: its row from the top, and its pixels or characters from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) row: u32,
    pub(super) x: u32,
    pub(super) width: u32,
}

/// Where the next button goes, between two edges.
struct Pen {
    row: u32,
    x: u32,
    left: u32,
    right: u32,
    gap: u32,
}

impl Pen {
    fn new(row: u32, left: u32, right: u32, gap: u32) -> Pen {
        Pen { row, x: left, left, right, gap }
    }

    /// Places a button at the pen, or at the start of the next row.
    fn place(&mut self, width: u32) -> Spot {
        if self.x > self.left && self.x + width + self.gap > self.right {
            (self.row, self.x) = (self.row + 1, self.left);
        }
        let spot = Spot { row: self.row, x: self.x, width };
        self.x += width + self.gap;
        spot
    }

    /// Returns the first row without a button.
    fn next_row(&self) -> u32 {
        self.row + u32::from(self.x > self.left)
    }
}

/// Returns a spot for each item, in the same order, between 0 and `right`.
///
/// There is no cross if it does not fit into the first `rows` rows, or is too wide; further items
/// can be below those rows.
pub(super) fn place(items: &[Item], right: u32, gap: u32, rows: u32) -> Vec<Spot> {
    let widest = right.saturating_sub(2 * gap);
    let mut pen = Pen::new(0, gap, right, gap);
    let firsts = items.iter().take_while(|item| item.kind == Kind::First);
    let mut spots: Vec<Spot> = firsts.map(|item| pen.place(item.width.min(widest))).collect();
    let rest = &items[spots.len()..];
    let top = pen.next_row();
    let Some(cross) = Cross::new(rest, right, gap).filter(|_| top + CROSS <= rows) else {
        spots.extend(rest.iter().map(|item| pen.place(item.width.min(widest))));
        return spots;
    };
    let mut beside = Pen::new(top, gap + CROSS * (cross.width + gap), right, gap);
    let mut below = Pen::new(top + CROSS, gap, right, gap);
    let mut is_below = false;
    for item in rest {
        spots.push(match item.kind {
            Kind::Way(way) => cross.spot(way, top, gap),
            Kind::First | Kind::Other => {
                let fits = beside.left + item.width + gap <= right;
                let spot = (fits && !is_below).then(|| beside.place(item.width));
                match spot.filter(|spot| spot.row < top + CROSS) {
                    Some(spot) => spot,
                    None => {
                        is_below = true;
                        below.place(item.width.min(widest))
                    }
                }
            }
        });
    }
    spots
}

/// Directions around a middle, in cells of the same width.
struct Cross {
    width: u32,
}

impl Cross {
    /// Returns the cross of these items; `None` if they make none, or it is too wide.
    fn new(items: &[Item], right: u32, gap: u32) -> Option<Cross> {
        let mut ways = vec![];
        let mut width = 0;
        for item in items {
            if let Kind::Way(way) = item.kind {
                if ways.contains(&way) {
                    return None;
                }
                ways.push(way);
                width = width.max(item.width);
            }
        }
        let fits = gap + CROSS * (width + gap) <= right;
        (ways.len() >= LEAST_WAYS && fits).then_some(Cross { width })
    }

    fn spot(&self, Arrow(way): Arrow, top: u32, gap: u32) -> Spot {
        let (column, row) =
            [(1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (0, 0)][usize::from(way % 8)];
        Spot { row: top + row, x: gap + column * (self.width + gap), width: self.width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(width: u32, kind: Kind) -> Item {
        Item { width, kind }
    }

    fn four_ways() -> [Item; 4] {
        [0, 2, 4, 6].map(|way| item(20, Kind::Way(Arrow(way))))
    }

    fn at(spots: &[Spot]) -> Vec<(u32, u32)> {
        spots.iter().map(|spot| (spot.row, spot.x)).collect()
    }

    #[test]
    fn directions_form_a_cross_below_the_first_buttons() {
        let mut items = vec![item(30, Kind::First)];
        items.extend(four_ways());
        items.push(item(15, Kind::Other));
        let spots = place(&items, 200, 5, 9);
        assert_eq!(at(&spots), [(0, 5), (1, 30), (2, 55), (3, 30), (2, 5), (1, 80)]);
    }

    #[test]
    fn what_does_not_fit_beside_the_cross_is_below() {
        let mut items = four_ways().to_vec();
        items.extend([item(15, Kind::Other); 5]);
        // A column of three beside it, then a row.
        let spots = place(&items, 100, 5, 9);
        assert_eq!(at(&spots)[4..], [(0, 80), (1, 80), (2, 80), (3, 5), (3, 25)]);
        items[5].width = 40;
        assert_eq!(at(&place(&items, 100, 5, 9))[4..], [(0, 80), (3, 5), (3, 50), (3, 70), (4, 5)]);
    }

    #[test]
    fn without_space_there_are_plain_rows() {
        let plain = [(0, 5), (0, 30), (0, 55), (1, 5)];
        // Too narrow, or too low.
        assert_eq!(at(&place(&four_ways(), 75, 5, 9))[..2], plain[..2]);
        assert_eq!(at(&place(&four_ways(), 85, 5, 2)), plain);
        // Two directions, or one twice.
        assert_eq!(at(&place(&four_ways()[..2], 85, 5, 9)), plain[..2]);
        let mut twice = four_ways();
        twice[3] = twice[0];
        assert_eq!(at(&place(&twice, 85, 5, 9)), plain);
        assert_eq!(place(&[], 85, 5, 9), []);
    }

    #[test]
    fn no_two_buttons_overlap() {
        for right in [40, 77, 100, 160, 333] {
            for rows in 1..6 {
                let mut items = vec![item(33, Kind::First), item(20, Kind::First)];
                items.extend((0..8).map(|way| item(20 + u32::from(way), Kind::Way(Arrow(way)))));
                items.extend((0..7).map(|i| item(10 + 9 * i, Kind::Other)));
                let spots = place(&items, right, 3, rows);
                for (i, a) in spots.iter().enumerate() {
                    assert!(a.x >= 3 && a.x + a.width + 3 <= right, "{right} {rows} {a:?}");
                    for b in &spots[..i] {
                        let apart = a.row != b.row || a.x + a.width <= b.x || b.x + b.width <= a.x;
                        assert!(apart, "{right} {rows}: {a:?} {b:?}");
                    }
                }
            }
        }
    }
}
