//! Results of volunteers that may count later.

use std::collections::BTreeMap;

use agon_queue::{JobKey, message::Ending};

/// The most bytes of replays that are kept. Beyond them results come without: such a match is
/// played again.
const MOST_BYTES: usize = 1 << 30;

/// A result with its replay.
#[derive(Debug)]
pub(super) struct Result {
    pub(super) ending: Ending,
    pub(super) replay: Option<Vec<u8>>,
}

impl Result {
    fn bytes(&self) -> usize {
        self.replay.as_ref().map_or(0, Vec::len)
    }
}

/// Results by match and volunteer.
#[derive(Debug, Default)]
pub(super) struct Kept {
    results: BTreeMap<(JobKey, String), Result>,
    bytes: usize,
}

impl Kept {
    /// Returns whether another result may be kept.
    pub(super) fn has_room(&self) -> bool {
        self.bytes < MOST_BYTES
    }

    /// Keeps a result.
    pub(super) fn keep(&mut self, key: JobKey, owner: String, result: Result) {
        self.bytes += result.bytes();
        if let Some(old) = self.results.insert((key, owner), result) {
            self.bytes -= old.bytes();
        }
    }

    /// Gives a result out, or forgets it.
    pub(super) fn take(&mut self, key: JobKey, owner: String) -> Option<Result> {
        let result = self.results.remove(&(key, owner))?;
        self.bytes -= result.bytes();
        Some(result)
    }
}
