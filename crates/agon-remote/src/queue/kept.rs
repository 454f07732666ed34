//! Results of volunteers that may count later.

use std::collections::BTreeMap;

use agon_queue::{JobKey, message::Ending};

/// So many bytes are kept before volunteers get no more matches; what they have still comes.
const MANY_BYTES: usize = 512 << 20;

/// So many bytes an outcome may take beside its replay.
const OUTCOME: usize = 4 << 10;

/// A result with its replay.
#[derive(Debug)]
pub(super) struct KeptResult {
    pub(super) ending: Ending,
    pub(super) replay: Option<Vec<u8>>,
}

impl KeptResult {
    fn bytes(&self) -> usize {
        OUTCOME + self.replay.as_ref().map_or(0, Vec::len)
    }
}

/// Results by match and volunteer.
#[derive(Debug, Default)]
pub(super) struct Kept {
    results: BTreeMap<(JobKey, String), KeptResult>,
    bytes: usize,
}

impl Kept {
    /// Returns whether volunteers may get more matches.
    pub(super) fn has_room(&self) -> bool {
        self.bytes < MANY_BYTES
    }

    /// Keeps a result.
    pub(super) fn keep(&mut self, key: JobKey, owner: String, result: KeptResult) {
        self.bytes += result.bytes();
        if let Some(old) = self.results.insert((key, owner), result) {
            self.bytes -= old.bytes();
        }
    }

    /// Gives a result out, or forgets it.
    pub(super) fn take(&mut self, key: JobKey, owner: String) -> Option<KeptResult> {
        let result = self.results.remove(&(key, owner))?;
        self.bytes -= result.bytes();
        Some(result)
    }
}
