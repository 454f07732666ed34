//! Describes the parts of a sandbox that each program gets anew: the scratch folder and `/proc`.

use std::ffi::OsString;

use serde::{Deserialize, Serialize};

/// The private parts of each program in an existing root: a scratch folder and a `/proc`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Fresh {
    /// The visible files below the scratch folder; none of them is inside another.
    pub(super) shown: Vec<OsString>,
    /// Links there, with their targets.
    pub(super) links: Vec<(OsString, OsString)>,
    /// Folders there.
    pub(super) folders: Vec<OsString>,
}
