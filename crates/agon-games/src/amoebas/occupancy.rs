//! Which cells are occupied, as bits. The schedule finds the amoebas of a class of cells with it,
//! without a visit to empty cells.

/// A bit per cell; every row begins with a word of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occupancy {
    size: u32,
    words: usize,
    rows: Vec<u64>,
}

impl Occupancy {
    /// An empty world with sides of this length.
    pub(super) fn new(size: u32) -> Occupancy {
        let words = size.div_ceil(64) as usize;
        Occupancy { size, words, rows: vec![0; words * size as usize] }
    }

    /// Notes that an amoeba has come to or left a cell.
    #[inline]
    pub(super) fn toggle(&mut self, cell: usize) {
        let (x, y) = (cell as u32 % self.size, cell as u32 / self.size);
        self.rows[y as usize * self.words + x as usize / 64] ^= 1 << (x % 64);
    }

    /// The occupied cells of a row within `columns`, in order.
    #[inline]
    pub(super) fn among(&self, row: u32, columns: &[u64]) -> impl Iterator<Item = u32> {
        let start = row as usize * self.words;
        let words = self.rows[start..start + self.words].iter().zip(columns);
        words.zip((row * self.size..).step_by(64)).flat_map(|((occupied, wanted), first)| {
            let mut bits = occupied & wanted;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
                bit.map(|bit| first + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_row_and_column() {
        let mut occupancy = Occupancy::new(130);
        let cells = [130, 131, 200, 259, 260];
        cells.iter().for_each(|&cell| occupancy.toggle(cell));
        let all = [u64::MAX; 3];
        assert_eq!(occupancy.among(1, &all).collect::<Vec<_>>(), [130, 131, 200, 259]);
        assert_eq!(occupancy.among(1, &[2, 1 << 6, 2]).collect::<Vec<_>>(), [131, 200, 259]);
        assert_eq!(occupancy.among(0, &all).count(), 0);
        occupancy.toggle(200);
        assert_eq!(occupancy.among(1, &all).collect::<Vec<_>>(), [130, 131, 259]);
    }
}
