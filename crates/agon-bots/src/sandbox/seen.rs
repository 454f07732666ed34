//! How well the programs started so far were confined.

use std::sync::{Mutex, PoisonError};

use agon_jail::{Confinement, Missing};

static MISSING: Mutex<Vec<Missing>> = Mutex::new(Vec::new());

/// Notes how a program is confined.
pub(crate) fn see(confinement: &Confinement) {
    // A list is valid whatever happened to a thread that held the lock.
    let mut all = MISSING.lock().unwrap_or_else(PoisonError::into_inner);
    for missing in &confinement.missing {
        if !all.iter().any(|known| known.mechanism == missing.mechanism) {
            all.push(missing.clone());
        }
    }
}

/// The mechanisms that were missing for programs started so far, so that a person can be told once.
pub fn missing() -> Vec<Missing> {
    MISSING.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
