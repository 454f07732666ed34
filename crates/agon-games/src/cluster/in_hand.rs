//! [`InHand`]: the colours in the hand of the player to move, sorted, in an array of fixed size.

use std::ops::Deref;

/// The most pellets that settings allow in hand.
pub(super) const MAX_PELLETS: usize = 8;

/// Colours in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct InHand {
    /// The colours, then at least one zero.
    colors: [u8; MAX_PELLETS + 1],
    count: u8,
}

impl InHand {
    /// Adds a pellet to the hand.
    ///
    /// # Panics
    /// If there are [`MAX_PELLETS`] already.
    pub(super) fn take(&mut self, mut color: u8) {
        let count = usize::from(self.count);
        assert!(count < MAX_PELLETS, "settings allow no more in hand");
        // Without a branch, because draws are unpredictable: higher colours move one place on.
        for held in &mut self.colors[..count] {
            (*held, color) = ((*held).min(color), (*held).max(color));
        }
        self.colors[count] = color;
        self.count += 1;
    }

    /// Removes a pellet of a colour; returns whether there was one.
    pub(super) fn give(&mut self, color: u8) -> bool {
        let mut found = false;
        for i in 0..usize::from(self.count) {
            found |= self.colors[i] == color;
            self.colors[i] = self.colors[i + usize::from(found)];
        }
        self.count -= u8::from(found);
        found
    }
}

impl Deref for InHand {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.colors[..usize::from(self.count)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_stay_in_order() {
        let mut hand = InHand::default();
        [2, 0, 3, 2, 1, 0, 2, 3].into_iter().for_each(|color| hand.take(color));
        assert_eq!(*hand, [0, 0, 1, 2, 2, 2, 3, 3]);
        assert!(hand.give(2) && hand.give(0) && !hand.give(4));
        assert_eq!(*hand, [0, 1, 2, 2, 3, 3]);
        while let Some(&color) = hand.last() {
            assert!(hand.give(color));
        }
        assert_eq!(hand, InHand::default(), "what was there leaves no trace");
    }
}
