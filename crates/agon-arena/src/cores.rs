//! Shares the processor cores out among the matches of this process.
//!
//! `agon play`, `agon check` and the workers of a pool keep a match with its bots on one core.

use std::sync::{Mutex, PoisonError};

use agon_bots::{BotKind, BotSpec};
use agon_match::pin;

/// The number of matches of this process on each core, by the number of the core.
static MATCHES: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// A processor core on which a match stays, until the lease is dropped.
#[derive(Debug)]
pub struct CoreLease {
    core: usize,
}

impl CoreLease {
    /// Takes the core that has the fewest matches; `None` if the system does not report its cores.
    pub fn take() -> Option<CoreLease> {
        let cores = pin::cores().ok()?;
        CoreLease::among(&cores)
    }

    /// Takes the one of these cores that has the fewest matches. Several arenas on a machine start
    /// with different cores.
    pub(crate) fn among(cores: &[usize]) -> Option<CoreLease> {
        let mut matches = MATCHES.lock().unwrap_or_else(PoisonError::into_inner);
        let count = matches.len().max(cores.iter().max()? + 1);
        matches.resize(count, 0);
        let first = std::process::id() as usize;
        let in_turn = (0..cores.len()).map(|number| cores[(first + number) % cores.len()]);
        let core = in_turn.min_by_key(|&core| matches[core])?;
        matches[core] += 1;
        Some(CoreLease { core })
    }

    /// Returns the number of the core.
    pub fn core(&self) -> usize {
        self.core
    }
}

impl Drop for CoreLease {
    fn drop(&mut self) {
        let mut matches = MATCHES.lock().unwrap_or_else(PoisonError::into_inner);
        matches[self.core] -= 1;
    }
}

/// Takes a processor core for a match. Built-in bots and people need no core of their own.
///
/// A question to a program and its answer are ten times quicker on one core.
pub fn core_for<'a>(bots: impl IntoIterator<Item = &'a BotSpec>) -> Option<CoreLease> {
    let needs_core = |spec: &BotSpec| !matches!(spec.kind(), BotKind::Builtin | BotKind::Human);
    if bots.into_iter().any(needs_core) { CoreLease::take() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_spread_over_the_cores() {
        // Numbers that no other test leases.
        let cores = [9_001, 9_002, 9_003];
        let take = || CoreLease::among(&cores).unwrap();
        let leases = [take(), take(), take(), take()];
        let mut taken: Vec<usize> = leases.iter().map(CoreLease::core).collect();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken, cores);
        let [first, second, third, fourth] = leases;
        let free = second.core();
        drop(second);
        assert_eq!(take().core(), free);
        drop([first, third, fourth]);
        assert!(CoreLease::among(&[]).is_none());
    }
}
