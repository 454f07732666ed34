//! Bytes attached to some of the cells.

use agon_core::Blob;

/// An optional blob per cell that takes no room until the first one is set.
#[derive(Clone, Debug, Default)]
pub(super) struct Blobs(Vec<Option<Blob>>);

impl Blobs {
    #[inline]
    pub(super) fn get(&self, cell: usize) -> Option<&Blob> {
        self.0.get(cell)?.as_ref()
    }

    #[inline]
    pub(super) fn set(&mut self, cell: usize, blob: Option<Blob>, cells: usize) {
        if let Some(slot) = self.0.get_mut(cell) {
            *slot = blob;
        } else if blob.is_some() {
            self.0.resize(cells, None);
            self.0[cell] = blob;
        }
    }

    #[inline]
    pub(super) fn take(&mut self, cell: usize) -> Option<Blob> {
        self.0.get_mut(cell)?.take()
    }

    fn set_ones(&self) -> impl Iterator<Item = (usize, &Blob)> {
        self.0.iter().enumerate().filter_map(|(cell, blob)| Some((cell, blob.as_ref()?)))
    }
}

impl PartialEq for Blobs {
    fn eq(&self, other: &Blobs) -> bool {
        self.set_ones().eq(other.set_ones())
    }
}

impl Eq for Blobs {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_taken_late_and_does_not_count_in_comparisons() {
        let mut blobs = Blobs::default();
        blobs.set(3, None, 9);
        assert!(blobs.0.is_empty());
        blobs.set(3, Some(Blob::from("x")), 9);
        assert_eq!(blobs.get(3), Some(&Blob::from("x")));
        assert_ne!(blobs, Blobs::default());
        assert_eq!(blobs.take(3), Some(Blob::from("x")));
        assert_eq!(blobs, Blobs::default());
    }
}
