//! Uploads that are on their way: one that began in time counts, even if it takes a while.

use std::sync::{Arc, Mutex, PoisonError, Weak};

/// When the uploads that are on their way began. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uploads(Arc<Mutex<Vec<Weak<i64>>>>);

/// An upload that is on its way, until it is dropped.
pub(crate) type Underway = Arc<i64>;

impl Uploads {
    /// Notes that an upload begins.
    pub(crate) fn begin(&self, began: i64) -> Underway {
        let underway = Arc::new(began);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|upload| upload.strong_count() > 0);
        all.push(Arc::downgrade(&underway));
        underway
    }

    /// Returns whether an upload that began at this time or before is still on its way.
    pub(crate) fn has_begun_by(&self, at: i64) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).any(|began| *began <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_began_in_time_are_known_until_they_end() {
        let uploads = Uploads::default();
        let (one, two) = (uploads.begin(5), uploads.begin(5));
        let late = uploads.begin(9);
        drop(one);
        assert!(uploads.has_begun_by(5) && !uploads.has_begun_by(4));
        drop(two);
        assert!(!uploads.has_begun_by(8) && uploads.has_begun_by(9));
        drop(late);
        assert!(!uploads.has_begun_by(i64::MAX));
    }
}
