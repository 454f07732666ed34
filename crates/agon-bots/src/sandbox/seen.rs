//! The confinement of the programs started so far, with the files that are hidden from them.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

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

/// A folder that programs start in, but do not see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenFolder {
    /// The folder.
    pub folder: PathBuf,
    /// What of it is shown all the same.
    pub shown: Vec<PathBuf>,
}

static HIDDEN: Mutex<Option<HiddenFolder>> = Mutex::new(None);

/// Notes that programs start in a folder that they do not see, but for what is `shown`.
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

/// The folder that programs opened so far start in without seeing it, if there is one: so that a
/// person can be told.
pub fn hidden_folder() -> Option<HiddenFolder> {
    HIDDEN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
