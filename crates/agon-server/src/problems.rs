//! Problems of the server itself, for its administrators.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use tracing::info;

use crate::store::now;

/// How many problems are kept.
const PROBLEMS: usize = 100;

/// Problems of the server itself, for its administrators.
#[derive(Debug, Default)]
pub(crate) struct Problems(Mutex<VecDeque<Problem>>);

/// A problem of the server itself.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// When it was last there.
    pub(crate) at: i64,
    pub(crate) place: &'static str,
    pub(crate) text: String,
    pub(crate) count: u64,
}

impl Problems {
    /// Notes a problem.
    pub(crate) fn note(&self, place: &'static str, text: &str) {
        let mut problems = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text =
            agon_core::text::escape_lines(agon_core::text::name::cut(text, 2_000)).into_owned();
        let known = problems.iter().position(|known| known.place == place && known.text == text);
        let count = known.and_then(|at| problems.remove(at)).map_or(0, |known| known.count);
        if count == 0 {
            info!(place, text, "a problem");
        }
        problems.push_front(Problem { at: now(), place, text, count: count + 1 });
        problems.truncate(PROBLEMS);
    }

    /// Returns all problems, the last one first.
    pub(crate) fn all(&self) -> Vec<Problem> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
