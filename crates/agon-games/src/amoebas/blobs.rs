//! The data and functions (bytes of the bots' own) that amoebas carry, by cell. The board keeps
//! them apart from the cells, because most amoebas carry none.

use agon_core::{Blob, Fold};

/// The data and function of one amoeba.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    pub(super) data: Option<Blob>,
    pub(super) function: Option<Blob>,
    /// The hash of both, for the hash of the state, so that a move does not read the blobs again; 0
    /// if there is nothing.
    digest: u64,
}

impl Carried {
    pub(super) fn new(data: Option<Blob>, function: Option<Blob>) -> Carried {
        let digest = digest(data.as_ref(), function.as_ref());
        Carried { data, function, digest }
    }

    #[inline]
    pub(super) fn is_nothing(&self) -> bool {
        self.data.is_none() && self.function.is_none()
    }

    #[inline]
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }
}

fn digest(data: Option<&Blob>, function: Option<&Blob>) -> u64 {
    if data.is_none() && function.is_none() {
        return 0;
    }
    let mut fold = Fold::new();
    for blob in [data, function] {
        fold.add(u64::from(blob.is_some()));
        if let Some(blob) = blob {
            fold.add_bytes(blob.bytes());
        }
    }
    fold.finish()
}

/// What the amoeba on each cell carries. Takes no memory until one carries something.
#[derive(Clone, Debug, Default)]
pub(super) struct Blobs(Vec<Carried>);

const NOTHING: Carried = Carried { data: None, function: None, digest: 0 };

impl Blobs {
    #[inline]
    pub(super) fn get(&self, cell: usize) -> &Carried {
        self.0.get(cell).unwrap_or(&NOTHING)
    }

    #[inline]
    pub(super) fn set(&mut self, cell: usize, carried: Carried, cells: usize) {
        if let Some(slot) = self.0.get_mut(cell) {
            *slot = carried;
        } else if !carried.is_nothing() {
            self.0.resize(cells, NOTHING);
            self.0[cell] = carried;
        }
    }

    #[inline]
    pub(super) fn take(&mut self, cell: usize) -> Carried {
        self.0.get_mut(cell).map(std::mem::take).unwrap_or_default()
    }

    fn carriers(&self) -> impl Iterator<Item = (usize, &Carried)> {
        self.0.iter().enumerate().filter(|(_, carried)| !carried.is_nothing())
    }
}

impl PartialEq for Blobs {
    fn eq(&self, other: &Blobs) -> bool {
        self.carriers().eq(other.carriers())
    }
}

impl Eq for Blobs {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_taken_late_and_does_not_count_in_comparisons() {
        let mut blobs = Blobs::default();
        blobs.set(3, Carried::default(), 9);
        assert!(blobs.0.is_empty());
        let carried = Carried::new(Some(Blob::from("x")), None);
        blobs.set(3, carried.clone(), 9);
        assert_eq!(blobs.get(3), &carried);
        assert_ne!(blobs, Blobs::default());
        assert_eq!(blobs.take(3), carried);
        assert_eq!(blobs, Blobs::default());
    }

    #[test]
    fn data_and_functions_have_different_digests() {
        let blob = || Some(Blob::from("x"));
        let digests = [(None, None), (blob(), None), (None, blob()), (blob(), blob())]
            .map(|(data, function)| Carried::new(data, function).digest());
        assert_eq!(digests[0], 0);
        assert!(
            (1..4).all(|i| digests[i] != 0 && !digests[..i].contains(&digests[i])),
            "{digests:?}"
        );
    }
}
