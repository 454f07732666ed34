//! [`Scratch`]: memory that a state keeps for its steps, so that they need no new memory.

/// Buffers of a step, which the next step uses again. They are no part of the state: all are equal,
/// and copies are empty.
#[derive(Debug, Default)]
pub(crate) struct Scratch<T>(pub(crate) T);

impl<T: Default> Clone for Scratch<T> {
    fn clone(&self) -> Scratch<T> {
        Scratch::default()
    }
}

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Scratch<T>) -> bool {
        true
    }
}

impl<T> Eq for Scratch<T> {}
