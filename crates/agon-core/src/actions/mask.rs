//! A set of numbered actions, a bit each.
//!
//! A game fills it with the legal actions of a decision; random bots and learners choose from it.

use std::fmt;

use crate::Rng;

/// A set of actions out of `0..len()`, a bit each.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ActionMask {
    /// 64 actions a word, the first one in the lowest bit; bits from `len` on are 0.
    words: Vec<u64>,
    len: usize,
}

impl ActionMask {
    /// Makes the mask of `len` actions with none in it.
    pub fn none(len: usize) -> ActionMask {
        ActionMask { words: vec![0; len.div_ceil(64)], len }
    }

    /// Makes the mask of `len` actions with all in it.
    pub fn all(len: usize) -> ActionMask {
        let mut mask = ActionMask::none(len);
        mask.fill(len);
        mask
    }

    /// Makes this the mask of `len` actions with none in it. Keeps its memory.
    pub fn clear(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), 0);
        self.len = len;
    }

    /// Makes this the mask of `len` actions with all in it. Keeps its memory.
    pub fn fill(&mut self, len: usize) {
        self.words.clear();
        self.words.resize(len.div_ceil(64), u64::MAX);
        self.len = len;
        if let Some(last) = self.words.last_mut()
            && !len.is_multiple_of(64)
        {
            *last >>= 64 - len % 64;
        }
    }

    /// Puts an action in.
    ///
    /// # Panics
    /// If there is no such action.
    pub fn insert(&mut self, action: usize) {
        self.require(action);
        self.words[action / 64] |= 1 << (action % 64);
    }

    /// Takes an action out.
    ///
    /// # Panics
    /// If there is no such action.
    pub fn remove(&mut self, action: usize) {
        self.require(action);
        self.words[action / 64] &= !(1 << (action % 64));
    }

    /// Returns whether an action is in it; false for actions that do not exist.
    pub fn contains(&self, action: usize) -> bool {
        self.words.get(action / 64).is_some_and(|word| word >> (action % 64) & 1 == 1)
    }

    /// Returns the number of actions that could be in it.
    #[expect(clippy::len_without_is_empty, reason = "`is_none` is the question about its bits")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of actions in it.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns whether no action is in it.
    pub fn is_none(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Returns whether each of its actions is in `other`, too.
    pub fn is_subset_of(&self, other: &ActionMask) -> bool {
        self.iter().all(|action| other.contains(action))
    }

    /// Iterates over the actions in it, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(number, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize);
                left &= left.wrapping_sub(1);
                bit.map(|bit| number * 64 + bit)
            })
        })
    }

    /// Draws one of the actions in it, all with the same chance; `None` if there are none.
    pub fn draw(&self, rng: &mut Rng) -> Option<usize> {
        let count = self.count();
        if count == 0 {
            return None;
        }
        self.iter().nth(rng.index(count))
    }

    /// Returns its bits, 64 actions a word, the first one in the lowest bit.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    fn require(&self, action: usize) {
        assert!(action < self.len, "there is no action {action} among {}", self.len);
    }
}

impl fmt::Debug for ActionMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "of {}: ", self.len)?;
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Purpose, Seed};

    #[test]
    fn actions_go_in_and_out() {
        for len in [1, 63, 64, 65, 200] {
            let mut mask = ActionMask::all(len);
            assert_eq!((mask.len(), mask.count()), (len, len));
            assert!(mask.iter().eq(0..len) && !mask.contains(len));
            mask.remove(len - 1);
            assert_eq!((mask.count(), mask.contains(len - 1)), (len - 1, false));
            mask.clear(len);
            assert!(mask.is_none() && mask == ActionMask::none(len));
            mask.insert(len - 1);
            assert_eq!(mask.iter().collect::<Vec<_>>(), [len - 1]);
        }
    }

    #[test]
    fn what_was_in_a_mask_leaves_no_trace() {
        let mut mask = ActionMask::all(200);
        mask.fill(70);
        assert_eq!(mask, ActionMask::all(70));
        mask.clear(3);
        assert_eq!((mask.words(), mask.len()), (&[0][..], 3));
        mask.clear(0);
        assert_eq!(mask, ActionMask::default());
    }

    #[test]
    fn subsets() {
        let mut small = ActionMask::none(100);
        small.insert(70);
        assert!(small.is_subset_of(&ActionMask::all(100)));
        assert!(!ActionMask::all(100).is_subset_of(&small));
        assert!(ActionMask::none(100).is_subset_of(&small));
    }

    #[test]
    fn all_actions_are_drawn_equally_often() {
        let mut mask = ActionMask::none(130);
        [3, 64, 129].into_iter().for_each(|action| mask.insert(action));
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        let mut drawn = [0; 130];
        (0..3_000).for_each(|_| drawn[mask.draw(&mut rng).unwrap()] += 1);
        assert_eq!(drawn.iter().sum::<u32>(), drawn[3] + drawn[64] + drawn[129]);
        assert!([3, 64, 129].iter().all(|&a| (900..1_100).contains(&drawn[a])), "{drawn:?}");
        assert_eq!(ActionMask::none(130).draw(&mut rng), None);
    }

    #[test]
    #[should_panic(expected = "there is no action 5 among 5")]
    fn actions_that_do_not_exist_cannot_go_in() {
        ActionMask::none(5).insert(5);
    }
}
