//! Remembers how the programs started so far are confined, and what is hidden from them.
//!
//! `agon` warns the person about missing protection and hidden folders.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use agon_sandbox::{Confinement, Missing};

static MISSING: Mutex<Vec<Missing>> = Mutex::new(Vec::new());

/// Notes the confinement of a program.
pub(crate) fn see(confinement: &Confinement) {
    // The list stays valid even if a thread panicked while it held the lock.
    let mut all = MISSING.lock().unwrap_or_else(PoisonError::into_inner);
    for missing in &confinement.missing {
        if !all.iter().any(|known| known.mechanism == missing.mechanism) {
            all.push(missing.clone());
        }
    }
}

/// Returns the mechanisms that were missing so far, for a single message to the person.
pub fn missing() -> Vec<Missing> {
    MISSING.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A folder that programs start in, but do not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenFolder {
    /// The folder.
    pub folder: PathBuf,
    /// The visible parts of it.
    pub shown: Vec<PathBuf>,
}

static HIDDEN: Mutex<Option<HiddenFolder>> = Mutex::new(None);

/// Notes that programs start in a folder of which they see only the `shown` parts.
pub(super) fn hide(folder: &Path, shown: &[PathBuf]) {
    let mut hidden = HIDDEN.lock().unwrap_or_else(PoisonError::into_inner);
    let known =
        hidden.get_or_insert_with(|| HiddenFolder { folder: folder.to_owned(), shown: Vec::new() });
    for place in shown {
        if !known.shown.contains(place) {
            known.shown.push(place.clone());
        }
    }
}

/// Returns the hidden folder that programs start in, if there is one, for the person.
pub fn hidden_folder() -> Option<HiddenFolder> {
    HIDDEN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
