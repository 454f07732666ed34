//! Earlier states of a replay, kept so that a jump back need not play from a key frame.
//!
//! [`ReplayStates`](super::ReplayStates) keeps some states on the way of each jump.

use std::sync::Arc;

/// The most states that are kept.
const MAX_KEPT: usize = 40;

/// The shortest way that is worth keeping a state for.
const WORTH_KEEPING: u64 = 8;

/// The last used states. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Kept<S> {
    /// States by step; the last used one is last.
    states: Vec<(u64, Arc<S>)>,
}

impl<S: Clone> Kept<S> {
    /// Starts without states.
    pub(crate) fn new() -> Kept<S> {
        Kept { states: Vec::new() }
    }

    /// Keeps a state. If there are too many, forgets the one that was unused for longest.
    pub(crate) fn keep(&mut self, step: u64, state: &S) {
        self.states.retain(|(kept, _)| *kept != step);
        if self.states.len() == MAX_KEPT {
            self.states.remove(0);
        }
        self.states.push((step, Arc::new(state.clone())));
    }

    /// Returns the step of the last kept state up to `step`.
    pub(crate) fn before(&self, step: u64) -> Option<u64> {
        self.states.iter().map(|(kept, _)| *kept).filter(|&kept| kept <= step).max()
    }

    /// Returns the kept state of `step`.
    pub(crate) fn get(&mut self, step: u64) -> Option<S> {
        let index = self.states.iter().position(|(kept, _)| *kept == step)?;
        let used = self.states.remove(index);
        let state = S::clone(&used.1);
        self.states.push(used);
        Some(state)
    }

    /// Returns the steps worth keeping on the way from `from` to `to`.
    ///
    /// They get closer and closer together. So a person who steps back from the end always finds
    /// one near by. If there is none, the remaining way is halved.
    pub(crate) fn milestones(from: u64, to: u64) -> Vec<u64> {
        let mut milestones = Vec::new();
        let mut at = from;
        while to - at > WORTH_KEEPING {
            at += (to - at) / 2;
            milestones.push(at);
        }
        milestones
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_of_use_stays() {
        let mut kept = Kept::new();
        for step in 0..MAX_KEPT as u64 {
            kept.keep(step, &step);
        }
        assert_eq!(kept.get(0), Some(0));
        kept.keep(100, &100);
        assert_eq!((kept.get(0), kept.get(1), kept.get(100)), (Some(0), None, Some(100)));
        assert_eq!(
            (kept.before(99), kept.before(1), kept.before(100)),
            (Some(39), Some(0), Some(100))
        );
    }

    #[test]
    fn milestones_get_closer() {
        assert_eq!(Kept::<u8>::milestones(0, 100), [50, 75, 87, 93]);
        assert!(Kept::<u8>::milestones(10, 18).is_empty());
    }
}
